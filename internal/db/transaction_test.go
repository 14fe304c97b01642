package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests that the Accounts share the connections of a store.

// covers: spec idempotency, decision 43
func TestStore(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewStore, []apptest.Rule[apptest.Store]{
		{Name: "a repeated call within a day gets the saved result", Test: retries},
		{Name: "expired results of calls are removed in batches", Test: expiredRetries},
		{Name: "nothing that a failed function wrote is stored", Test: failedUpdate},
		{Name: "reads of one Account leave half of the connections to other Accounts", Test: sharedConnections},
	})
}

func failedUpdate(o apptest.Store) {
	t, s := o.T, o.Engine
	schema := apptest.NewSchema(t, s)
	refused := errors.New("refused")
	err := s.Update(t.Context(), func(tx *db.Tx) error {
		if _, err := contacts.Insert(tx, apptest.NewContact(schema, "a@example.com")); err != nil {
			return err
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("error %v, want the error that the function returned", err)
	}
	apptest.WantCounts(t, s, schema, 0)
	apptest.View(t, s, func(tx *db.Tx) error {
		_, err := contacts.ByKey(tx, schema.List.ID, "a@example.com")
		apptest.WantKind(t, "Contact of a failed Update", err, enlist.NoContact)
		return nil
	})
}

// sharedConnections starts reads of one Account until no more of them start. A read of another Account
// must still run at once. decisions.md: 43
func sharedConnections(o apptest.Store) {
	t, s := o.T, o.Engine
	for _, c := range []struct {
		name string
		read func(context.Context, func(*db.Tx) error) error
	}{
		{"View", s.View}, {"Search", s.Search}, {"Stream", s.Stream}, {"ViewPrimary", s.ViewPrimary},
	} {
		ctx, cancel := context.WithCancel(enlist.WithAccount(t.Context(), 1))
		inside, ended := make(chan bool), make(chan error)
		hold := func(*db.Tx) error { inside <- true; <-ctx.Done(); return nil }
		const calls = 1000 // more than a store has connections
		for range calls {
			go func() { ended <- c.read(ctx, hold) }()
		}
		for held, idle := 0, false; !idle; {
			select {
			case <-inside:
				held++
			case <-time.After(100 * time.Millisecond): // too short on a busy machine: then fewer reads are held
				idle = held > 0
			}
		}
		other := enlist.WithAccount(t.Context(), 2)
		if err := c.read(other, func(tx *db.Tx) error { _, err := accounts.All(tx); return err }); err != nil {
			t.Errorf("%s of another Account: %v, want no error", c.name, err)
		}
		cancel()
		for n := 0; n < calls; {
			select {
			case <-inside:
			case <-ended: // most reads end with the error of their context
				n++
			}
		}
	}
}
