package rpc

import (
	"strconv"
	"strings"

	"enlist/api"
	"enlist/internal/audience"
)

// params are the positional parameters of a call, api_key at 0. The first one
// of the wrong shape is remembered in err; what is read after it means nothing.
type params struct {
	names  []string // of the signature, api_key first
	values []value
	arena  *arena
	err    error
}

var omitted = value{kind: kNull}

// at returns a parameter; one that was not sent is null. decisions.md: 7
func (p *params) at(i int) *value {
	if i < len(p.values) {
		return &p.values[i]
	}
	return &omitted
}

// refuse remembers that a parameter has the wrong shape.
func (p *params) refuse(i int, expected string) { p.refusePart(i, expected, p.at(i)) }

// refusePart does so for something within a parameter.
func (p *params) refusePart(i int, expected string, found *value) {
	if p.err != nil {
		return
	}
	r := refuse(shapeCode(p.names, i), "parameter %d, %s: expected %s, not %s", i+1, p.names[i], expected, found.shown())
	r.position = i + 1
	p.err = r
}

// shapeCode is the code for a parameter of the wrong shape. decisions.md: 13
func shapeCode(names []string, i int) api.Code {
	if i < len(names) {
		switch names[i] {
		case "search_criteria", "limit", "offset", "sort_by", "sort_order", "returned_fields":
			return api.CodeInvalidSearch
		}
	}
	return api.CodeInvalidParameters
}

// id reads an ID. One that no record can have becomes -1, so that the domain
// answers 303 or 304 in its turn. decisions.md: 13
func (p *params) id(i int) int64 {
	v := p.at(i)
	if v.kind == kNull || v.kind == kFalse {
		return -1
	}
	n, ok := v.integer()
	if !ok {
		p.refuse(i, "an integer")
	}
	return max(n, -1)
}

// optionalID reads an ID that may be left out, which is 0.
func (p *params) optionalID(i int) int64 {
	if p.at(i).omitted() {
		return 0
	}
	return p.id(i)
}

func (p *params) list(i int) audience.ListID       { return audience.ListID(p.id(i)) }
func (p *params) contact(i int) audience.ContactID { return audience.ContactID(p.id(i)) }
func (p *params) field(i int) audience.FieldID     { return audience.FieldID(p.id(i)) }

// text reads a string; null is "".
func (p *params) text(i int) string {
	v := p.at(i)
	if v.kind != kString && v.kind != kNull {
		p.refuse(i, "a string")
	}
	return v.text
}

// requiredText reads a string that may not be empty.
func (p *params) requiredText(i int) string {
	if p.at(i).omitted() {
		p.refuse(i, "a string that is not empty")
	}
	return p.text(i)
}

// flag reads a boolean; one that is left out is false. decisions.md: 7
func (p *params) flag(i int) bool {
	v := p.at(i)
	if v.omitted() {
		return false
	}
	b, ok := v.boolean()
	if !ok {
		p.refuse(i, "true or false")
	}
	return b
}

// address reads an email address or a mobile number, which may be sent as a
// number: with its exponent written out, as in a Contact's values. decisions.md: 21
func (p *params) address(i int) string {
	if v := p.at(i); v.kind == kNumber {
		if text, ok := v.input().AsText(); ok {
			return text
		}
	}
	return p.requiredText(i)
}

// consent reads consent_type, consent_text, list_preferences and ip_address,
// which stand in a row. specification: Consent
func (p *params) consent(i int) audience.Consent {
	return audience.Consent{
		Type:        consentType(p.at(i)),
		Text:        p.text(i + 1),
		Preferences: p.preferences(i + 2),
		IP:          p.text(i + 3),
	}
}

// consentType passes on what is no consent type, whatever it is: the domain
// refuses it with 334 after it has looked at the List. decisions.md: 27
func consentType(v *value) audience.ConsentType {
	switch {
	case v.omitted():
		return ""
	case v.kind == kString:
		return audience.ConsentType(v.text)
	}
	return audience.ConsentType(v.describe())
}

// preferences reads an object of booleans; null values count as absent. decisions.md: 28
func (p *params) preferences(i int) []audience.PreferenceChoice {
	v := p.at(i)
	switch {
	case v.omitted() || v.kind == kArray && len(v.items) == 0:
		return nil
	case v.kind != kObject:
		p.refuse(i, "an object of booleans")
		return nil
	}
	choices := make([]audience.PreferenceChoice, 0, len(v.items))
	for j := range v.items {
		item := &v.items[j]
		if item.omitted() {
			continue
		}
		agree, ok := item.boolean()
		if !ok {
			p.refusePart(i, "true or false for each preference", item)
			return nil
		}
		choices = append(choices, audience.PreferenceChoice{Name: item.name, Agree: agree})
	}
	return choices
}

