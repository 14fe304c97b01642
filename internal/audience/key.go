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
// it is unknown, expired or revoked. decisions.md: 9, 11
func (s *Service) Authenticate(ctx context.Context, text string) (*Caller, error) {
	if !ValidKeyText(text) {
		return nil, errInvalidKey
	}
	var c Caller
	err := s.store.View(ctx, func(tx Tx) error {
		key, err := tx.KeyByHash(HashKey(text))
		if err != nil {
			return err
		}
		c.Key = key
		c.Account, err = tx.Account(key.AccountID)
		return err
	})
	if err != nil {
		return nil, err
	}
	now := s.now().Unix()
	if c.Key.RevokedTime != 0 || c.Key.ExpiryTime != 0 && c.Key.ExpiryTime <= now {
		return nil, errInvalidKey
	}
	s.used.note(c.Key.ID, now)
	return &c, nil
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

var errInvalidKey = Refuse(InvalidKey, "")
