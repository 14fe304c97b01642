package batches

import (
	"database/sql/driver"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores which Contacts a Batch leaves out.

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
