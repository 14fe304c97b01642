package app_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
)

// Two servers start at the same time on a new database. One of them adds the first key, and
// both accept this key.
func TestBootstrapAddsOneKeyWhenTwoServersStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "enlist.db")
	var services [2]*app.App
	for i := range services {
		store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		services[i] = app.New(store, time.Now)
	}
	var results [2]*app.Bootstrapped
	var wg sync.WaitGroup
	for i, s := range services {
		wg.Go(func() {
			var err error
			if results[i], err = s.Bootstrap(t.Context(), ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if (results[0] == nil) == (results[1] == nil) {
		t.Fatalf("Bootstrap returned %v and %v, want exactly one nil", results[0], results[1])
	}
	first := results[0]
	if first == nil {
		first = results[1]
	}
	for _, s := range services {
		c, err := s.Accounts.Authenticate(t.Context(), first.Key)
		if err != nil || c.Account.ID != first.Account || c.Key.Level != enlist.Full {
			t.Fatalf("the first key gives the caller %+v, error %v; want level Full in Account %d", c, err, first.Account)
		}
		lists, err := s.Lists.SearchLists(t.Context(), c, enlist.Query{})
		if err != nil || len(lists) != 1 || lists[0].ID != first.List {
			t.Fatalf("the Account has the Lists %+v, error %v; want only List %d", lists, err, first.List)
		}
	}
}
