package audience

import (
	"context"

	"enlist/internal/enlist"
)

// This file runs functions in transactions, for a Caller or for the service itself. The
// transaction confirms the key of the Caller. transaction_steps.go, contact_search.go and
// precondition.go use this file.

// inView runs fn in a View, after it has confirmed the Caller.
func (s *Service) inView(ctx context.Context, c *enlist.Caller, fn func(*Tx) error) error {
	return s.store.View(c.Context(ctx), confirmed(c, fn))
}

// view is inView for a function with a result.
func view[R any](ctx context.Context, s *Service, c *enlist.Caller, fn func(*Tx) (R, error)) (result R, err error) {
	err = s.inView(ctx, c, func(tx *Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// viewUnrestricted is view for a call that is forbidden to keys with a restriction to some Lists.
// Errors: Denied.
func viewUnrestricted[R any](ctx context.Context, s *Service, c *enlist.Caller, fn func(*Tx) (R, error)) (result R, err error) {
	if err := enlist.RequireWholeAccount(c); err != nil {
		return result, err
	}
	return view(ctx, s, c, fn)
}

// ownView runs fn in a View of the service itself, which has no Caller, and returns its result.
func ownView[R any](ctx context.Context, s *Service, fn func(*Tx) (R, error)) (result R, err error) {
	err = s.store.View(ctx, func(tx *Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// update runs fn in an Update for a caller. With an Idempotency-Key, a repeated call returns
// the result of the first call. fn may run more than once. now is the Unix time.
func update[R any](ctx context.Context, s *Service, c *enlist.Caller,
	fn func(tx *Tx, now int64) (R, error)) (result R, err error) {
	err = s.store.Update(ctx, idempotent(s, c, &result, fn))
	return result, err
}

// updateUnrestricted is update for a call that is forbidden to keys with a restriction to some Lists.
// Errors: Denied.
func updateUnrestricted[R any](ctx context.Context, s *Service, c *enlist.Caller,
	fn func(tx *Tx, now int64) (R, error)) (result R, err error) {
	if err := enlist.RequireWholeAccount(c); err != nil {
		return result, err
	}
	return update(ctx, s, c, fn)
}

// ownUpdate runs fn in an Update of the service itself, which has no Caller, and returns its
// result. fn may run more than once; now is the Unix time.
func ownUpdate[R any](ctx context.Context, s *Service, fn func(tx *Tx, now int64) (R, error)) (result R, err error) {
	err = s.store.Update(ctx, func(tx *Tx) (err error) {
		result, err = fn(tx, s.now().Unix())
		return err
	})
	return result, err
}

// confirmed returns a function that confirms the Caller and then runs fn.
func confirmed(c *enlist.Caller, fn func(*Tx) error) func(*Tx) error {
	return func(tx *Tx) error {
		if err := confirm(tx, c); err != nil {
			return err
		}
		return fn(tx)
	}
}

// confirm replaces the cached key and Account of a Caller by the current ones, which it reads
// in a transaction. Errors: InvalidKey if the key is unknown or revoked.
func confirm(tx *Tx, c *enlist.Caller) error {
	if c.Hash == nil {
		return nil
	}
	key, err := tx.KeyByHash(*c.Hash)
	if err != nil {
		return err
	}
	if key.RevokedTime != 0 {
		return enlist.ErrInvalidKey
	}
	account, err := tx.Account(key.AccountID)
	if err != nil {
		return err
	}
	c.Key, c.Account = key, account
	return nil
}
