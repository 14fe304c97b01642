// This file has a method of Forms. methods_list.go has the others.

package rpc

import "enlist/internal/enlist"

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
