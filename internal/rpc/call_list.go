package rpc

import (
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/lists"
)

// This file has methods for the days of a List, its Segments and its Forms. The others are of the shapes in call.go.

// getListDays returns a record for each day. reference.md: listday.counts
func getListDays(c *call) error {
	list, from, to := c.list(1), c.text(2), c.text(3)
	if c.err != nil {
		return c.err
	}
	days, err := c.service.Lists.ListDays(c.ctx, c.caller, list, from, to)
	return writeRecords(c, encoder(lists.ListDayAttributes), days, err)
}

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

// setForm returns the ID of the Form. Without a form_id, the Form with the name is changed or added. reference.md:
// form.record
func setForm(c *call) error {
	list, details := c.list(1), c.recordDetails(2)
	var id enlist.FormID
	if !c.at(3).IsBlank() {
		id = enlist.FormID(c.id(3))
	}
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Forms.SetForm(c.ctx, c.caller, list, id, details)
	return writeInt(c, id, err)
}

// getFormDays returns a record for each day. reference.md: getFormDays.range
func getFormDays(c *call) error {
	list, id, from, to := c.list(1), enlist.FormID(c.id(2)), c.text(3), c.text(4)
	if c.err != nil {
		return c.err
	}
	days, err := c.service.Forms.FormDays(c.ctx, c.caller, list, id, from, to)
	return writeRecords(c, encoder(forms.DayAttributes), days, err)
}
