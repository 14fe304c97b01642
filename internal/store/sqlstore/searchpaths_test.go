package sqlstore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/sqlite"
	"enlist/internal/store/sqlstore"
	"enlist/internal/store/storetest"
)

// Which of its ways a search goes is a matter of speed: all find the same.
func TestAllWaysFindTheSame(t *testing.T) {
	storetest.Search(t, func(t *testing.T) audience.Store {
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ways.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		return ways{store}
	})
}

// ways is a store that searches in all ways.
type ways struct{ audience.Store }

func (w ways) View(ctx context.Context, fn func(audience.Tx) error) error {
	return w.Store.View(ctx, func(tx audience.Tx) error { return fn(waysTx{tx}) })
}

func (w ways) Search(ctx context.Context, fn func(audience.Tx) error) error {
	return w.Store.Search(ctx, func(tx audience.Tx) error { return fn(waysTx{tx}) })
}

func (w ways) Stream(ctx context.Context, fn func(audience.Tx) error) error {
	return w.Store.Stream(ctx, func(tx audience.Tx) error { return fn(waysTx{tx}) })
}

type waysTx struct{ audience.Tx }

func (t waysTx) SearchContacts(s *audience.Search, each func(*audience.Contact) error) error {
	tx := t.Tx.(*sqlstore.Tx)
	var first []audience.ContactID
	n := 0
	err := tx.EachPath(s, func() error {
		ids := []audience.ContactID{}
		err := tx.SearchContacts(s, func(c *audience.Contact) error {
			ids = append(ids, c.ID)
			return nil
		})
		if n++; n == 1 {
			first = ids
		}
		if err == nil && !slices.Equal(first, ids) {
			text, args, _ := tx.SearchStatement(s)
			err = fmt.Errorf("found %d, before %d, by %s, %q", ids, first, text, args)
		}
		return err
	})
	if err != nil {
		return err
	}
	return tx.SearchContacts(s, each)
}

func (t waysTx) CountContacts(s *audience.Search) (n int64, err error) {
	tx := t.Tx.(*sqlstore.Tx)
	if s.Where == nil {
		return tx.CountContacts(s)
	}
	if n, err = tx.CountContacts(s); err != nil {
		return n, err
	}
	err = tx.EachPath(s, func() error {
		again, err := tx.CountContacts(s)
		if err == nil && again != n {
			text, args, _ := tx.SearchStatement(s)
			err = fmt.Errorf("counted %d, before %d, by %s, %q", again, n, text, args)
		}
		return err
	})
	return n, err
}
