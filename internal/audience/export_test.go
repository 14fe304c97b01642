package audience

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// FilterBatches returns the clauses of the statement of Batches.
func FilterBatches(tx *db.Tx, account enlist.AccountID, f BatchFilter) (clauses string, args []any, err error) {
	return batchClauses(tx, account, f)
}
