package sqlite

import (
	"errors"
	"os"
	"strings"
	"testing"

	"enlist/internal/db"
)

// The tests in this file damage the file of a store.

// writeBytes writes bytes into the file of a database, as a failing disk would, at an offset in it.
func writeBytes(t *testing.T, path string, offset int64, content []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(content, offset)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// rootOf returns the offset of the first page of a table or index.
func rootOf(t *testing.T, s *Store, name string) (offset int64) {
	t.Helper()
	err := s.View(t.Context(), func(tx *db.Tx) error {
		page, err := tx.Number("SELECT rootpage FROM sqlite_schema WHERE name = ?", name)
		if err != nil {
			return err
		}
		size, err := tx.Number("SELECT page_size FROM pragma_page_size")
		offset = (page - 1) * size
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return offset
}

// wantDamaged checks that the store is not ready and stores no changes.
func wantDamaged(t *testing.T, s *Store) {
	t.Helper()
	ran := false
	err := s.Update(t.Context(), func(tx *db.Tx) error { ran = true; return nil })
	if !errors.Is(err, db.ErrDamaged) || ran {
		t.Errorf("a change ended with %v, function run: %v; want a refusal", err, ran)
	}
	if err := s.Ready(t.Context()); !errors.Is(err, db.ErrDamaged) || !strings.Contains(err.Error(), "enlist restore") {
		t.Errorf("Ready returns %v, want an error that says what to do", err)
	}
}

// After any statement has found damage, the store stores no changes, and Ready says what to do.
func TestDamageThatAStatementFindsStopsChanges(t *testing.T) {
	for _, found := range []struct {
		name string
		by   func(*Store, func(*db.Tx) error) error
	}{
		{"a look-up", func(s *Store, fn func(*db.Tx) error) error { return s.View(t.Context(), fn) }},
		{"a search", func(s *Store, fn func(*db.Tx) error) error { return s.Search(t.Context(), fn) }},
		{"a change", func(s *Store, fn func(*db.Tx) error) error { return s.Update(t.Context(), fn) }},
	} {
		t.Run(found.name, func(t *testing.T) {
			path := newDatabase(t)
			s := openAt(t, path)
			writeBytes(t, path, rootOf(t, s, "contact"), []byte(strings.Repeat("damage ", 100)))
			if err := s.Ready(t.Context()); err != nil {
				t.Fatalf("before the page is read: %v", err)
			}
			if err := found.by(s, func(tx *db.Tx) error { _, err := tx.Number("SELECT count(*) FROM contact NOT INDEXED"); return err }); err == nil {
				t.Fatal("the damaged page was read")
			}
			wantDamaged(t, s)
		})
	}
}

// Inspect finds damage of a page that no statement has read.
func TestInspectFindsDamage(t *testing.T) {
	path := newDatabase(t)
	s := openAt(t, path)
	if err := s.Inspect(t.Context()); err != nil {
		t.Fatal(err)
	}
	writeBytes(t, path, rootOf(t, s, "contact"), []byte(strings.Repeat("damage ", 100)))
	if err := s.Inspect(t.Context()); !errors.Is(err, db.ErrDamaged) {
		t.Errorf("Inspect returns %v, want ErrDamaged", err)
	}
	wantDamaged(t, s)
}
