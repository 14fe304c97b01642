package audience

import "context"

// This file runs functions in transactions, for a Caller or for the service itself. The
// transaction confirms the key of the Caller. transaction_steps.go, contact_search.go and
// precondition.go use this file.

// inView runs fn in a View, after it has confirmed the Caller.
func (s *Service) inView(ctx context.Context, c *Caller, fn func(Tx) error) error {
	return s.store.View(c.with(ctx), confirmed(c, fn))
}

// accountKey is the key of the Account in a context.
type accountKey struct{}

// with returns a context for the transactions of the Caller.
func (c *Caller) with(ctx context.Context) context.Context {
	if c.Account == nil {
		return ctx // the key was not in the cache
	}
	return WithAccount(ctx, c.Account.ID)
}

// WithAccount returns a context for transactions of an Account. A Store divides its connections
// between the Accounts.
func WithAccount(ctx context.Context, id AccountID) context.Context {
	return context.WithValue(ctx, accountKey{}, id)
}

// AccountOf returns the Account for which a transaction with this context runs. It returns 0 for
// a transaction of the service itself.
func AccountOf(ctx context.Context) AccountID {
	id, _ := ctx.Value(accountKey{}).(AccountID)
	return id
}

// view is inView for a function with a result.
func view[R any](ctx context.Context, s *Service, c *Caller, fn func(Tx) (R, error)) (result R, err error) {
	err = s.inView(ctx, c, func(tx Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// viewUnrestricted is view for a call that is forbidden to keys with a restriction to some Lists.
// Errors: Denied.
func viewUnrestricted[R any](ctx context.Context, s *Service, c *Caller, fn func(Tx) (R, error)) (result R, err error) {
	if err := requireWholeAccount(c); err != nil {
		return result, err
	}
	return view(ctx, s, c, fn)
}

// ownView runs fn in a View of the service itself, which has no Caller, and returns its result.
func ownView[R any](ctx context.Context, s *Service, fn func(Tx) (R, error)) (result R, err error) {
	err = s.store.View(ctx, func(tx Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// update runs fn in an Update for a caller. With an Idempotency-Key, a repeated call returns
// the result of the first call. fn may run more than once. now is the Unix time.
func update[R any](ctx context.Context, s *Service, c *Caller,
	fn func(tx Tx, now int64) (R, error)) (result R, err error) {
	err = s.store.Update(ctx, idempotent(s, c, &result, fn))
	return result, err
}

// updateUnrestricted is update for a call that is forbidden to keys with a restriction to some Lists.
// Errors: Denied.
func updateUnrestricted[R any](ctx context.Context, s *Service, c *Caller,
	fn func(tx Tx, now int64) (R, error)) (result R, err error) {
	if err := requireWholeAccount(c); err != nil {
		return result, err
	}
	return update(ctx, s, c, fn)
}

// ownUpdate runs fn in an Update of the service itself, which has no Caller, and returns its
// result. fn may run more than once; now is the Unix time.
func ownUpdate[R any](ctx context.Context, s *Service, fn func(tx Tx, now int64) (R, error)) (result R, err error) {
	err = s.store.Update(ctx, func(tx Tx) (err error) {
		result, err = fn(tx, s.now().Unix())
		return err
	})
	return result, err
}

// confirmed returns a function that confirms the Caller and then runs fn.
func confirmed(c *Caller, fn func(Tx) error) func(Tx) error {
	return func(tx Tx) error {
		if err := confirm(tx, c); err != nil {
			return err
		}
		return fn(tx)
	}
}

// confirm replaces the cached key and Account of a Caller by the current ones, which it reads
// in a transaction. Errors: InvalidKey if the key is unknown or revoked.
func confirm(tx Tx, c *Caller) error {
	if c.hash == nil {
		return nil
	}
	key, err := tx.KeyByHash(*c.hash)
	if err != nil {
		return err
	}
	if key.RevokedTime != 0 {
		return ErrInvalidKey
	}
	account, err := tx.Account(key.AccountID)
	if err != nil {
		return err
	}
	c.Key, c.Account = key, account
	return nil
}
