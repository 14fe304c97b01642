package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"
)

// openWith opens a new store with options.
func openWith(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "enlist.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// While all search and stream connections are in use, look-ups and writes still work,
// and a further search gets the error Busy.
//
// covers: decision 43
func TestLookUpsDoNotWaitForSearches(t *testing.T) {
	s := openWith(t, Options{Searches: 2, Streams: 2, Wait: 20 * time.Millisecond})
	release := make(chan struct{})
	var inside, all sync.WaitGroup
	hold := func(audience.Tx) error { inside.Done(); <-release; return nil }
	for _, run := range []func(context.Context, func(audience.Tx) error) error{s.Search, s.Search, s.Stream, s.Stream} {
		inside.Add(1)
		all.Go(func() {
			if err := run(t.Context(), hold); err != nil {
				t.Error(err)
			}
		})
	}
	inside.Wait()
	look := func(tx audience.Tx) error { _, err := tx.Accounts(); return err }
	if err := errors.Join(s.View(t.Context(), look), s.Update(t.Context(), look), s.Ready(t.Context())); err != nil {
		t.Error(err)
	}
	for _, err := range []error{s.Search(t.Context(), look), s.Stream(t.Context(), look)} {
		if audience.KindOf(err) != audience.Busy {
			t.Errorf("all connections in use: error %v, want Busy", err)
		}
	}
	close(release)
	all.Wait()
	if err := errors.Join(s.Search(t.Context(), look), s.Stream(t.Context(), look)); err != nil {
		t.Error(err)
	}
}

// A search that exceeds SearchTime is interrupted with the error Busy. A caller whose
// context ends gets the context's error instead.
//
// covers: decision 43
func TestASearchHasATimeLimit(t *testing.T) {
	s := openWith(t, Options{SearchTime: 20 * time.Millisecond})
	forever := func(tx audience.Tx) error {
		for {
			if _, err := tx.Accounts(); err != nil {
				return err
			}
		}
	}
	if err := s.Search(t.Context(), forever); audience.KindOf(err) != audience.Busy {
		t.Errorf("error %v, want one of kind Busy", err)
	}
	gone, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if err := s.Search(gone, forever); !errors.Is(err, context.DeadlineExceeded) || audience.KindOf(err) == audience.Busy {
		t.Errorf("error %v, want the error of the caller's context", err)
	}
	// The same connections, without the time limit: it is too short for a busy machine.
	s.searches.limiter = sqlstore.NewLimiter(1, 0, 0)
	if err := s.Search(t.Context(), func(tx audience.Tx) error { _, err := tx.Accounts(); return err }); err != nil {
		t.Errorf("a search after the interrupted ones: %v", err)
	}
}
