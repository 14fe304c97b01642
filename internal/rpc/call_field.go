package rpc

import (
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file has methods for the Fields and preferences of a List. Each method reads its parameters,
// calls the service and writes the result.

// addField returns the ID of the new Field. reference.md: Fields
func addField(c *call) error {
	list, details := c.list(1), c.recordDetails(2)
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Lists.AddField(c.ctx, c.caller, list, details)
	return writeInt(c, id, err)
}

// editField changes the Field whose ID is in the details, and returns this ID.
func editField(c *call) error {
	list, details, field := c.list(1), c.recordDetails(2), enlist.FieldID(c.recordID(2))
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Lists.EditField(c.ctx, c.caller, list, field, details)
	return writeInt(c, id, err)
}

// countFields returns the number of all Fields that match the criteria.
func countFields(c *call) error {
	list, q := c.list(1), enlist.Query{Criteria: c.criteria(2)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Lists.SearchFields(c.ctx, c.caller, list, q)
	return writeInt(c, len(rows), err)
}

// getFieldByID returns an array of one Field.
func getFieldByID(c *call) error {
	list, id := c.list(1), c.field(2)
	if c.err != nil {
		return c.err
	}
	field, err := c.service.Lists.Field(c.ctx, c.caller, list, id)
	return writeRecord(c, encoder(lists.FieldAttributes), field, err)
}

// getFolderIDForField returns the ID of the Folder that a file Field uploads into. It returns 0 if
// the Field has none.
func getFolderIDForField(c *call) error {
	list, id := c.list(1), c.field(2)
	if c.err != nil {
		return c.err
	}
	field, err := c.service.Lists.Field(c.ctx, c.caller, list, id)
	if err != nil {
		return err
	}
	return writeInt(c, field.FileFolderID, nil)
}

// setFieldFolderID sets the Folder that a file Field uploads into, and returns true.
func setFieldFolderID(c *call) error {
	list, id, folder := c.list(1), c.field(2), enlist.FolderID(c.id(3))
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.Lists.SetFieldFolder(c.ctx, c.caller, list, id, folder))
}

// addListPreference returns the ID of the new preference. reference.md: Consent
func addListPreference(c *call) error {
	list, name := c.list(1), c.requiredText(2)
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Lists.AddPreference(c.ctx, c.caller, list, name)
	return writeInt(c, id, err)
}
