package rpc

import (
	"strconv"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the methods that change many Contacts in one call. Each method reads its
// parameters, calls the service and writes the result.

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

// editContacts returns an object with a boolean for each Contact ID: true if all rows with this ID
// succeeded.
// reference.md: editContacts
func editContacts(c *call) error {
	r := contacts.EditRequest{List: c.list(1), Contacts: c.editRows(2), Trigger: c.flag(3)}
	if c.err != nil {
		return c.err
	}
	outcomes, err := c.service.Contacts.EditContacts(c.ctx, c.caller, r)
	return writeOutcomes(c, outcomes, err)
}

// deleteContacts returns an object with a boolean for each Contact ID: true if the List had the
// Contact. If the caller sent criteria, deleteContacts does not read the parameter contact_ids,
// because clients then send arbitrary values in it.
// reference.md: deleteContacts
func deleteContacts(c *call) error {
	r := contacts.DeleteRequest{List: c.list(1), Query: c.query(3)}
	if r.Query.Criteria == nil {
		r.Contacts = c.contactIDs(2)
	}
	if c.at(4).IsBlank() {
		r.Query.Limit = 0 // delete all matches; the default limit of 100 is for searches
	}
	if c.err != nil {
		return c.err
	}
	outcomes, err := c.service.Contacts.DeleteContacts(c.ctx, c.caller, r)
	return writeOutcomes(c, outcomes, err)
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
