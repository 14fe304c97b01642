package rpc

import (
	"context"
	"errors"

	"enlist/api"
	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/forms"
)

// This file has the methods of Fields, Segments, Forms and Folders that have a shape of their own.

// editField changes the Field whose ID is in the details, and returns this ID.
func editField(c *call) error {
	list, details, field := c.list(1), c.recordDetails(2), enlist.FieldID(c.recordID(2))
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Lists.EditField(c.ctx, c.caller, list, field, details)
	return writeInt(c, id, err)
}

// writeFolderOfField writes the ID of the Folder that a file Field uploads into, or 0.
func writeFolderOfField(c *call, f *enlist.Field, err error) error {
	if err != nil {
		return err
	}
	return writeInt(c, f.FileFolderID, nil)
}

// readSegment reads the parameters of setSegment. Without a segment_id, the Segment with the name is replaced or added.
// reference.md: segment.record
func readSegment(p *params, i int) contacts.SegmentRequest {
	r := contacts.SegmentRequest{List: p.list(i), Name: p.requiredText(i + 1), Criteria: p.criteria(i + 2)}
	if !p.at(i + 3).IsBlank() {
		r.ID = enlist.SegmentID(p.id(i + 3))
	}
	return r
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
	return writeRecords(c, Encoder(forms.DayAttributes), days, err)
}

// searchFolders returns a function that gives the error of an unknown type its published code and name.
func searchFolders(search func(context.Context, *enlist.Caller, string, enlist.Query) ([]accounts.Folder, error)) func(
	context.Context, *enlist.Caller, string, enlist.Query) ([]accounts.Folder, error) {
	return func(ctx context.Context, c *enlist.Caller, folderType string, q enlist.Query) ([]accounts.Folder, error) {
		found, err := search(ctx, c, folderType, q)
		if e, ok := errors.AsType[*enlist.Error](err); ok && e.Field == "folder_type" {
			err = &refusal{code: api.CodeUndefined, name: "Undefined Error: Invalid Folder Type", detail: e.Detail,
				position: 2}
		}
		return found, err
	}
}
