package db

import (
	"context"
	"errors"

	"enlist/internal/enlist"
)

// This file runs a search again in another kind of transaction, if it is too slow for the first one or its reply is too
// long.

// Phase is the kind of transaction in which a search runs. A search that is too slow for its
// phase, or whose reply is too long, runs again in a later phase. So look-ups of other
// callers do not wait for slow searches.
type Phase int

// The phases, in the order in which a search runs in them.
const (
	LookingUp Phase = iota // in a View: the search uses an index, and the reply is short
	Searching              // in a Search: the reply is short
	Streaming              // in a Stream
)

// ErrSlow ends a View whose search has no index.
var ErrSlow = errors.New("the search may look at every Contact")

// InPhases confirms the Caller and runs find in the phase first, which is LookingUp or Searching. It runs find again in
// a Search if find returned ErrSlow, and in a Stream if find returned ErrReplyTooLong.
func (db *DB) InPhases(ctx context.Context, c *enlist.Caller, first Phase, find func(*Tx, Phase) error) error {
	in := func(p Phase) func(*Tx) error {
		return db.Confirmed(c, func(tx *Tx) error { return find(tx, p) })
	}
	ctx = c.Context(ctx)
	err := ErrSlow
	if first == LookingUp {
		err = db.View(ctx, in(LookingUp))
	}
	if errors.Is(err, ErrSlow) {
		err = db.Search(ctx, in(Searching))
	}
	if errors.Is(err, enlist.ErrReplyTooLong) {
		err = db.Stream(ctx, in(Streaming))
	}
	return err
}
