package storetest

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
	"strings"
	"testing"
)

// ReleasedMigrations checks that a released migration file never changes, so a database that applied it has the tables
// of the file. update adds the files of a release to the checksums in testdata.
func ReleasedMigrations(t *testing.T, migrations embed.FS, update bool) {
	t.Helper()
	entries, err := migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	var sums strings.Builder
	for _, e := range entries {
		text, err := migrations.ReadFile("migrations/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(statements(string(text))), e.Name())
	}
	const path = "testdata/migrations.sha256"
	if update {
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
