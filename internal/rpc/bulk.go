package rpc

import (
	"strconv"

	"enlist/api"
	"enlist/internal/audience"
)

func addContacts(c *call) error {
	r := audience.AddRequest{List: c.list(1), Contacts: c.contacts(2), Overwrite: c.flag(3), Skip: c.choice(4)}
	if c.err != nil {
		return c.err
	}
	ids, err := c.service.AddContacts(c.ctx, c.caller, r)
	if err != nil {
		return err
	}
	w := memberWriter{b: append(c.reply.buf, '{')}
	sent := c.at(2)
	for i, id := range ids {
		if id == 0 {
			continue
		}
		if sent.kind == kObject {
			w.name(sent.items[i].name)
		} else {
			w.number(int64(i))
		}
		w.b = strconv.AppendInt(w.b, int64(id), 10)
	}
	c.reply.buf = append(w.b, '}')
	return nil
}

func editContacts(c *call) error {
	r := audience.EditRequest{List: c.list(1), Contacts: c.editRows(2), Trigger: c.flag(3)}
	if c.err != nil {
		return c.err
	}
	outcomes, err := c.service.EditContacts(c.ctx, c.caller, r)
	return writeOutcomes(c, outcomes, err)
}

func deleteContacts(c *call) error {
	r := audience.DeleteRequest{List: c.list(1), Query: c.query(3)}
	if r.Query.Criteria == nil {
		r.Contacts = c.contactIDs(2)
	}
	if c.at(4).omitted() {
		r.Query.Limit = 0 // what matches is deleted, not the first hundred
	}
	if c.err != nil {
		return c.err
	}
	outcomes, err := c.service.DeleteContacts(c.ctx, c.caller, r)
	return writeOutcomes(c, outcomes, err)
}

// contacts reads an array of Contacts, each an object of values. An array of PHP
// that has gaps comes as an object, whose members keep their names.
func (p *params) contacts(i int) [][]audience.Detail {
	items := p.rowsOf(i)
	all := make([][]audience.Detail, 0, len(items))
	for j := range items {
		if row := p.row(i, &items[j]); p.err == nil {
			all = append(all, p.details(row))
		}
	}
	return all
}

// editRows reads such an array in which each object has the Contact's id.
func (p *params) editRows(i int) []audience.EditRow {
	items := p.rowsOf(i)
	all := make([]audience.EditRow, 0, len(items))
	for j := range items {
		if row := p.row(i, &items[j]); p.err == nil {
			id := p.rowID(i, row)
			all = append(all, audience.EditRow{ID: audience.ContactID(id), Details: withoutID(p.details(row))})
		}
	}
	return all
}

func (p *params) rowsOf(i int) []value {
	v := p.at(i)
	switch {
	case v.kind != kArray && v.kind != kObject:
		p.refuseContacts(i, "an array of Contacts", v.shown())
		return nil
	case len(v.items) > audience.MaxRows:
		p.refusePart(i, "at most "+strconv.Itoa(audience.MaxRows)+" Contacts", &value{kind: kNumber, text: strconv.Itoa(len(v.items))})
		return nil
	}
	return v.items
}

// row reads one of the Contacts. An empty array is an object without members.
func (p *params) row(i int, item *value) *value {
	row := unboxed(item)
	switch {
	case row.kind != kObject && (row.kind != kArray || len(row.items) > 0):
		p.refuseContacts(i, "an object for each Contact", row.shown())
	case len(row.items) > maxDetails:
		p.refuse(i, "at most "+strconv.Itoa(maxDetails)+" values for each Contact")
	}
	return row
}

// rowID reads the id of a row, by which the reply names it.
func (p *params) rowID(i int, row *value) int64 {
	for j := range row.items {
		if row.items[j].name != "id" {
			continue
		}
		item := unboxed(&row.items[j])
		n, ok := item.integer()
		if !ok {
			p.refuseContacts(i, "an integer as the id of each Contact", item.shown())
		}
		return n
	}
	p.refuseContacts(i, "the id of each Contact", "an object without one")
	return 0
}

func withoutID(details []audience.Detail) []audience.Detail {
	for j := range details {
		if details[j].Key == "id" {
			details[j] = details[len(details)-1]
			return details[:len(details)-1]
		}
	}
	return details
}

// refuseContacts remembers that contacts has the wrong shape, for which there
// is a code of its own.
func (p *params) refuseContacts(i int, expected, found string) {
	if p.err != nil {
		return
	}
	r := refuse(api.CodeInvalidContactArray, "parameter %d, %s: expected %s, not %s", i+1, p.names[i], expected, found)
	r.position = i + 1
	p.err = r
}

// contactIDs reads an array of IDs, one ID by itself, or the object that an array
// of PHP with gaps becomes.
func (p *params) contactIDs(i int) []audience.ContactID {
	v := p.at(i)
	if v.omitted() {
		return nil
	}
	items := v.items
	if v.scalar() {
		items = []value{*v}
	}
	ids := make([]audience.ContactID, 0, len(items))
	for j := range items {
		n, ok := items[j].integer()
		if !ok {
			p.refusePart(i, "an array of integers", &items[j])
			return nil
		}
		ids = append(ids, audience.ContactID(n))
	}
	return ids
}

// choice reads a small number that may be left out, which is 0.
func (p *params) choice(i int) int64 {
	v := p.at(i)
	if v.omitted() {
		return 0
	}
	n, ok := v.integer()
	if !ok {
		p.refuse(i, "an integer")
	}
	return n
}

// writeOutcomes makes an object of Contact ID to bool the result.
func writeOutcomes(c *call, outcomes []audience.Outcome, err error) error {
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

// memberWriter appends the members of an object, in order.
type memberWriter struct {
	b    []byte
	some bool
}

func (w *memberWriter) number(n int64) {
	w.comma()
	w.b = strconv.AppendInt(append(w.b, '"'), n, 10)
	w.b = append(w.b, '"', ':')
}

func (w *memberWriter) name(name string) {
	w.comma()
	w.b = append(appendString(w.b, name), ':')
}

func (w *memberWriter) comma() {
	if w.some {
		w.b = append(w.b, ',')
	}
	w.some = true
}
