package audience

import (
	"context"
	"encoding/json"

	"enlist/internal/enlist"
)

// This file executes a call with an Idempotency-Key only once. The transaction of the change
// also stores the result, and a repeated call returns the stored result.

// idempotent returns a function for Store.Update. The function confirms the caller's key and
// runs fn. If the call has an Idempotency-Key, it stores the result of fn, or returns the
// stored result of an earlier call without running fn.
func idempotent[R any](db *DB, c *enlist.Caller, result *R, fn func(tx *Tx, now int64) (R, error)) func(*Tx) error {
	return func(tx *Tx) error {
		if err := db.Confirm(tx, c); err != nil {
			return err
		}
		now := db.Now().Unix()
		if c.Retry != nil {
			saved, err := tx.ClaimRetry(c.Account.ID, c.Key.ID, c.Retry, now)
			if err == nil {
				return json.Unmarshal(saved, result)
			}
			if enlist.KindOf(err) != enlist.NotFound {
				return err
			}
		}
		var err error
		*result, err = fn(tx, now)
		if err != nil || c.Retry == nil {
			return err
		}
		saved, err := json.Marshal(*result)
		if err != nil {
			return err
		}
		return tx.SaveRetry(c.Account.ID, c.Key.ID, c.Retry, saved, now)
	}
}

// RetryLife is how long the result of a call with an Idempotency-Key is kept, in
// seconds. reference.md: idempotency
const RetryLife = 24 * 60 * 60

// retryBatch is the number of results that one transaction removes, in about 10 ms. A result can have a
// megabyte (savePlan). On SQLite no other caller can write while a transaction removes results.
const retryBatch = 200

// DeleteExpiredRetries removes results that are older than RetryLife, in batches. Call it
// about once an hour.
func (s *Service) DeleteExpiredRetries(ctx context.Context) error {
	before := s.db.Now().Unix() - RetryLife
	for {
		deleted, err := ownUpdate(ctx, s.db, func(tx *Tx, _ int64) (int64, error) {
			return tx.DeleteRetries(before, retryBatch)
		})
		if err != nil || deleted < retryBatch {
			return err
		}
	}
}
