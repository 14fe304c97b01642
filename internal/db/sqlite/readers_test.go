package sqlite

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// openWith opens a new store with options.
func openWith(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), newFile(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// While all connections for searches and streams are in use, look-ups and writes still work. But one
// more search or stream fails with an error of the Kind Busy.
//
// covers: decision 43
func TestLookUpsDoNotWaitForSearches(t *testing.T) {
	s := openWith(t, Options{Searches: 2, Streams: 2, Wait: 20 * time.Millisecond})
	release := make(chan struct{})
	var inside, all sync.WaitGroup
	hold := func(*db.Tx) error { inside.Done(); <-release; return nil }
	for _, run := range []func(context.Context, func(*db.Tx) error) error{s.Search, s.Search, s.Stream, s.Stream} {
		inside.Add(1)
		all.Go(func() {
			if err := run(t.Context(), hold); err != nil {
				t.Error(err)
			}
		})
	}
	inside.Wait()
	look := func(tx *db.Tx) error { _, err := accounts.All(tx); return err }
	if err := errors.Join(s.View(t.Context(), look), s.Update(t.Context(), look), s.Ready(t.Context())); err != nil {
		t.Error(err)
	}
	for _, err := range []error{s.Search(t.Context(), look), s.Stream(t.Context(), look)} {
		if enlist.KindOf(err) != enlist.Busy {
			t.Errorf("while all connections are in use, the error is %v, want one of the Kind Busy", err)
		}
	}
	close(release)
	all.Wait()
	if err := errors.Join(s.Search(t.Context(), look), s.Stream(t.Context(), look)); err != nil {
		t.Error(err)
	}
}

// A search that takes longer than SearchTime is interrupted and fails with an error of the Kind Busy.
// If the context of the caller ends first, the search fails with the error of this context.
//
// covers: decision 43
func TestASearchHasATimeLimit(t *testing.T) {
	s := openWith(t, Options{SearchTime: 20 * time.Millisecond})
	forever := func(tx *db.Tx) error {
		for {
			if _, err := accounts.All(tx); err != nil {
				return err
			}
		}
	}
	if err := s.Search(t.Context(), forever); enlist.KindOf(err) != enlist.Busy {
		t.Errorf("after SearchTime the error is %v, want one of the Kind Busy", err)
	}
	gone, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if err := s.Search(gone, forever); !errors.Is(err, context.DeadlineExceeded) || enlist.KindOf(err) == enlist.Busy {
		t.Errorf("after the context ended the error is %v, want the error of the context", err)
	}
	// The last search uses the same connections. It has no time limit, because the limit above is too short
	// for a busy machine.
	s.searches.limiter = db.NewLimiter(1, 0, 0)
	if err := s.Search(t.Context(), func(tx *db.Tx) error { _, err := accounts.All(tx); return err }); err != nil {
		t.Errorf("a search after the interrupted searches fails: %v", err)
	}
}
