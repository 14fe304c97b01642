package app

import (
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// FilterBatches returns the clauses of the statement of Batches.
func FilterBatches(tx *db.Tx, account enlist.AccountID, f batches.BatchFilter) (clauses string, args []any, err error) {
	return batches.BatchClauses(tx, account, f)
}
