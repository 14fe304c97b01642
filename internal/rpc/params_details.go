package rpc

import (
	"slices"
	"strconv"

	"enlist/api"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file reads the details of records: the details of one Contact, the rows of addContacts and
// editContacts, and the details of Lists, Fields and other definitions.

// maxDetails is the largest number of values that a caller may send for one Contact. The number is
// limited because the service finds the Fields of these values inside a transaction.
// reference.md: subscribeContact.rule.5
const maxDetails = 10_000

// isObject reports whether a value is an object or an empty array. PHP encodes an empty object as
// an empty array. reference.md: value.placeholder
func isObject(v *enlist.Input) bool {
	return v.Kind == enlist.InputObject || v.Kind == enlist.InputArray && len(v.Items) == 0
}

// unboxOnce returns the item of an array with exactly one item. It returns any other value
// unchanged. A caller may send an ID or a row inside one such array. A detail may be inside several
// arrays: see Input.Unbox.
func unboxOnce(v *enlist.Input) *enlist.Input {
	if v.Kind == enlist.InputArray && len(v.Items) == 1 {
		return &v.Items[0]
	}
	return v
}

// details returns the members of an object in the order in which the caller sent them. It removes
// arrays around their values. The result is valid until the request is answered. reference.md: value.placeholder
func (p *params) details(v *enlist.Input) []enlist.Detail {
	start := len(p.arena.details)
	for i := range v.Items {
		p.arena.details = append(p.arena.details, enlist.Detail{Key: v.Items[i].Name, Value: v.Items[i].Unbox()})
	}
	return p.arena.details[start:]
}

// expect makes room for the details of rows. While the slice grows, the details of earlier rows would
// keep its old arrays in memory.
func (a *arena) expect(rows []enlist.Input) {
	members := 0
	for i := range rows {
		members += len(unboxOnce(&rows[i]).Items)
	}
	a.details = slices.Grow(a.details, members)
}

// contactDetails reads the values of one Contact. reference.md: subscribeContact
func (p *params) contactDetails(i int) []enlist.Detail {
	v := p.at(i)
	switch {
	case !isObject(v):
		p.refuse(i, "an object of values by Field name")
		return nil
	case len(v.Items) > maxDetails:
		p.refuse(i, "at most "+strconv.Itoa(maxDetails)+" values")
		return nil
	}
	return p.details(v)
}

// recordDetails reads the attributes of a List, Field or other definition: an
// object, or an array of one object.
func (p *params) recordDetails(i int) []enlist.Detail {
	v := p.at(i)
	if inner := unboxOnce(v); inner.Kind == enlist.InputObject {
		v = inner
	}
	if !isObject(v) {
		p.refuse(i, "an object")
		return nil
	}
	return p.details(v)
}

// recordID reads the member "id" from the details of a changed record. It returns -1 if the ID is
// missing or cannot be an ID.
func (p *params) recordID(i int) int64 {
	item := idMember(unboxOnce(p.at(i)))
	if item == nil {
		return -1
	}
	return asID(item)
}

// idMember returns the member "id" of an object, without an array around its value. It returns nil
// if the object has no such member.
func idMember(v *enlist.Input) *enlist.Input {
	i := slices.IndexFunc(v.Items, func(member enlist.Input) bool { return member.Name == "id" })
	if i < 0 {
		return nil
	}
	return unboxOnce(&v.Items[i])
}

// contacts reads the rows of addContacts. Each row is an object with the values of one Contact. The
// parameter is an array of rows, or an object of rows: PHP encodes an array with gaps as an object.
func (p *params) contacts(i int) [][]enlist.Detail {
	items := p.rows(i)
	p.arena.expect(items)
	all := make([][]enlist.Detail, 0, len(items))
	for j := range items {
		if row := p.row(i, &items[j]); p.err == nil {
			all = append(all, p.details(row))
		}
	}
	return all
}

// editRows reads the rows of editContacts. Each row has the ID of its Contact.
func (p *params) editRows(i int) []contacts.EditRow {
	items := p.rows(i)
	p.arena.expect(items)
	all := make([]contacts.EditRow, 0, len(items))
	for j := range items {
		if row := p.row(i, &items[j]); p.err == nil {
			id := p.rowID(i, row)
			all = append(all, contacts.EditRow{ID: enlist.ContactID(id), Details: withoutID(p.details(row))})
		}
	}
	return all
}

// rows returns the rows of a parameter: an array or an object with up to MaxRows Contacts.
func (p *params) rows(i int) []enlist.Input {
	v := p.at(i)
	switch {
	case v.IsScalar():
		p.refuseContacts(i, "an array of Contacts", describeFound(v))
		return nil
	case len(v.Items) > contacts.MaxRows:
		expected := "at most " + strconv.Itoa(contacts.MaxRows) + " Contacts"
		p.refuseAs(shapeCode(p.names, i), i, expected, strconv.Itoa(len(v.Items)))
		return nil
	}
	return v.Items
}

// row returns a row without an array around it. It records an error if the row is not an object or
// has more than maxDetails values.
func (p *params) row(i int, item *enlist.Input) *enlist.Input {
	row := unboxOnce(item)
	switch {
	case !isObject(row):
		p.refuseContacts(i, "an object for each Contact", describeFound(row))
	case len(row.Items) > maxDetails:
		p.refuse(i, "at most "+strconv.Itoa(maxDetails)+" values for each Contact")
	}
	return row
}

// rowID reads the Contact ID of a row. The ID is also the member name in the reply.
func (p *params) rowID(i int, row *enlist.Input) int64 {
	item := idMember(row)
	if item == nil {
		p.refuseContacts(i, "the id of each Contact", "an object without an id")
		return 0
	}
	n, ok := item.AsInt()
	if !ok {
		p.refuseContacts(i, "an integer as the id of each Contact", describeFound(item))
	}
	return n
}

// withoutID removes the id from a row's details.
func withoutID(details []enlist.Detail) []enlist.Detail {
	return slices.DeleteFunc(details, func(d enlist.Detail) bool { return d.Key == "id" })
}

// refuseContacts records that the parameter contacts has the wrong shape. This error has its own
// code.
func (p *params) refuseContacts(i int, expected, found string) {
	p.refuseAs(api.CodeInvalidContactArray, i, expected, found)
}

// contactIDs reads an array of IDs or a single ID. It also reads an object of IDs, because PHP
// encodes an array with gaps as an object.
func (p *params) contactIDs(i int) []enlist.ContactID {
	v := p.at(i)
	if v.IsBlank() {
		return nil
	}
	items := v.Items
	if v.IsScalar() {
		items = []enlist.Input{*v}
	}
	ids := make([]enlist.ContactID, 0, len(items))
	for j := range items {
		n, ok := items[j].AsInt()
		if !ok {
			p.refusePart(i, "an array of integers", &items[j])
			return nil
		}
		ids = append(ids, enlist.ContactID(n))
	}
	return ids
}
