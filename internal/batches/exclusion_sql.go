package batches

import (
	"database/sql/driver"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores which Contacts a Batch leaves out, and finds the Contacts that were sent a Batch.

func mapExclusion(m *db.Mapper, x *Exclusion) {
	m.NaturalKey("batch_id", (*int64)(&x.Batch))
	m.Fixed("criteria", db.CriteriaJSON{Criteria: &x.Criteria})
	m.Fixed("batches", (*batchIDs)(&x.Batches))
}

// batchIDs are IDs of Batches, stored as a JSON array.
type batchIDs []enlist.BatchID

func (p *batchIDs) Decode(v driver.Value) error { return db.DecodeJSON(v, p) }
func (p *batchIDs) Encode() (any, error)        { return db.EncodeJSON(len(*p), p) }

var exclusionTable = db.NewMapping("batch_exclusion", mapExclusion)

// LoadExclusion returns the Exclusion of a Batch. It is empty if none is stored.
func LoadExclusion(tx *db.Tx, id enlist.BatchID) (*Exclusion, error) {
	x, err := exclusionTable.One(tx, enlist.ErrNotFound, "WHERE batch_id = ?", int64(id))
	if enlist.KindOf(err) == enlist.NotFound {
		return &Exclusion{Batch: id}, nil
	}
	return x, err
}

// SentByBatches returns those Contacts that are recipients of one of the Batches and were sent its mail, or may have
// been sent it. It may return others too.
func SentByBatches(tx *db.Tx, list enlist.ListID, batches []enlist.BatchID, ids []enlist.ContactID) (
	sent []enlist.ContactID, err error) {
	if len(ids) == 0 || len(batches) == 0 {
		return nil, nil
	}
	inBatches, arg, err := db.OneOfIDs(tx, batches)
	if err != nil {
		return nil, err
	}
	test, args, err := tx.ContactTest("contact_id", ids)
	if err != nil {
		return nil, err
	}
	if first, last := int64(slices.Min(ids)), int64(slices.Max(ids)); last-first < 4*int64(len(ids)) {
		// One scan of each Batch is faster than a look-up of each ID.
		test, args = "contact_id BETWEEN ? AND ?", []any{first, last}
	}
	return db.IDsOf[enlist.ContactID](tx, "SELECT contact_id FROM recipient WHERE list_id = ? AND batch_id"+inBatches+
		" AND "+test+
		" AND status IN ('sending', 'sent', 'bounced', 'complained', 'doubtful')",
		append([]any{int64(list), arg}, args...)...)
}
