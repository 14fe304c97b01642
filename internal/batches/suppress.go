package batches

import (
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// withoutSuppressed returns the candidates that are not suppressed, and counts the others.
func withoutSuppressed(tx *db.Tx, list *enlist.List, all []contacts.Candidate,
	counts *BatchCounts) ([]contacts.Candidate, error) {
	ids, err := contacts.Suppressed(tx, list, all)
	counts.LeftSuppressed += int64(len(ids))
	return without(all, ids), err
}
