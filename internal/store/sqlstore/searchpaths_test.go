package sqlstore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"enlist/internal/audience"
	"enlist/internal/enlist"
	"enlist/internal/store/sqlite"
	"enlist/internal/store/sqlstore"
	"enlist/internal/store/storetest"
)

// The access path of a search changes the speed and not the result: all paths find the same
// Contacts.
func TestAllPathsFindTheSameContacts(t *testing.T) {
	storetest.Search(t, func(t *testing.T) audience.Store {
		store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "paths.db"), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		return everyPath{store}
	})
}

// everyPath is a store that runs each search by all its access paths and compares the results.
type everyPath struct{ audience.Store }

func (w everyPath) View(ctx context.Context, fn func(audience.Tx) error) error {
	return w.Store.View(ctx, func(tx audience.Tx) error { return fn(everyPathTx{tx}) })
}

func (w everyPath) Search(ctx context.Context, fn func(audience.Tx) error) error {
	return w.Store.Search(ctx, func(tx audience.Tx) error { return fn(everyPathTx{tx}) })
}

func (w everyPath) Stream(ctx context.Context, fn func(audience.Tx) error) error {
	return w.Store.Stream(ctx, func(tx audience.Tx) error { return fn(everyPathTx{tx}) })
}

type everyPathTx struct{ audience.Tx }

func (t everyPathTx) SearchContacts(s *enlist.Search, each func(*enlist.Contact) error) error {
	tx := t.Tx.(*sqlstore.Tx)
	var first []enlist.ContactID
	n := 0
	err := tx.EachPath(s, func() error {
		ids := []enlist.ContactID{}
		err := tx.SearchContacts(s, func(c *enlist.Contact) error {
			ids = append(ids, c.ID)
			return nil
		})
		if n++; n == 1 {
			first = ids
		}
		if err == nil && !slices.Equal(first, ids) {
			text, args, _ := tx.SearchStatement(s)
			err = fmt.Errorf("this path finds the IDs %d, the first path finds %d; statement %s, arguments %q",
				ids, first, text, args)
		}
		return err
	})
	if err != nil {
		return err
	}
	return tx.SearchContacts(s, each)
}

func (t everyPathTx) CountContacts(s *enlist.Search) (n int64, err error) {
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
			err = fmt.Errorf("this path counts %d Contacts, the chosen path counts %d; statement %s, arguments %q",
				again, n, text, args)
		}
		return err
	})
	return n, err
}
