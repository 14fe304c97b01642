package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/db"
)

// After another program moved, deleted or replaced the database file or its write-ahead log, the store refuses
// changes. When the file is back, it stores changes again.
func TestChangesAreRefusedWhileTheFileIsGone(t *testing.T) {
	for _, c := range []struct {
		name string
		file string                          // suffix of the file that is gone
		put  func(t *testing.T, path string) // what is at the path instead
	}{
		{"moved", "", func(*testing.T, string) {}},
		{"replaced by another database", "", func(t *testing.T, path string) {
			other := filepath.Join(t.TempDir(), "other.db")
			if err := openAt(t, other).Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(other, path); err != nil {
				t.Fatal(err)
			}
		}},
		{"write-ahead log deleted", "-wal", func(*testing.T, string) {}},
		{"write-ahead log replaced", "-wal", func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := newFile(t)
			s := openAt(t, path)
			addFolder := func(tx *db.Tx) error {
				return (&accounts.Folder{AccountID: 1, Name: "x", Type: "list"}).Add(tx)
			}
			if err := s.Update(t.Context(), addFolder); err != nil {
				t.Fatal(err)
			}
			gone := path + c.file
			if err := os.Rename(gone, gone+".old"); err != nil {
				t.Fatal(err)
			}
			c.put(t, gone)
			if err := s.Update(t.Context(), addFolder); !errors.Is(err, ErrMoved) {
				t.Errorf("a change returned the error %v, want ErrMoved", err)
			}
			if err := s.Ready(t.Context()); !errors.Is(err, ErrMoved) {
				t.Errorf("Ready returned the error %v, want ErrMoved", err)
			}
			if _, err := s.db.ExecContext(t.Context(), "DELETE FROM folder"); !errors.Is(err, ErrMoved) {
				t.Errorf("a statement of the job queue returned the error %v, want ErrMoved", err)
			}
			if err := os.Rename(gone+".old", gone); err != nil {
				t.Fatal(err)
			}
			if err := s.Update(t.Context(), addFolder); err != nil {
				t.Errorf("a change after the file was put back: %v", err)
			}
			wantFolders(t, s, 2)
		})
	}
}

// The path of the database can be a symbolic link. The store refuses changes while the link leads to another
// file.
func TestDatabaseBehindASymbolicLink(t *testing.T) {
	target, link := filepath.Join(t.TempDir(), "target.db"), filepath.Join(t.TempDir(), "enlist.db")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, link)
	if s.WALBytes() == 0 {
		t.Error("the write-ahead log of a new database has 0 bytes, want the migrations in it")
	}
	addFolder := func(tx *db.Tx) error {
		return (&accounts.Folder{AccountID: 1, Name: "x", Type: "list"}).Add(tx)
	}
	if err := s.Update(t.Context(), addFolder); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	if err := errors.Join(os.WriteFile(other, nil, 0o600), os.Remove(link), os.Symlink(other, link)); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), addFolder); !errors.Is(err, ErrMoved) {
		t.Errorf("a change returned the error %v, want ErrMoved", err)
	}
}

func wantFolders(t *testing.T, s *Store, want int) {
	t.Helper()
	err := s.View(t.Context(), func(tx *db.Tx) error {
		folders, err := accounts.Folders(tx, 1)
		if len(folders) != want {
			t.Errorf("the database has %d Folders, want %d", len(folders), want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// If the file is moved while a transaction runs, its callers get an error, although the transaction is
// committed in the moved file.
func TestFileMovedDuringATransactionIsAnError(t *testing.T) {
	path := newFile(t)
	s := openAt(t, path)
	err := s.Update(t.Context(), func(tx *db.Tx) error { return os.Rename(path, path+".old") })
	if !errors.Is(err, ErrMoved) {
		t.Errorf("the change returned the error %v, want ErrMoved", err)
	}
}

// A new connection for reads does not open a file that replaced the database.
func TestReadersRefuseAnotherFile(t *testing.T) {
	path := newFile(t)
	s := openAt(t, path)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := s.Search(t.Context(), func(tx *db.Tx) error { _, err := accounts.All(tx); return err })
	if !errors.Is(err, ErrMoved) {
		t.Errorf("a search on a new connection returned the error %v, want ErrMoved", err)
	}
}

func BenchmarkFilesAreChecked(b *testing.B) {
	path := newFile(b)
	s := openAt(b, path)
	conn, err := s.db.Conn(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	err = conn.Raw(func(raw any) error {
		for b.Loop() {
			if err := raw.(*dbConn).unmoved(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
