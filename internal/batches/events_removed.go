package batches

import (
	"slices"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
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
func (b *Batch) CheckHasRows(kind EventKind) error {
	if b.EventsRemoved == 0 {
		return nil
	}
	switch kind {
	case RowsNotOpened:
		return contacts.ErrEventsRemoved(b.ID)
	case EventOpened, EventClicked, EventLink:
		if b.Status != BatchRunning {
			return contacts.ErrEventsRemoved(b.ID)
		}
	}
	return nil
}

// HasNoEvents reports whether the opens and clicks of a recipient were removed, so that a late one must not be counted.
func (b *Batch) HasNoEvents(r *Recipient) bool {
	if b.Status == BatchRunning {
		return r.Sent < b.EventsRemoved
	}
	return b.EventsRemoved != 0
}
