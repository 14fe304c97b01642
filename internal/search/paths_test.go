package search_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

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
		return store
	}, func(tx *db.Tx, s *enlist.Search, _ time.Duration) {
		if err := everyPathFindsTheSame(tx, s); err != nil {
			t.Error(err)
		}
	})
}

// everyPathFindsTheSame runs a search by all its access paths, and counts its Contacts if it is a count.
func everyPathFindsTheSame(tx *db.Tx, s *enlist.Search) error {
	var first []enlist.ContactID
	var count int64
	n := 0
	return search.EachPath(tx, s, func(p *search.Planned) error {
		ids, counted := []enlist.ContactID{}, int64(0)
		var err error
		if s.Counted {
			counted, err = p.Count()
		} else {
			err = p.Contacts(func(c *enlist.Contact) error {
				ids = append(ids, c.ID)
				return nil
			})
		}
		if n++; n == 1 {
			first, count = ids, counted
		}
		if err == nil && (!slices.Equal(first, ids) || counted != count) {
			err = fmt.Errorf("this path finds the IDs %d and counts %d, the first path %d and %d; statement %s",
				ids, counted, first, count, p.Text())
		}
		return err
	})
}
