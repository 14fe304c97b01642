package contacts_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file tests functions that a store runs twice in one Update. A function must not use data from
// a run that was rolled back.

// rerunningStore runs each function of an Update twice, and rolls the first run back. The PostgreSQL
// store does so after a deadlock. The SQLite store runs the functions of several Updates in one
// transaction. If one of them fails after it wrote, the store rolls the transaction back and runs all
// of them again.
type rerunningStore struct{ db.Engine }

func (s rerunningStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	rollback := errors.New("rolled back")
	err := s.Engine.Update(ctx, func(tx *db.Tx) error { return errors.Join(fn(tx), rollback) })
	if !errors.Is(err, rollback) {
		return err
	}
	return s.Engine.Update(ctx, fn)
}

// rerunFunctions unsubscribes and deletes Contacts in several Updates. If a call continued at the
// position of a run that was rolled back, it would skip Contacts.
func rerunFunctions(o *apptest.Account) {
	t := o.T
	s, _, caller, schema := newListThatNotifies(t, o.Store)
	service := app.New(rerunningStore{s}, time.Now)
	list := addContactsOfOneAddress(t, s, schema, manyContacts)
	if _, err := service.Contacts.Unsubscribe(t.Context(), caller, contacts.UnsubscribeRequest{List: list, Address: "a@example.com"}); err != nil {
		t.Fatal(err)
	}
	wantUnsubscribed(t, s, schema, manyContacts)
	if _, err := service.Contacts.Unsubscribe(t.Context(), caller, contacts.UnsubscribeRequest{Address: "a@example.com"}); err != nil {
		t.Fatal(err)
	}
	wantRowsForAllLists(t, s, schema, manyContacts)
	if n := o.Jobs("notify"); n != 2*manyContacts {
		t.Errorf("%d notifications for %d Contacts, want 2 for each Contact", n, manyContacts)
	}
	if err := service.Contacts.ClearList(t.Context(), caller, list); err != nil {
		t.Fatal(err)
	}
	apptest.WantCounts(t, s, schema, 0)
}

// wantRowsForAllLists checks that each Contact of a List has exactly one ledger row of unsubscribeContact with List 0.
func wantRowsForAllLists(t *testing.T, s db.Engine, schema *enlist.Schema, want int) {
	t.Helper()
	all := 0
	apptest.View(t, s, func(tx *db.Tx) error {
		var ids []enlist.ContactID
		system := enlist.Search{Schema: schema, Columns: enlist.Columns{System: true}}
		err := search.Contacts(tx, &system, func(c *enlist.Contact) error {
			ids = append(ids, c.ID)
			return nil
		})
		for _, id := range ids {
			ledger, failed := contacts.LedgerRows(tx, schema.List.ID, id, 0, 0)
			err = errors.Join(err, failed)
			rows := slices.DeleteFunc(ledger, func(r enlist.LedgerRow) bool { return r.Method != contacts.MethodUnsubscribeAll })
			if len(rows) != 1 {
				t.Errorf("Contact %d has %d rows, want 1", id, len(rows))
			}
			all++
		}
		return err
	})
	if all != want {
		t.Errorf("the List has %d Contacts, want %d", all, want)
	}
}
