package accounts

import (
	"context"

	"enlist/internal/db"
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
