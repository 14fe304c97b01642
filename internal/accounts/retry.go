package accounts

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// retryBatch is the number of results that one transaction removes, in about 10 ms. A result can have a
// megabyte (SavePlan). On SQLite no other caller can write while a transaction removes results.
const retryBatch = 200

// DeleteExpiredRetries removes results that are older than RetryLife, in batches. Call it
// about once an hour.
func (s *Service) DeleteExpiredRetries(ctx context.Context) error {
	before := s.db.Now().Unix() - db.RetryLife
	for {
		deleted, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (int64, error) {
			return tx.DeleteRetries(before, retryBatch)
		})
		if err != nil || deleted < retryBatch {
			return err
		}
	}
}

// EraseRetry removes the result of a call with an Idempotency-Key.
func EraseRetry(tx *db.Tx, account enlist.AccountID, key enlist.KeyID, header string) error {
	const remove = "DELETE FROM retry WHERE account_id = ? AND key_id = ? AND header = ?"
	return tx.Do(remove, int64(account), int64(key), header)
}
