// This file has a method of Segments. methods_list.go has the others.

package rpc

import (
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// setSegment returns the ID of the Segment. Without a segment_id, the Segment with the name is replaced or added.
// reference.md: segment.record
func setSegment(c *call) error {
	r := contacts.SegmentRequest{List: c.list(1), Name: c.requiredText(2), Criteria: c.criteria(3)}
	if !c.at(4).IsBlank() {
		r.ID = enlist.SegmentID(c.id(4))
	}
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Contacts.SetSegment(c.ctx, c.caller, r)
	return writeInt(c, id, err)
}
