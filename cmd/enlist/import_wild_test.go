package main

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db/dbtest"
)

// This test imports files of other programs with the command, as the pages do in internal/admin.

// covers: spec import.columns, import.cells, import.status, decision 66
func TestCommandImportsFilesOfOtherPrograms(t *testing.T) {
	db := filepath.Join(t.TempDir(), "enlist.db")
	store, err := dbtest.Open(t.Context(), db, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	ok := func(args ...string) (stdout, stderr string) {
		t.Helper()
		status, stdout, stderr := runEnlist(append(args, "--db", db)...)
		if status != 0 {
			t.Fatalf("%q ended with status %d: %s%s", args, status, stdout, stderr)
		}
		return stdout, stderr
	}
	ok("account", "add", "--name", "Shop")
	for n, c := range apptest.WildFiles(t) {
		list := fmt.Sprint(n + 1)
		ok("list", "add", "--name", c.Name)
		out, said := ok("import", "--list", list, c.Path, "--add-fields")
		counts := fmt.Sprintf("%d added, 0 updated, 0 unchanged, %d skipped, %d refused", c.Added, c.Skipped, c.Refused)
		if !strings.Contains(out, counts) || !strings.Contains(said, c.Command) {
			t.Errorf("%s printed %s%s, want %q and %q", c.Name, out, said, counts, c.Command)
		}
		exported, _ := ok("export", "--list", list)
		rows, err := csv.NewReader(strings.NewReader(exported)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range c.Values {
			cells := strings.Split(values, "|")
			if !slices.ContainsFunc(rows, func(row []string) bool {
				return !slices.ContainsFunc(cells, func(cell string) bool { return !slices.Contains(row, cell) })
			}) {
				t.Errorf("%s: no Contact has %q; exported %q", c.Name, cells, rows)
			}
		}
	}
}
