package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
)

// These tests run enlist copy, from its flags to the new database.

// runEnlist runs a command line in this process and returns its status and output.
func runEnlist(args ...string) (status int, stdout, stderr string) {
	var out, problems bytes.Buffer
	status = run(args, &console{stdout: &out, stderr: &problems, getenv: func(string) string { return "" }})
	return status, out.String(), problems.String()
}

// A command prints the same text for the copy and for the source.
func TestCopyEqualsItsSource(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	from, to := filepath.Join(t.TempDir(), "enlist.db"), pgtest.Open(t)
	if status, _, problem := runEnlist("copy", "--from", from, "--to", to); status != 1 || !strings.Contains(problem, "no database at") {
		t.Errorf("without a source the status is %d, want 1; error %s", status, problem)
	}
	store, err := dbtest.Open(t.Context(), from, 0)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, problem := runEnlist("copy", "--from", from, "--to", to); status != 1 || !strings.Contains(problem, "stop the service") {
		t.Errorf("for a source in use the status is %d, want 1; error %s", status, problem)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"account", "add", "--name", "Lädchen"}, {"list", "add", "--name", "News"}, {"key", "create", "--name", "k", "--level", "full"}} {
		if status, _, problem := runEnlist(append(args, "--db", from)...); status != 0 {
			t.Fatal(args, problem)
		}
	}
	status, printed, progress := runEnlist("copy", "--from", from, "--to", to)
	if status != 0 || !strings.Contains(printed, "Copied and verified: ") || !strings.Contains(progress, "account: verified 1 of 1 rows") {
		t.Errorf("copy: status %d, output %s%s", status, printed, progress)
	}
	for _, args := range [][]string{{"account", "list"}, {"list", "show"}, {"key", "list"}} {
		_, want, _ := runEnlist(append(args, "--db", from)...)
		if status, got, problem := runEnlist(append(args, "--db", to)...); status != 0 || got != want {
			t.Errorf("%s: status %d, output %s%s, want %s", args, status, got, problem, want)
		}
	}
	if _, found, _ := runEnlist("doctor", "--db", to); strings.Contains(found, "counts") || !strings.Contains(found, "ok: access") {
		t.Errorf("doctor: %s", found)
	}
	if status, _, problem := runEnlist("copy", "--from", from, "--to", to); status != 1 || !strings.Contains(problem, "give an empty database") {
		t.Errorf("for a target that is not empty the status is %d, want 1; error %s", status, problem)
	}
}

func TestCopyRefusesWrongFlags(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
	}{
		{"no flags", nil},
		{"no target", []string{"--from", "a.db"}},
		{"a target of another kind", []string{"--from", "a.db", "--to", "mysql://host/b"}},
		{"a source of another kind", []string{"--from", "mysql://host/a", "--to", "b.db"}},
		{"an empty source", []string{"--from", "", "--to", "postgres://host/b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if status, _, _ := runEnlist(append([]string{"copy"}, c.args...)...); status != 2 {
				t.Errorf("status %d, want 2", status)
			}
		})
	}
	_, _, problem := runEnlist("copy", "--from", "copy.go", "--to", "postgres://user:secret@host:x/b")
	if strings.Contains(problem, "secret") {
		t.Errorf("the password is shown: %s", problem)
	}
}
