package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"enlist/internal/audience"
)

// This file tests functions that a store runs twice in one Update. A function must not use data from
// a run that was rolled back.

// rerunningStore runs each function of an Update twice, and rolls the first run back. The PostgreSQL
// store does so after a deadlock. The SQLite store runs the functions of several Updates in one
// transaction. If one of them fails after it wrote, the store rolls the transaction back and runs all
// of them again.
type rerunningStore struct{ audience.Store }

func (s rerunningStore) Update(ctx context.Context, fn func(audience.Tx) error, hint ...audience.InsertsContact) error {
	rollback := errors.New("rolled back")
	err := s.Store.Update(ctx, func(tx audience.Tx) error { return errors.Join(fn(tx), rollback) })
	if !errors.Is(err, rollback) {
		return err
	}
	return s.Store.Update(ctx, fn, hint...)
}

// rerunFunctions unsubscribes and deletes Contacts in several Updates. If a call continued at the
// position of a run that was rolled back, it would skip Contacts.
func rerunFunctions(t *testing.T, e Engine) {
	s, _, caller, schema := newListThatNotifies(t, e)
	service := audience.NewService(rerunningStore{s}, time.Now)
	list := addContactsOfOneAddress(t, s, schema, manyContacts)
	if _, err := service.Unsubscribe(t.Context(), caller, list, "a@example.com"); err != nil {
		t.Fatal(err)
	}
	wantUnsubscribed(t, s, schema, manyContacts)
	if n := e.Jobs(t, s, "notify"); n != 2*manyContacts {
		t.Errorf("%d notifications for %d Contacts, want 2 for each Contact", n, manyContacts)
	}
	if err := service.ClearList(t.Context(), caller, list); err != nil {
		t.Fatal(err)
	}
	wantCounts(t, s, schema, 0)
}
