// This file has the methods about one Contact, and searches of Contacts: each reads its
// parameters, calls the service and writes the result.

package rpc

import "enlist/internal/audience"

func subscribeContact(c *call) error {
	r := audience.SubscribeRequest{List: c.list(1), Details: c.contactDetails(2), Consent: c.consent(3)}
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Subscribe(c.ctx, c.caller, r)
	return writeInt(c, id, err)
}

func resubscribeContact(c *call) error {
	r := audience.ResubscribeRequest{List: c.list(1), Contact: c.contact(2), Consent: c.consent(3)}
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Resubscribe(c.ctx, c.caller, r)
	return writeInt(c, id, err)
}

func unsubscribeContact(c *call) error {
	list, address := c.list(1), c.address(2)
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Unsubscribe(c.ctx, c.caller, list, address)
	return writeInt(c, id, err)
}

func searchContacts(c *call) error {
	list, q, returned := c.list(1), c.query(2), c.returnedFields(7)
	if c.err != nil {
		return c.err
	}
	w := newContactWriter(c.reply, &c.arena.columns)
	err := c.service.SearchContacts(c.ctx, c.caller, list, q, returned, w)
	return w.end(err)
}

func getContactByID(c *call) error {
	list, contact, returned := c.list(1), c.contact(2), c.returnedFields(3)
	if c.err != nil {
		return c.err
	}
	w := &contactWriter{reply: c.reply, prepared: &c.arena.columns} // no limit: one Contact is buffered whole
	err := c.service.Contact(c.ctx, c.caller, list, contact, returned, w)
	return w.end(err)
}

func countContacts(c *call) error {
	list, criteria := c.list(1), c.criteria(2)
	if c.err != nil {
		return c.err
	}
	n, err := c.service.CountContacts(c.ctx, c.caller, list, criteria)
	return writeInt(c, n, err)
}

func getContactPreferences(c *call) error {
	list, contact := c.list(1), c.contact(2)
	if c.err != nil {
		return c.err
	}
	choices, err := c.service.ContactPreferences(c.ctx, c.caller, list, contact)
	if err != nil {
		return err
	}
	c.reply.buf = appendChoices(c.reply.buf, choices)
	return nil
}

func getContactConsents(c *call) error {
	list, contact, limit, offset := c.list(1), c.contact(2), c.limit(3), c.offset(4)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.ContactConsents(c.ctx, c.caller, list, contact, limit, offset)
	return writeRecords(c, appendLedgerRow, rows, err)
}

func searchPreviousUnsubscribers(c *call) error {
	list, q := audience.ListID(c.optionalID(1)), c.query(2)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchUnsubscribers(c.ctx, c.caller, list, q)
	return writeRecords(c, encoder(audience.UnsubscriberAttributes), rows, err)
}

func countPreviousUnsubscribers(c *call) error {
	list, q := audience.ListID(c.optionalID(1)), audience.Query{Criteria: c.criteria(2)}
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.SearchUnsubscribers(c.ctx, c.caller, list, q)
	return writeInt(c, len(rows), err)
}
