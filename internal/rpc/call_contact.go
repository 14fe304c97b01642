package rpc

import (
	"cmp"
	"math"
	"strconv"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

// This file has the methods of Contacts that have a shape of their own, and reads the parameters of the others.

// readSubscribe reads the parameters of subscribeContact. reference.md: subscribeContact
func readSubscribe(p *params, i int) contacts.SubscribeRequest {
	return contacts.SubscribeRequest{List: p.list(i), Details: p.contactDetails(i + 1), Consent: p.consent(i + 2)}
}

// readResubscribe reads the parameters of resubscribeContact. reference.md: resubscribeContact
func readResubscribe(p *params, i int) contacts.ResubscribeRequest {
	return contacts.ResubscribeRequest{List: p.list(i), Contact: p.contact(i + 1), Consent: p.consent(i + 2),
		Tracking: p.tracking(i + 6), Language: p.text(i + 9)}
}

// readUnsubscribe reads the parameters of unsubscribeContact. Its result is the List's ID, whether or not a Contact had
// the address. reference.md: unsubscribeContact
func readUnsubscribe(p *params, i int) contacts.UnsubscribeRequest {
	return contacts.UnsubscribeRequest{List: p.listOrAll(i), Address: p.address(i + 1), IP: p.text(i + 2)}
}

// readChange reads the parameters of a change by a person: a List, a Contact and the person's IP address.
func readChange(p *params, i int) contacts.ContactRequest {
	return contacts.ContactRequest{List: p.list(i), Contact: p.contact(i + 1), IP: p.text(i + 2)}
}

// readConfirmation reads the parameters of confirmContact.
func readConfirmation(p *params, i int) contacts.ContactRequest {
	r := readChange(p, i)
	r.Tracking = p.tracking(i + 3)
	return r
}

// readLedgerQuery reads the parameters of getContactConsents. decisions.md: 27, 89
func readLedgerQuery(p *params, i int) contacts.LedgerQuery {
	return contacts.LedgerQuery{List: p.list(i), Contact: p.contact(i + 1), Limit: p.limit(i + 2),
		Offset: p.offset(i + 3), Changes: p.flag(i + 4)}
}

// readSentQuery reads the parameters of getMessagesSentToContact.
func readSentQuery(p *params, i int) reports.SentRequest {
	return reports.SentRequest{List: p.list(i), Contact: p.contact(i + 1), Type: p.text(i + 2), From: p.amount(i+3, 0),
		To: p.amount(i+4, 0)}
}

// searchContacts returns an array of Contacts. The writer
// appends each Contact when the search finds it. reference.md: searchContacts
func searchContacts(c *call) error {
	list, q, returned := c.list(1), c.query(2), c.returnedFields(7)
	if c.err != nil {
		return c.err
	}
	w := newContactWriter(c.reply, &c.arena.columns)
	return c.reply.end("]", c.service.Contacts.SearchContacts(c.ctx, c.caller, list, q, returned, w))
}

// getContactByID returns an array of one Contact, with the same columns as searchContacts.
func getContactByID(c *call) error {
	list, contact, returned := c.list(1), c.contact(2), c.returnedFields(3)
	if c.err != nil {
		return c.err
	}
	// Without a limit, the reply with one Contact is always buffered and never streamed.
	w := &contactWriter{reply: c.reply, prepared: &c.arena.columns, buffer: math.MaxInt}
	return c.reply.end("]", c.service.Contacts.Contact(c.ctx, c.caller, list, contact, returned, w))
}

// addContacts returns an object with the ID of each stored Contact. If the caller sent an array of
// rows, the member name is the position of the row in this array. If the caller sent an object of
// rows, it is the name of the row in this object. The result has no member for a row that was not
// stored. reference.md: addContacts
func addContacts(c *call) error {
	r := contacts.AddRequest{List: c.list(1), Contacts: c.contacts(2), Overwrite: c.flag(3), Skip: c.choice(4),
		IP: c.text(5)}
	if c.err != nil {
		return c.err
	}
	ids, err := c.service.Contacts.AddContacts(c.ctx, c.caller, r)
	if err != nil {
		return err
	}
	w := memberWriter{b: append(c.reply.buf, '{')}
	sent := c.at(2)
	for i, id := range ids {
		if id == 0 {
			continue
		}
		if sent.Kind == enlist.InputObject {
			w.name(sent.Items[i].Name)
		} else {
			w.number(int64(i))
		}
		w.b = strconv.AppendInt(w.b, int64(id), 10)
	}
	c.reply.buf = append(w.b, '}')
	return nil
}

// readEdits reads the parameters of editContacts. reference.md: editContacts
func readEdits(p *params, i int) contacts.EditRequest {
	return contacts.EditRequest{List: p.list(i), Contacts: p.editRows(i + 1), Trigger: p.flag(i + 2)}
}

// readCopy reads the parameters of copyContacts. As deleteContacts, it does not read contact_ids if the caller sent
// criteria. reference.md: copy.call
func readCopy(p *params, i int) contacts.ChangeRequest {
	r := contacts.ChangeRequest{List: p.list(i), Action: contacts.ChangeCopy, Criteria: p.criteria(i + 3),
		Count: contacts.AnyCount}
	r.Target = enlist.ListID(cmp.Or(p.id(i+1), -1))
	if r.Criteria == nil {
		r.Contacts = p.contactIDs(i + 2)
	}
	return r
}

// readMove reads the parameters of moveContacts.
func readMove(p *params, i int) contacts.ChangeRequest {
	r := readCopy(p, i)
	r.Action = contacts.ChangeMove
	return r
}

// readDeletion reads the parameters of deleteContacts. If the caller sent criteria, it does not read the parameter
// contact_ids, because clients then send arbitrary values in it. reference.md: deleteContacts
func readDeletion(p *params, i int) contacts.DeleteRequest {
	r := contacts.DeleteRequest{List: p.list(i), Query: p.query(i + 2)}
	if r.Query.Criteria == nil {
		r.Contacts = p.contactIDs(i + 1)
	}
	if p.at(i + 3).IsBlank() {
		r.Query.Limit = 0 // delete all matches; the default limit of 100 is for searches
	}
	return r
}

// writeOutcomes writes an object as the result. It has a boolean for each Contact ID: true if the
// Contact was changed or deleted.
func writeOutcomes(c *call, outcomes []contacts.Outcome, err error) error {
	if err != nil {
		return err
	}
	w := memberWriter{b: append(c.reply.buf, '{')}
	for _, o := range outcomes {
		w.number(int64(o.Contact))
		w.b = strconv.AppendBool(w.b, o.Done)
	}
	c.reply.buf = append(w.b, '}')
	return nil
}
