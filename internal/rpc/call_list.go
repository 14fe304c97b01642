// This file has the methods about Lists and their preferences: each reads its parameters, calls the
// service and writes the result.

package rpc

import "enlist/internal/audience"

func addList(c *call) error {
	details := c.recordDetails(1)
	if c.err != nil {
		return c.err
	}
	id, err := c.service.AddList(c.ctx, c.caller, details)
	return writeInt(c, id, err)
}

func editList(c *call) error {
	details, list := c.recordDetails(1), audience.ListID(c.recordID(1))
	if c.err != nil {
		return c.err
	}
	id, err := c.service.EditList(c.ctx, c.caller, list, details)
	return writeInt(c, id, err)
}

func deleteList(c *call) error {
	list := c.list(1)
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.DeleteList(c.ctx, c.caller, list))
}

func clearList(c *call) error {
	list := c.list(1)
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.ClearList(c.ctx, c.caller, list))
}

func searchLists(c *call) error {
	q := c.query(1)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchLists(c.ctx, c.caller, q)
	return writeRecords(c, encoder(audience.ListAttributes), rows, err)
}

func countLists(c *call) error {
	q := audience.Query{Criteria: c.criteria(1)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchLists(c.ctx, c.caller, q)
	return writeInt(c, len(rows), err)
}

func getListByID(c *call) error {
	id := c.list(1)
	if c.err != nil {
		return c.err
	}
	list, err := c.service.List(c.ctx, c.caller, id)
	return writeRecord(c, encoder(audience.ListAttributes), list, err)
}

func addListPreference(c *call) error {
	list, name := c.list(1), c.requiredText(2)
	if c.err != nil {
		return c.err
	}
	id, err := c.service.AddPreference(c.ctx, c.caller, list, name)
	return writeInt(c, id, err)
}

func deleteListPreference(c *call) error {
	list, id := c.list(1), audience.PreferenceID(c.id(2))
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.DeletePreference(c.ctx, c.caller, list, id))
}

func searchListPreferences(c *call) error {
	list, q := c.list(1), c.query(2)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchPreferences(c.ctx, c.caller, list, q)
	return writeRecords(c, encoder(audience.PreferenceAttributes), rows, err)
}
