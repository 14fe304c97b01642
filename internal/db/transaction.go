package db

import (
	"context"
	"time"

	"enlist/internal/enlist"
)

// This file runs functions in transactions, for a Caller or for the service itself. The
// transaction confirms the key of the Caller. steps.go runs long changes in several
// transactions.

// DB is a database with what a Service needs to run functions in its transactions.
type DB struct {
	Engine
	// Now is the only clock of the services, so that tests can set the time.
	Now func() time.Time
	// Confirm replaces the cached key and Account of a Caller by the current ones. Errors: InvalidKey if the key is
	// unknown or revoked.
	Confirm func(*Tx, *enlist.Caller) error
}

// InView runs fn in a View, after it has confirmed the Caller.
func (db *DB) InView(ctx context.Context, c *enlist.Caller, fn func(*Tx) error) error {
	return db.View(c.Context(ctx), db.Confirmed(c, fn))
}

// View is InView for a function with a result.
func View[R any](ctx context.Context, db *DB, c *enlist.Caller, fn func(*Tx) (R, error)) (result R, err error) {
	err = db.InView(ctx, c, func(tx *Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// ViewUnrestricted is View for a call that is forbidden to keys with a restriction to some Lists.
// Errors: Denied.
func ViewUnrestricted[R any](ctx context.Context, db *DB, c *enlist.Caller,
	fn func(*Tx) (R, error)) (result R, err error) {
	if err := enlist.RequireWholeAccount(c); err != nil {
		return result, err
	}
	return View(ctx, db, c, fn)
}

// OwnView runs fn in a View of the service itself, which has no Caller, and returns its result.
func OwnView[R any](ctx context.Context, db *DB, fn func(*Tx) (R, error)) (result R, err error) {
	err = db.View(ctx, func(tx *Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// Update runs fn in an Update for a caller. With an Idempotency-Key, a repeated call returns
// the result of the first call. fn may run more than once. now is the Unix time.
func Update[R any](ctx context.Context, db *DB, c *enlist.Caller,
	fn func(tx *Tx, now int64) (R, error)) (result R, err error) {
	err = db.Update(ctx, Idempotent(db, c, &result, fn))
	return result, err
}

// UpdateUnrestricted is Update for a call that is forbidden to keys with a restriction to some Lists.
// Errors: Denied.
func UpdateUnrestricted[R any](ctx context.Context, db *DB, c *enlist.Caller,
	fn func(tx *Tx, now int64) (R, error)) (result R, err error) {
	if err := enlist.RequireWholeAccount(c); err != nil {
		return result, err
	}
	return Update(ctx, db, c, fn)
}

// OwnUpdate runs fn in an Update of the service itself, which has no Caller, and returns its
// result. fn may run more than once; now is the Unix time.
func OwnUpdate[R any](ctx context.Context, db *DB, fn func(tx *Tx, now int64) (R, error)) (result R, err error) {
	err = db.Update(ctx, func(tx *Tx) (err error) {
		result, err = fn(tx, db.Now().Unix())
		return err
	})
	return result, err
}

// Change is Update for a function without a result.
func Change(ctx context.Context, db *DB, c *enlist.Caller, fn func(tx *Tx, now int64) error) error {
	_, err := Update(ctx, db, c, withoutResult(fn))
	return err
}

// ChangeUnrestricted is UpdateUnrestricted for a function without a result.
func ChangeUnrestricted(ctx context.Context, db *DB, c *enlist.Caller, fn func(tx *Tx, now int64) error) error {
	_, err := UpdateUnrestricted(ctx, db, c, withoutResult(fn))
	return err
}

// OwnChange is OwnUpdate for a function without a result.
func OwnChange(ctx context.Context, db *DB, fn func(tx *Tx, now int64) error) error {
	_, err := OwnUpdate(ctx, db, withoutResult(fn))
	return err
}

// withoutResult returns a function whose result is true: this is stored under an Idempotency-Key.
func withoutResult(fn func(tx *Tx, now int64) error) func(tx *Tx, now int64) (bool, error) {
	return func(tx *Tx, now int64) (bool, error) { return true, fn(tx, now) }
}

// Confirmed returns a function that confirms the Caller and then runs fn.
func (db *DB) Confirmed(c *enlist.Caller, fn func(*Tx) error) func(*Tx) error {
	return func(tx *Tx) error {
		if err := db.Confirm(tx, c); err != nil {
			return err
		}
		return fn(tx)
	}
}
