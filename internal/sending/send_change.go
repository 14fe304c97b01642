package sending

import (
	"cmp"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file stores what a transaction changes for the recipients of Batches, and adds it to the numbers of the Batches.

type batchChanges []*recipients.Change

// of returns the change for a slice, and locks its List.
func (b *batchChanges) of(tx *db.Tx, s *LeasedSlice) (*recipients.Change, error) {
	i := slices.IndexFunc(*b, func(c *recipients.Change) bool { return c.List == s.List && c.Batch == s.Batch })
	if i >= 0 {
		return (*b)[i], nil
	}
	change := &recipients.Change{List: s.List, Batch: s.Batch}
	*b = append(*b, change)
	return change, tx.LockListForBulk(s.List)
}

func (b batchChanges) storeStatuses(tx *db.Tx, now int64) error {
	for _, c := range b {
		if err := c.StoreStatuses(tx, now); err != nil {
			return err
		}
	}
	return nil
}

// storeNumbers adds the numbers to the Batches, in order of ID, so that two transactions cannot deadlock. It pauses a
// Batch if too many of its last mails bounced.
func (b batchChanges) storeNumbers(tx *db.Tx, now int64) error {
	slices.SortFunc(b, func(x, y *recipients.Change) int { return cmp.Compare(x.Batch, y.Batch) })
	for _, c := range b {
		counts, domains := c.HasNumbers()
		switch {
		case counts:
			if err := batches.AddToBatch(tx, c.Batch, c.Counts, now); err != nil {
				return err
			}
		case domains: // mails were only deferred: the row of the Batch is locked before they are counted
			if _, err := batches.LockBatch(tx, c.Batch); err != nil {
				return enlist.IgnoreKind(enlist.NoBatch, err)
			}
		}
		if err := c.StoreNumbers(tx, now); err != nil {
			return err
		}
		if c.Counts.Refused > 0 {
			if err := batches.PauseReported(tx, c.Batch); err != nil {
				return err
			}
		}
	}
	return nil
}
