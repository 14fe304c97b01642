// This file has the methods about Fields: each reads its parameters, calls the
// service and writes the result.

package rpc

import "enlist/internal/audience"

func addField(c *call) error {
	list, details := c.list(1), c.recordDetails(2)
	if c.err != nil {
		return c.err
	}
	id, err := c.service.AddField(c.ctx, c.caller, list, details)
	return writeInt(c, id, err)
}

func editField(c *call) error {
	list, details, field := c.list(1), c.recordDetails(2), audience.FieldID(c.recordID(2))
	if c.err != nil {
		return c.err
	}
	id, err := c.service.EditField(c.ctx, c.caller, list, field, details)
	return writeInt(c, id, err)
}

func deleteField(c *call) error {
	list, field := c.list(1), c.field(2)
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.DeleteField(c.ctx, c.caller, list, field))
}

func searchFields(c *call) error {
	list, q := c.list(1), c.query(2)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchFields(c.ctx, c.caller, list, q)
	return writeRecords(c, encoder(audience.FieldAttributes), rows, err)
}

func countFields(c *call) error {
	list, q := c.list(1), audience.Query{Criteria: c.criteria(2)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchFields(c.ctx, c.caller, list, q)
	return writeInt(c, len(rows), err)
}

func getFieldByID(c *call) error {
	list, id := c.list(1), c.field(2)
	if c.err != nil {
		return c.err
	}
	field, err := c.service.Field(c.ctx, c.caller, list, id)
	return writeRecord(c, encoder(audience.FieldAttributes), field, err)
}
