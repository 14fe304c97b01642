package audience

import (
	"context"
	"sync"
)

// This file checks the API key of a call, and records when keys were last used.

// keyUse collects when keys were used, so that this is stored once a minute and not
// with each call. mu guards when.
type keyUse struct {
	mu   sync.Mutex
	when map[KeyID]int64
}

// Authenticate returns the Caller of a key's text. Errors: InvalidKey when the key is
// unknown, expired or revoked. It takes a cached key as it is: the transaction of the
// call confirms it. Before an answer without a transaction, also a refusal, call
// Recheck. decisions.md: 9, 11
func (s *Service) Authenticate(ctx context.Context, text string) (*Caller, error) {
	if !ValidKeyText(text) {
		return nil, ErrInvalidKey
	}
	hash := HashKey(text)
	c := &Caller{hash: &hash}
	var cached bool
	if c.Key, c.Account, cached = s.store.CachedKey(hash); !cached {
		if err := s.Recheck(ctx, c); err != nil {
			return nil, err
		}
	}
	now := s.now().Unix()
	if !c.Key.valid(now) {
		return nil, ErrInvalidKey
	}
	s.used.note(c.Key.ID, now)
	return c, nil
}

// Recheck asks the database whether a Caller's key is still valid. Errors: InvalidKey.
func (s *Service) Recheck(ctx context.Context, c *Caller) error {
	return s.view(ctx, c, func(Tx) error { return nil })
}

// valid reports whether a key is neither revoked nor expired at a Unix time.
func (k *Key) valid(now int64) bool {
	return k.RevokedTime == 0 && (k.ExpiryTime == 0 || k.ExpiryTime > now)
}

// confirm replaces the cached key and Account of a Caller by those of a transaction.
// Errors: InvalidKey.
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

// view runs fn in a View, after it has confirmed the Caller.
func (s *Service) view(ctx context.Context, c *Caller, fn func(Tx) error) error {
	return s.store.View(ctx, confirmed(c, fn))
}

// view is Service.view for a function with a result.
func view[R any](ctx context.Context, s *Service, c *Caller, fn func(Tx) (R, error)) (result R, err error) {
	err = s.view(ctx, c, func(tx Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// viewUnrestricted is view for a call that a key restricted to some Lists must not make. Errors: Denied.
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

// confirmed makes a function that confirms the Caller before it runs fn.
func confirmed(c *Caller, fn func(Tx) error) func(Tx) error {
	return func(tx Tx) error {
		if err := confirm(tx, c); err != nil {
			return err
		}
		return fn(tx)
	}
}

// WriteKeyUse stores when keys were last used. Call it once a minute and when stopping.
func (s *Service) WriteKeyUse(ctx context.Context) error {
	used := s.used.take()
	if len(used) == 0 {
		return nil
	}
	return s.store.Update(ctx, func(tx Tx) error { return tx.TouchKeys(used) })
}

func (u *keyUse) note(id KeyID, at int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.when == nil {
		u.when = make(map[KeyID]int64)
	}
	u.when[id] = at
}

func (u *keyUse) take() map[KeyID]int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	used := u.when
	u.when = nil
	return used
}
