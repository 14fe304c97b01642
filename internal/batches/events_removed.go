package batches

import (
	"slices"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/recipients"
)

// EventBatchesOf returns the Batches whose opens or clicks decide about the recipients of a Batch, in order of ID.
func EventBatchesOf(tx *db.Tx, populations []Population, exclude *enlist.Criteria) (ids []enlist.BatchID, err error) {
	for i := range populations {
		p := &populations[i]
		schema, err := lists.Schema(tx, p.List)
		if enlist.KindOf(err) == enlist.NoList {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, criteria := range []*enlist.Criteria{p.Criteria, exclude} {
			where, err := contacts.Condition(tx, schema, criteria)
			if err == nil { // criteria that no longer fit the Fields pause the Batch
				ids = append(ids, where.EventBatches()...)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// CheckHasRows refuses rows of a kind that a Retention has removed from the Batch. The Batch of an autoresponder has
// the opens and clicks of its younger mails.
func (b *Batch) CheckHasRows(kind recipients.EventKind) error {
	if b.EventsRemoved == 0 {
		return nil
	}
	switch kind {
	case recipients.RowsNotOpened:
		return contacts.ErrEventsRemoved(b.ID)
	case recipients.EventOpened, recipients.EventClicked, recipients.EventLink:
		if b.Status != BatchRunning {
			return contacts.ErrEventsRemoved(b.ID)
		}
	}
	return nil
}

// HasNoEvents reports whether the opens and clicks of a recipient were removed, so that a late one must not be counted.
func (b *Batch) HasNoEvents(r *recipients.Recipient) bool {
	if b.Status == BatchRunning {
		return r.Sent < b.EventsRemoved
	}
	return b.EventsRemoved != 0
}

// WithEvents returns the Batches of an Account from which not all opens and clicks were removed.
func WithEvents(tx *db.Tx, account enlist.AccountID) ([]Batch, error) {
	return batchTable.All(tx, `WHERE account_id = ? AND (status IN ('completed', 'failed', 'cancelled')
		AND events_removed <= 0 OR status = 'running') ORDER BY id`, int64(account))
}

// WithTexts returns the Batches of an Account from whose recipients not all texts were removed.
func WithTexts(tx *db.Tx, account enlist.AccountID) ([]Batch, error) {
	return batchTable.All(tx, `WHERE account_id = ? AND status IN ('completed', 'failed', 'cancelled', 'running')
		AND texts_removed = 0 ORDER BY id`, int64(account))
}

// MarkEventsRemoved marks a Batch whose events are being removed. The UPDATE waits for a transaction that has locked
// the row.
func MarkEventsRemoved(tx *db.Tx, batch enlist.BatchID, at int64) (first bool, err error) {
	n, err := tx.Exec("UPDATE batch SET events_removed = ? WHERE id = ? AND events_removed = 0", at, int64(batch))
	if err != nil || n > 0 || at < 0 {
		return n > 0, err
	}
	return false, tx.Do("UPDATE batch SET events_removed = ? WHERE id = ? AND events_removed > 0 AND events_removed < ?",
		at, int64(batch), at)
}

// SetEventsRemoved stores when the removal of a Batch's events ended.
func SetEventsRemoved(tx *db.Tx, batch enlist.BatchID, at int64) error {
	return tx.Do("UPDATE batch SET events_removed = ? WHERE id = ?", at, int64(batch))
}

// SetTextsRemoved stores when the texts of a Batch's recipients were removed.
func SetTextsRemoved(tx *db.Tx, batch enlist.BatchID, at int64) error {
	return tx.Do("UPDATE batch SET texts_removed = ? WHERE id = ?", at, int64(batch))
}
