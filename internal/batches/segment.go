package batches

import (
	"fmt"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// CheckSegmentUnused refuses to delete a Segment of a List while an autoresponder sends to it, or while it decides
// about the recipients of a Batch that has not read all of them. reference.md: segment.used
func CheckSegmentUnused(tx *db.Tx, schema *enlist.Schema, id enlist.SegmentID) error {
	for i := range schema.Autoresponders {
		if a := &schema.Autoresponders[i]; a.SegmentID == id {
			return enlist.Invalid("segment_id", fmt.Sprintf("the autoresponder %d sends to the Segment; delete it first, "+
				"or give it another Segment", a.ID))
		}
	}
	if err := checkUnnamed(tx, schema, id); err != nil {
		return err
	}
	open, err := Batches(tx, schema.List.AccountID, BatchFilter{Open: true})
	if err != nil {
		return err
	}
	for i := range open {
		if open[i].IsPopulated {
			continue
		}
		uses, err := open[i].usesSegment(tx, id)
		if err != nil {
			return err
		}
		if uses {
			return enlist.Invalid("segment_id", fmt.Sprintf("Batch %d uses the Segment and has not read all its "+
				"recipients; cancel it first", open[i].ID))
		}
	}
	return nil
}

// usesSegment reports whether a Segment decides about recipients that the Batch has not read. A population whose search
// has ended has the Contacts that it found.
func (b *Batch) usesSegment(tx *db.Tx, id enlist.SegmentID) (bool, error) {
	exclude, err := LoadExclusion(tx, b.ID)
	if err != nil || exclude.Criteria.NamesSegment(id) {
		return true, err
	}
	populations, err := Populations(tx, b.ID)
	return slices.ContainsFunc(populations, func(p Population) bool {
		return p.Type == PopulationSearch && p.Criteria.NamesSegment(id)
	}), err
}

// checkUnnamed refuses to delete a Segment that decides about the blocks of a Message that is still going to be sent.
func checkUnnamed(tx *db.Tx, schema *enlist.Schema, id enlist.SegmentID) error {
	var sent []enlist.MessageID
	for i := range schema.Autoresponders {
		sent = append(sent, schema.Autoresponders[i].MessageID)
	}
	open, err := Batches(tx, schema.List.AccountID, BatchFilter{Open: true})
	if err != nil {
		return err
	}
	for i := range open {
		sent = append(sent, open[i].Messages()...)
	}
	slices.Sort(sent)
	for _, message := range slices.Compact(sent) {
		m, err := messages.LoadMessage(tx, schema.List.AccountID, message)
		if enlist.IgnoreKind(enlist.NoMessage, err) != nil {
			return err
		}
		if err == nil && m.NamesSegment(id) {
			return enlist.Invalid("segment_id", fmt.Sprintf("a block of Message %d is shown only to the Segment, and the Message "+
				"is going to be sent; give the block another condition first", m.ID))
		}
	}
	return nil
}
