package accounts

import (
	"context"
	"sync"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file checks the API key of a call, and records when keys were last used.

// keyUse collects the times at which keys were used. The server stores them once a minute, not
// in each call. mu guards when.
type keyUse struct {
	mu   sync.Mutex
	when map[enlist.KeyID]int64
}

// Authenticate returns the Caller for a key's text. Errors: InvalidKey if the key is unknown,
// expired or revoked. It accepts a cached key without asking the database, because the
// transaction of the call confirms the key. Before the server answers a call without a
// transaction, even with a refusal, it must call Recheck. reference.md: auth.issue, auth.restricted
func (s *Service) Authenticate(ctx context.Context, text string) (*enlist.Caller, error) {
	if !enlist.ValidKeyText(text) {
		return nil, enlist.ErrInvalidKey
	}
	hash := enlist.HashKey(text)
	c := &enlist.Caller{Hash: &hash}
	var cached bool
	c.Key, c.Account, cached = s.db.Cache().Key(hash)
	if !cached {
		if err := s.Recheck(ctx, c); err != nil {
			return nil, err
		}
	}
	now := s.db.Now().Unix()
	if !c.Key.Valid(now) {
		return nil, enlist.ErrInvalidKey
	}
	s.used.note(c.Key.ID, now)
	return c, nil
}

// Recheck asks the database whether a Caller's key is still valid. Errors: InvalidKey.
func (s *Service) Recheck(ctx context.Context, c *enlist.Caller) error {
	return s.db.InView(ctx, c, func(*db.Tx) error { return nil })
}

// Session checks a Caller's key as Recheck does, and returns the Unix time at which the session began: now, because
// each call is a session of its own.
func (s *Service) Session(ctx context.Context, c *enlist.Caller) (start int64, err error) {
	return s.db.Now().Unix(), s.Recheck(ctx, c)
}

// WriteKeyUse stores when keys were last used. Call it once a minute and when the server stops.
func (s *Service) WriteKeyUse(ctx context.Context) error {
	used := s.used.take()
	if len(used) == 0 {
		return nil
	}
	return s.db.Update(ctx, func(tx *db.Tx) error { return TouchKeys(tx, used) })
}

func (u *keyUse) note(id enlist.KeyID, at int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.when == nil {
		u.when = make(map[enlist.KeyID]int64)
	}
	u.when[id] = at
}

// take returns the times that were recorded after the last take, or nil if there are none.
func (u *keyUse) take() map[enlist.KeyID]int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	used := u.when
	u.when = nil
	return used
}

// Confirm replaces the cached key and Account of a Caller by the current ones, which it reads
// in a transaction. Errors: InvalidKey if the key is unknown or revoked.
func Confirm(tx *db.Tx, c *enlist.Caller) error {
	if c.Hash == nil {
		return nil
	}
	key, err := KeyByHash(tx, *c.Hash)
	if err != nil {
		return err
	}
	if key.RevokedTime != 0 {
		return enlist.ErrInvalidKey
	}
	account, err := ByID(tx, key.AccountID)
	if err != nil {
		return err
	}
	c.Key, c.Account = key, account
	return nil
}
