package rpc

import (
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the methods that read or change one Contact, and the searches of Contacts and of
// the Unsubscriber List. Each method reads its parameters, calls the service and writes the result.

// subscribeContact returns the ID of the new or updated Contact. reference.md: subscribeContact
func subscribeContact(c *call) error {
	r := contacts.SubscribeRequest{List: c.list(1), Details: c.contactDetails(2), Consent: c.consent(3)}
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Contacts.Subscribe(c.ctx, c.caller, r)
	return writeInt(c, id, err)
}

// resubscribeContact returns the Contact's ID. reference.md: resubscribeContact
func resubscribeContact(c *call) error {
	r := contacts.ResubscribeRequest{List: c.list(1), Contact: c.contact(2), Consent: c.consent(3)}
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Contacts.Resubscribe(c.ctx, c.caller, r)
	return writeInt(c, id, err)
}

// unsubscribeContact returns the List's ID, whether or not a Contact had the address.
// reference.md: unsubscribeContact
func unsubscribeContact(c *call) error {
	r := contacts.UnsubscribeRequest{List: c.listOrAll(1), Address: c.address(2), IP: c.text(3)}
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Contacts.Unsubscribe(c.ctx, c.caller, r)
	return writeInt(c, id, err)
}

// searchContacts returns an array of Contacts. The writer
// appends each Contact when the search finds it. reference.md: searchContacts
func searchContacts(c *call) error {
	list, q, returned := c.list(1), c.query(2), c.returnedFields(7)
	if c.err != nil {
		return c.err
	}
	w := newContactWriter(c.reply, &c.arena.columns)
	err := c.service.Contacts.SearchContacts(c.ctx, c.caller, list, q, returned, w)
	return w.end(err)
}

// getContactByID returns an array of one Contact, with the same columns as searchContacts.
func getContactByID(c *call) error {
	list, contact, returned := c.list(1), c.contact(2), c.returnedFields(3)
	if c.err != nil {
		return c.err
	}
	// The field buffer of the contactWriter is 0, which means no limit. So the reply with one
	// Contact is always buffered and never streamed.
	w := &contactWriter{reply: c.reply, prepared: &c.arena.columns}
	err := c.service.Contacts.Contact(c.ctx, c.caller, list, contact, returned, w)
	return w.end(err)
}

// countContacts returns the number of Contacts that match the criteria.
func countContacts(c *call) error {
	list, criteria := c.list(1), c.criteria(2)
	if c.err != nil {
		return c.err
	}
	n, err := c.service.Contacts.CountContacts(c.ctx, c.caller, list, criteria)
	return writeInt(c, n, err)
}

// getContactPreferences returns an object with a boolean for each preference that the Contact
// answered.
func getContactPreferences(c *call) error {
	list, contact := c.list(1), c.contact(2)
	if c.err != nil {
		return c.err
	}
	choices, err := c.service.Contacts.ContactPreferences(c.ctx, c.caller, list, contact)
	if err != nil {
		return err
	}
	c.reply.buf = appendChoices(c.reply.buf, choices)
	return nil
}

// getContactConsents returns the Contact's rows of the consent ledger, newest first.
// decisions.md: 27, 89
func getContactConsents(c *call) error {
	q := contacts.LedgerQuery{List: c.list(1), Contact: c.contact(2), Limit: c.limit(3), Offset: c.offset(4),
		Changes: c.flag(5)}
	if c.err != nil {
		return c.err
	}
	return writeRows(c, appendLedgerRow, func(w enlist.RowWriter[enlist.LedgerRow]) error {
		return c.service.Contacts.ContactConsents(c.ctx, c.caller, q, w)
	})
}

// searchPreviousUnsubscribers returns rows of the Unsubscriber List. If the caller sent no List
// ID, it returns the rows of all Lists that the key may access.
func searchPreviousUnsubscribers(c *call) error {
	list, q := c.optionalList(1), c.query(2)
	if c.err != nil {
		return c.err
	}
	each := encoder(contacts.UnsubscriberAttributes)
	return writeRows(c, each, func(w enlist.RowWriter[contacts.Unsubscriber]) error {
		return c.service.Contacts.SearchUnsubscribers(c.ctx, c.caller, list, q, w)
	})
}

// countPreviousUnsubscribers returns the number of all rows that match the criteria.
func countPreviousUnsubscribers(c *call) error {
	list, criteria := c.optionalList(1), c.criteria(2)
	if c.err != nil {
		return c.err
	}
	n, err := c.service.Contacts.CountUnsubscribers(c.ctx, c.caller, list, criteria)
	return writeInt(c, n, err)
}
