package audience

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"
)

// Service carries out what callers ask for. It is safe for concurrent use.
type Service struct {
	store Store
	now   func() time.Time
	used  keyUse
	needs indexNeeds

	ignored atomic.Int64
}

// NewService makes a Service on a Store, with the one clock that it goes by.
func NewService(store Store, now func() time.Time) *Service {
	s := &Service{store: store, now: now}
	s.needs.rules = DefaultIndexRules()
	return s
}

// change runs fn in an Update. With an Idempotency-Key it runs once per key:
// a repeat gets the first result. decisions.md: 30
func change[R any](ctx context.Context, s *Service, c *Caller, fn func(tx Tx, now int64) (R, error)) (result R, err error) {
	err = s.store.Update(ctx, once(s, c, &result, fn))
	return result, err
}

// once is fn as a function for the Store: it confirms the caller, and looks up
// and keeps the result where there is an Idempotency-Key.
func once[R any](s *Service, c *Caller, result *R, fn func(tx Tx, now int64) (R, error)) func(Tx) error {
	return func(tx Tx) error {
		if err := confirm(tx, c); err != nil {
			return err
		}
		now := s.now().Unix()
		if c.Retry != nil {
			saved, err := tx.ClaimRetry(c.Account.ID, c.Key.ID, c.Retry, now)
			if err == nil {
				return json.Unmarshal(saved, result)
			}
			if KindOf(err) != NotFound {
				return err
			}
		}
		var err error
		if *result, err = fn(tx, now); err != nil || c.Retry == nil {
			return err
		}
		saved, err := json.Marshal(*result)
		if err != nil {
			return err
		}
		return tx.SaveRetry(c.Account.ID, c.Key.ID, c.Retry, saved, now)
	}
}

// loadList returns the schema of a List that the caller may name.
// decisions.md: 11: a List of another Account answers like one that does not exist.
func loadList(tx Tx, c *Caller, id ListID) (*Schema, error) {
	if id <= 0 {
		return nil, ErrNoList
	}
	schema, err := tx.Schema(id)
	if err != nil {
		return nil, err
	}
	if schema.List.AccountID != c.Account.ID {
		return nil, ErrNoList
	}
	if !c.Key.Allows(id) {
		return nil, Refuse(Denied, "this key is restricted to other Lists")
	}
	return schema, nil
}

// wholeAccount refuses keys that are restricted to some Lists. decisions.md: 11
func wholeAccount(c *Caller) error {
	if c.Key.Lists != nil {
		return Refuse(Denied, "this key is restricted to some Lists")
	}
	return nil
}

// Refusals that a Store makes as well as the rules: said once, so that what may
// not be seen answers exactly like what does not exist. decisions.md: 11
var (
	ErrNoList     = Refuse(NoList, "no List with this ID")
	ErrNoContact  = Refuse(NoContact, "no Contact with this ID in the List")
	ErrNoMessage  = Refuse(NoMessage, "no Message with this ID")
	ErrNoLink     = Refuse(NoLink, "the link leads nowhere any more")
	ErrNotFound   = Refuse(NotFound, "there is no such record")
	ErrInvalidKey = Refuse(InvalidKey, "")
)

// RetryLife is how long the result of a call with an Idempotency-Key is kept, in
// seconds. decisions.md: 30
const RetryLife = 24 * 60 * 60

// ForgetRetries removes results of calls with an Idempotency-Key that are over
// a day old. Call it once an hour or so.
func (s *Service) ForgetRetries(ctx context.Context) error {
	return s.store.Update(ctx, func(tx Tx) error { return tx.DeleteRetries(s.now().Unix() - RetryLife) })
}

// IgnoredKeys counts the keys of contact_details that named no Field since the
// start. decisions.md: 20
func (s *Service) IgnoredKeys() int64 { return s.ignored.Load() }

// RetryTx stores the results of calls by their Idempotency-Key, in a transaction.
// decisions.md: 30
type RetryTx interface {
	// ClaimRetry returns the result that was stored for a repeated call. Its error is
	// of kind NotFound for a first call, and InvalidParameters when the key was used
	// with other parameters. In an Update, another call with the same key waits until
	// this transaction ends. now is in Unix seconds.
	ClaimRetry(account AccountID, key KeyID, r *Retry, now int64) (result []byte, err error)
	// SaveRetry stores the result of a call, in place of an older one of the same key.
	SaveRetry(account AccountID, key KeyID, r *Retry, result []byte, now int64) error
	// DeleteRetries removes the results that were stored before a Unix time.
	DeleteRetries(before int64) error
}
