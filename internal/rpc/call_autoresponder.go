// This file has the methods about autoresponders: each reads its parameters, calls the
// service and writes the result.

package rpc

import "enlist/internal/audience"

func addAutoresponder(c *call) error {
	details := c.recordDetails(1)
	if c.err != nil {
		return c.err
	}
	id, err := c.service.AddAutoresponder(c.ctx, c.caller, details)
	return writeInt(c, id, err)
}

func editAutoresponder(c *call) error {
	details, autoresponder := c.recordDetails(1), audience.AutoresponderID(c.recordID(1))
	if c.err != nil {
		return c.err
	}
	id, err := c.service.EditAutoresponder(c.ctx, c.caller, autoresponder, details)
	return writeInt(c, id, err)
}

func deleteAutoresponder(c *call) error {
	autoresponder := audience.AutoresponderID(c.id(1))
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.DeleteAutoresponder(c.ctx, c.caller, autoresponder))
}

func searchAutoresponders(c *call) error {
	q := c.query(1)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchAutoresponders(c.ctx, c.caller, q)
	return writeRecords(c, encoder(audience.AutoresponderAttributes), rows, err)
}

func countAutoresponders(c *call) error {
	q := audience.Query{Criteria: c.criteria(1)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchAutoresponders(c.ctx, c.caller, q)
	return writeInt(c, len(rows), err)
}

func getAutoresponderByID(c *call) error {
	id := audience.AutoresponderID(c.id(1))
	if c.err != nil {
		return c.err
	}
	autoresponder, err := c.service.Autoresponder(c.ctx, c.caller, id)
	return writeRecord(c, encoder(audience.AutoresponderAttributes), autoresponder, err)
}
