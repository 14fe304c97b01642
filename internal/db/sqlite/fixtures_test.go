package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"

	"go.uber.org/goleak"
)

// This file has the files and the functions that the tests of the package use.

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// migrated returns the content of a file that has all migrations and no rows. Migrating a file takes ten times as long
// as writing this content.
var migrated = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "enlist-template-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "enlist.db")
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		return nil, err
	}
	// Close copies the content of the write-ahead log into the file.
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// newFile returns the path of a new file that has all migrations.
func newFile(t testing.TB) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "enlist.db")
	content, err := migrated()
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// open opens a new store. The store is closed when the test ends.
func open(t *testing.T) *Store {
	t.Helper()
	return openAt(t, newFile(t))
}

// openAt opens the store at path. The store is closed when the test ends.
func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// addAccount returns a function that stores an Account with the given name.
func addAccount(name string) func(*db.Tx) error {
	return func(tx *db.Tx) error {
		return accounts.Insert(tx, &enlist.Account{Name: name, TimeZone: "UTC", ContactLimit: enlist.NoContactLimit})
	}
}

// storedNames returns how many Accounts have each name.
func storedNames(t *testing.T, s *Store) map[string]int {
	t.Helper()
	names := make(map[string]int)
	err := s.View(t.Context(), func(tx *db.Tx) error {
		all, err := accounts.All(tx)
		for _, a := range all {
			names[a.Name]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// inOneGroup runs functions in one group and returns their errors. Another function runs until all these
// functions are in the queue, so that the writer does not start the group too early.
func inOneGroup(t *testing.T, s *Store, fns ...func(*db.Tx) error) []error {
	t.Helper()
	inside, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		s.Update(t.Context(), func(*db.Tx) error {
			close(inside)
			<-release
			return nil
		})
	})
	<-inside
	group := make([]*update, len(fns))
	for i, fn := range fns {
		group[i] = &update{ctx: t.Context(), fn: fn, done: make(chan struct{}, 1)}
		if hasTurn, err := s.writer.enter(group[i]); hasTurn || err != nil {
			t.Fatal("the writer is idle or closed", err)
		}
	}
	close(release)
	wg.Wait()
	errs := make([]error, len(fns))
	for i, u := range group {
		<-u.done
		errs[i] = u.err
	}
	return errs
}
