package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What is no database of this version is left as it is.
func TestOpenRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		change string
		ours   bool // before the change
		want   error
	}{
		"a database of another program": {"CREATE TABLE users (id INTEGER)", false, errForeign},
		"a database of a newer version": {"INSERT INTO goose_db_version (version_id, is_applied) VALUES (1000, 1)", true, errNewer},
	} {
		path := filepath.Join(t.TempDir(), "enlist.db")
		if c.ours {
			s, err := Open(t.Context(), path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		db := sql.OpenDB(&connector{path: path, driver: newDriver()})
		if _, err := db.ExecContext(t.Context(), "PRAGMA query_only = OFF"); err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), c.change); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), path, Options{})
		if err == nil {
			s.Close()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", what, err, c.want)
		}
		if after, err := os.ReadFile(path); err != nil || !c.ours && !bytes.Equal(before, after) {
			t.Errorf("%s was changed, %v", what, err)
		}
	}
}
