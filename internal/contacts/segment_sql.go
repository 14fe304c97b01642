package contacts

import (
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores Segments. They are definitions: none changes during an Update.

func mapSegment(m *db.Mapper, s *Segment) {
	m.ID("id", (*int64)(&s.ID))
	m.Fixed("account_id", (*int64)(&s.AccountID))
	m.Fixed("list_id", (*int64)(&s.ListID))
	m.Value("name", &s.Name)
	m.Value("criteria", db.CriteriaJSON{Criteria: &s.Criteria})
	m.Fixed("creation_time", &s.CreationTime)
	m.Value("last_modified_time", &s.LastModifiedTime)
}

var segmentTable = db.NewMapping("segment", mapSegment)

// errNoSegment is the same for an ID that does not exist and for the ID of another List.
var errNoSegment = enlist.Invalid("segment_id", "the List has no Segment with this ID")

// LoadSegment returns a Segment of a List. Errors: InvalidParameters if the List has none with the ID.
func LoadSegment(tx *db.Tx, list enlist.ListID, id enlist.SegmentID) (*Segment, error) {
	return segmentTable.One(tx, errNoSegment, "WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// MissingSegments returns those of the Segments that an Account does not have, in ascending order.
func MissingSegments(tx *db.Tx, account enlist.AccountID, ids []enlist.SegmentID) (missing []enlist.SegmentID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	test, arg, err := db.OneOfIDs(tx, ids)
	if err != nil {
		return nil, err
	}
	found, err := db.IDsOf[enlist.SegmentID](tx, "SELECT id FROM segment WHERE account_id = ? AND id"+test, int64(account), arg)
	missing = slices.DeleteFunc(slices.Clone(ids), func(id enlist.SegmentID) bool { return slices.Contains(found, id) })
	slices.Sort(missing)
	return slices.Compact(missing), err
}

// segmentNames returns the Segments of a List with only their IDs and names.
func segmentNames(tx *db.Tx, list enlist.ListID) ([]Segment, error) {
	return db.RowsOf(tx, func(row *db.Cursor) Segment {
		return Segment{ID: enlist.SegmentID(row.Int()), Name: row.Text()}
	}, "SELECT id, name FROM segment WHERE list_id = ? ORDER BY id", int64(list))
}
