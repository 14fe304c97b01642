package sqlstore

// This file stores which Contacts a Batch leaves out, and finds the Contacts that were sent a Batch.

import (
	"database/sql/driver"

	"enlist/internal/audience"
)

func mapExclusion(m *mapper, x *audience.Exclusion) {
	m.naturalKey("batch_id", (*int64)(&x.Batch))
	m.fixed("criteria", criteriaJSON{&x.Criteria})
	m.fixed("batches", (*batchIDs)(&x.Batches))
}

// batchIDs are IDs of Batches, stored as a JSON array.
type batchIDs []audience.BatchID

func (p *batchIDs) decode(v driver.Value) error { return decodeJSON(v, p) }
func (p *batchIDs) encode() (any, error)        { return encodeJSON(len(*p), p) }

var exclusionTable = newMapping("batch_exclusion", mapExclusion)

// AddExclusion stores the Exclusion of a new Batch.
func (t *Tx) AddExclusion(x *audience.Exclusion) error { return exclusionTable.queue(t, x) }

// Exclusion returns the Exclusion of a Batch. It is empty if none is stored.
func (t *Tx) Exclusion(id audience.BatchID) (*audience.Exclusion, error) {
	x, err := exclusionTable.one(t, audience.ErrNotFound, "WHERE batch_id = ?", int64(id))
	if audience.KindOf(err) == audience.NotFound {
		return &audience.Exclusion{Batch: id}, nil
	}
	return x, err
}

// SentByBatches returns those Contacts that are recipients of one of the Batches and were sent its mail, or may have
// been sent it.
func (t *Tx) SentByBatches(list audience.ListID, batches []audience.BatchID, ids []audience.ContactID) (
	sent []audience.ContactID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	const handedOver = " AND status IN ('sending', 'sent', 'bounced', 'complained', 'doubtful')"
	for _, batch := range batches {
		test, args, err := t.recipientsByID(list, batch, ids)
		if err != nil {
			return nil, err
		}
		more, err := idsOf[audience.ContactID](t, "SELECT contact_id FROM recipient WHERE "+test+handedOver, args...)
		if err != nil {
			return nil, err
		}
		sent = append(sent, more...)
	}
	return sent, nil
}
