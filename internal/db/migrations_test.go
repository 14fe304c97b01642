package db_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var updateSums = flag.Bool("update", false, "add the migration files of a release to testdata/migrations.sha256")

// A released migration file never changes, so a database that applied it has the tables of the file. Run the test with
// -update to add the files of a release.
func TestReleasedMigrationsDoNotChange(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) { releasedMigrations(t, engine) })
	}
}

// releasedMigrations compares the files of an engine with the checksums in its folder testdata.
func releasedMigrations(t *testing.T, engine string) {
	files, err := filepath.Glob(filepath.Join(engine, "migrations", "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	var sums strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(statements(string(text))), filepath.Base(file))
	}
	path := filepath.Join(engine, "testdata", "migrations.sha256")
	if *updateSums {
		if err := os.WriteFile(path, []byte(sums.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || len(want) == 0 {
		t.Fatalf("read the checksums: %v", err)
	}
	for line := range strings.Lines(string(want)) {
		if !strings.Contains(sums.String(), line) {
			t.Errorf("a released migration file has changed or is gone: %s", line)
		}
	}
}

// statements returns a migration without comments and spaces, which may change.
func statements(text string) []byte {
	var b strings.Builder
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, "--")
		if strings.HasPrefix(strings.TrimSpace(line), "-- +goose") {
			code = line
		}
		if words := strings.Fields(code); len(words) > 0 {
			b.WriteString(strings.Join(words, " ") + "\n")
		}
	}
	return []byte(b.String())
}
