package audience

import (
	"context"
	"time"

	"enlist/internal/enlist"
)

// This file runs functions in transactions, for a Caller or for the service itself. The
// transaction confirms the key of the Caller. transaction_steps.go, contact_search.go and
// precondition.go use this file.

// DB is a database with what a Service needs to run functions in its transactions.
type DB struct {
	Store
	// Now is the only clock of the services, so that tests can set the time.
	Now func() time.Time
	// Confirm replaces the cached key and Account of a Caller by the current ones. Errors: InvalidKey if the key is
	// unknown or revoked.
	Confirm func(*Tx, *enlist.Caller) error
}

// inView runs fn in a View, after it has confirmed the Caller.
func (db *DB) inView(ctx context.Context, c *enlist.Caller, fn func(*Tx) error) error {
	return db.View(c.Context(ctx), db.confirmed(c, fn))
}

// view is inView for a function with a result.
func view[R any](ctx context.Context, db *DB, c *enlist.Caller, fn func(*Tx) (R, error)) (result R, err error) {
	err = db.inView(ctx, c, func(tx *Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// viewUnrestricted is view for a call that is forbidden to keys with a restriction to some Lists.
// Errors: Denied.
func viewUnrestricted[R any](ctx context.Context, db *DB, c *enlist.Caller, fn func(*Tx) (R, error)) (result R, err error) {
	if err := enlist.RequireWholeAccount(c); err != nil {
		return result, err
	}
	return view(ctx, db, c, fn)
}

// ownView runs fn in a View of the service itself, which has no Caller, and returns its result.
func ownView[R any](ctx context.Context, db *DB, fn func(*Tx) (R, error)) (result R, err error) {
	err = db.View(ctx, func(tx *Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// update runs fn in an Update for a caller. With an Idempotency-Key, a repeated call returns
// the result of the first call. fn may run more than once. now is the Unix time.
func update[R any](ctx context.Context, db *DB, c *enlist.Caller,
	fn func(tx *Tx, now int64) (R, error)) (result R, err error) {
	err = db.Update(ctx, idempotent(db, c, &result, fn))
	return result, err
}

// updateUnrestricted is update for a call that is forbidden to keys with a restriction to some Lists.
// Errors: Denied.
func updateUnrestricted[R any](ctx context.Context, db *DB, c *enlist.Caller,
	fn func(tx *Tx, now int64) (R, error)) (result R, err error) {
	if err := enlist.RequireWholeAccount(c); err != nil {
		return result, err
	}
	return update(ctx, db, c, fn)
}

// ownUpdate runs fn in an Update of the service itself, which has no Caller, and returns its
// result. fn may run more than once; now is the Unix time.
func ownUpdate[R any](ctx context.Context, db *DB, fn func(tx *Tx, now int64) (R, error)) (result R, err error) {
	err = db.Update(ctx, func(tx *Tx) (err error) {
		result, err = fn(tx, db.Now().Unix())
		return err
	})
	return result, err
}

// confirmed returns a function that confirms the Caller and then runs fn.
func (db *DB) confirmed(c *enlist.Caller, fn func(*Tx) error) func(*Tx) error {
	return func(tx *Tx) error {
		if err := db.Confirm(tx, c); err != nil {
			return err
		}
		return fn(tx)
	}
}
