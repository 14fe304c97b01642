// This file has methods of Forms. methods_list.go has the others.

package rpc

import (
	"enlist/internal/enlist"
	"enlist/internal/forms"
)

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
