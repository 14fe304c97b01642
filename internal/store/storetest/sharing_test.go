package storetest

import (
	"context"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests that the Accounts share the connections of a store.

// sharedConnections starts reads of one Account until no more of them start. A read of another Account
// must still run at once. decisions.md: 43
func sharedConnections(t *testing.T, s db.Engine) {
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