// maxDetails is how many values may be sent for one Contact: they are matched
// with Fields while the writer waits. decisions.md: 20
const maxDetails = 10_000

// contactDetails reads the values of one Contact. specification: subscribeContact, contact_details
func (p *params) contactDetails(i int) []audience.Detail {
	v := p.at(i)
	if v.kind != kObject && (v.kind != kArray || len(v.items) > 0) {
		p.refuse(i, "an object of values by Field name")
		return nil
	}
	if len(v.items) > maxDetails {
		p.refuse(i, "at most "+strconv.Itoa(maxDetails)+" values")
		return nil
	}
	return p.details(v)
}

// recordDetails reads the attributes of a List or Field: an object, or an array
// that holds one. methods: Lists
func (p *params) recordDetails(i int) []audience.Detail {
	v := p.at(i)
	if v.kind == kArray && len(v.items) == 1 && v.items[0].kind == kObject {
		v = &v.items[0]
	}
	if v.kind != kObject && (v.kind != kArray || len(v.items) > 0) {
		p.refuse(i, "an object")
		return nil
	}
	return p.details(v)
}

// recordID reads the "id" that details of an edit carry. One that is left out is -1.
func (p *params) recordID(i int) int64 {
	v := p.at(i)
	if v.kind == kArray && len(v.items) == 1 {
		v = &v.items[0]
	}
	for j := range v.items {
		item := unboxed(&v.items[j])
		if v.items[j].name != "id" || item.kind == kNull || item.kind == kFalse {
			continue
		}
		n, ok := item.integer()
		if !ok {
			p.refusePart(i, "an integer as the id in it", item)
		}
		return max(n, -1)
	}
	return -1
}

// details keeps members in the order sent, out of their boxes. decisions.md: 7
func (p *params) details(v *value) []audience.Detail {
	start := len(p.arena.details)
	for i := range v.items {
		p.arena.details = append(p.arena.details, audience.Detail{Key: v.items[i].name, Value: unboxed(&v.items[i]).input()})
	}
	return p.arena.details[start:]
}

// unboxed takes a value out of a one-element array.
func unboxed(v *value) *value {
	if v.kind == kArray && len(v.items) == 1 {
		return &v.items[0]
	}
	return v
}

// defaultLimit is how many records a search returns when nothing else is said.
// specification: Limits
const defaultLimit = 100

// query reads search_criteria, limit, offset, sort_by and sort_order, which
// stand in a row. specification: Search criteria
func (p *params) query(i int) audience.Query {
	q := audience.Query{Criteria: p.criteria(i), Limit: p.limit(i + 1), Offset: p.offset(i + 2)}
	if v := p.at(i + 3); v.kind == kString || v.kind == kNull {
		q.SortBy = v.text
	} else {
		p.refuse(i+3, "the name of a key")
	}
	q.Descending = p.descending(i + 4)
	return q
}

// limit reads a number of records: 0 means no limit. decisions.md: 38
func (p *params) limit(i int) int64 {
	if p.at(i).omitted() {
		return defaultLimit
	}
	return p.amount(i)
}

func (p *params) offset(i int) int64 {
	if p.at(i).omitted() {
		return 0
	}
	return p.amount(i)
}

func (p *params) amount(i int) int64 {
	n, ok := p.at(i).integer()
	if !ok || n < 0 {
		p.refuse(i, "an integer of 0 or more")
	}
	return n
}

// descending reads a sort order. decisions.md: 37
func (p *params) descending(i int) bool {
	v := p.at(i)
	switch {
	case v.omitted(), v.kind == kString && strings.EqualFold(v.text, "DESC"):
		return true
	case v.kind == kString && strings.EqualFold(v.text, "ASC"):
		return false
	}
	p.refuse(i, "ASC or DESC")
	return true
}

// returnedFields reads the names of what to return; nil means all. decisions.md: 40
func (p *params) returnedFields(i int) []string {
	v := p.at(i)
	switch {
	case v.omitted() || v.kind == kArray && len(v.items) == 0:
		return nil
	case v.kind == kString:
		return []string{v.text}
	case v.kind != kArray:
		p.refuse(i, "an array of names")
		return nil
	}
	list := make([]string, len(v.items))
	for j := range v.items {
		if item := &v.items[j]; item.kind != kString && item.kind != kNumber {
			p.refusePart(i, "an array of names", item)
			return nil
		}
		list[j] = v.items[j].text
	}
	return list
}
