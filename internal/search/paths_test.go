package search_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"enlist/internal/db"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
	"enlist/internal/search"
	"enlist/internal/search/searchtest"
)

// The access path of a search changes the speed and not the result: all paths find the same
// Contacts.
func TestAllPathsFindTheSameContacts(t *testing.T) {
	searchtest.Search(t, func(t *testing.T) db.Engine {
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "paths.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		return everyPath{store}
	})
}

// everyPath is a store that runs each search by all its access paths and compares the results.
type everyPath struct{ db.Engine }

func (w everyPath) View(ctx context.Context, fn func(*db.Tx) error) error {
	return w.Engine.View(ctx, checked(fn))
}

func (w everyPath) Search(ctx context.Context, fn func(*db.Tx) error) error {
	return w.Engine.Search(ctx, checked(fn))
}

func (w everyPath) Stream(ctx context.Context, fn func(*db.Tx) error) error {
	return w.Engine.Stream(ctx, checked(fn))
}

func checked(fn func(*db.Tx) error) func(*db.Tx) error {
	return func(tx *db.Tx) error { return fn(search.ChooseBy(tx, everyPathFindsTheSame)) }
}

// everyPathFindsTheSame runs a search by all its access paths, and counts its Contacts if it has criteria.
func everyPathFindsTheSame(tx *db.Tx, s *enlist.Search) error {
	var first []enlist.ContactID
	var count int64
	n := 0
	return search.EachPath(tx, s, func() error {
		ids, counted := []enlist.ContactID{}, int64(0)
		var err error
		if s.Counted {
			counted, err = search.Count(tx, s)
		} else {
			err = search.Contacts(tx, s, func(c *enlist.Contact) error {
				ids = append(ids, c.ID)
				return nil
			})
		}
		if n++; n == 1 {
			first, count = ids, counted
		}
		if err == nil && (!slices.Equal(first, ids) || counted != count) {
			q, _ := search.Statement(tx, s)
			err = fmt.Errorf("this path finds the IDs %d and counts %d, the first path %d and %d; statement %s, arguments %q",
				ids, counted, first, count, q.Text, q.Args)
		}
		return err
	})
}
