package audience

import (
	"context"
	"sync"
)

// keyUse remembers when keys were used until it is written down: one write a
// minute, not one a call.
type keyUse struct {
	mu   sync.Mutex
	when map[KeyID]int64
}

// Authenticate finds the Caller that a key's text belongs to. InvalidKey when
// it is unknown, expired or revoked. Most keys have been seen before, and are
// taken as they were then: the transaction of the call itself looks whether that
// still holds. What is answered without one, refusals too, asks Recheck first.
// decisions.md: 9, 11
func (s *Service) Authenticate(ctx context.Context, text string) (*Caller, error) {
	if !ValidKeyText(text) {
		return nil, ErrInvalidKey
	}
	hash := HashKey(text)
	c := &Caller{hash: &hash}
	var known bool
	if c.Key, c.Account, known = s.store.CachedKey(hash); !known {
		if err := s.Recheck(ctx, c); err != nil {
			return nil, err
		}
	}
	now := s.now().Unix()
	if !c.Key.good(now) {
		return nil, ErrInvalidKey
	}
	s.used.note(c.Key.ID, now)
	return c, nil
}

// Recheck looks whether a Caller's key is still good. InvalidKey when it is not.
func (s *Service) Recheck(ctx context.Context, c *Caller) error {
	return s.view(ctx, c, func(Tx) error { return nil })
}

// good reports whether a key is neither revoked nor expired.
func (k *Key) good(now int64) bool {
	return k.RevokedTime == 0 && (k.ExpiryTime == 0 || k.ExpiryTime > now)
}

// confirm brings a Caller up to date with what a transaction sees.
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

// view runs fn for a Caller in a View.
func (s *Service) view(ctx context.Context, c *Caller, fn func(Tx) error) error {
	return s.store.View(ctx, confirmed(c, fn))
}

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
