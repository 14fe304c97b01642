package audience

import (
	"cmp"
	"slices"

	"enlist/internal/address"
	"enlist/internal/enlist"
)

// This file checks the details of a Contact against the Fields of its List, for
// the calls that add or change Contacts.

// parsedContact contains the values that a call sends for one Contact, checked against a Schema.
// The result depends only on the Schema and the day. So a call can parse before its
// transaction. In the transaction it parses again only if the Schema or the day has changed.
type parsedContact struct {
	schema  *enlist.Schema
	today   string // the Account's date, YYYY-MM-DD
	partial bool   // the call identifies the Contact by its ID, so it does not need an address

	values  []parsedValue    // in order of Field ID
	key     string           // normalised address: the email address or, if none was sent, the mobile number
	mobile  string           // normalised mobile number; "" if none was sent
	initial enlist.Values    // of a new Contact; nil: not prepared yet
	consent enlist.LedgerRow // only for a subscription
	ignored int              // number of sent keys that match no Field
	err     error            // the first refusal, in the order of checks
}

// parsedValue is a value that a Field has accepted, in the form that is stored. A text of ""
// removes the value.
type parsedValue struct {
	field *enlist.Field
	text  string
}

// isCurrent reports whether parsing again would give the same result. It compares pointers
// to Schemas: a store returns the same pointer for the same version of a Schema.
func (p *parsedContact) isCurrent(schema *enlist.Schema, today string) bool {
	return p.schema == schema && p.today == today
}

// parse checks the details: first the address, then the other values in the order
// sent. Errors: InvalidEmail, InvalidParameters. reference.md: errors.order
func (p *parsedContact) parse(details []enlist.Detail) error {
	sent, ignored := matchDetails(p.schema, details)
	p.ignored = ignored
	return p.parseSent(sent)
}

// parseSent is parse for values whose Fields are known.
func (p *parsedContact) parseSent(sent []sentValue) error {
	p.values = make([]parsedValue, 0, len(sent))
	email, mobile := p.schema.Email(), p.schema.Mobile()
	for _, first := range []*enlist.Field{email, mobile} {
		if err := p.parseAddress(first, sent); err != nil {
			return err
		}
	}
	if p.key == "" && !p.partial {
		return errNoAddress(p.schema)
	}
	for _, v := range sent {
		if v.field == email || v.field == mobile {
			continue
		}
		text, err := v.field.Read(*v.value, p.today)
		if err != nil {
			return err
		}
		p.values = append(p.values, parsedValue{v.field, v.field.Stored(text)})
	}
	slices.SortFunc(p.values, func(a, b parsedValue) int { return cmp.Compare(a.field.ID, b.field.ID) })
	return nil
}

// errNoAddress refuses a Contact without an address. decisions.md: 23
func errNoAddress(schema *enlist.Schema) error {
	return &enlist.Error{Kind: enlist.InvalidEmail, Field: schema.Email().Name,
		Detail: "the Contact would have no email or mobile address"}
}

// parseAddress checks the value that was sent for an address Field and sets the normalised
// addresses. If the List does not have the Field, f is nil.
func (p *parsedContact) parseAddress(f *enlist.Field, sent []sentValue) error {
	if f == nil {
		return nil
	}
	for _, v := range sent {
		if v.field != f {
			continue
		}
		text, err := f.Read(*v.value, p.today)
		if err != nil {
			return err
		}
		p.values = append(p.values, parsedValue{f, text})
		if text == "" {
			return nil
		}
		if f.AddressType == enlist.AddressEmail {
			_, p.key, _ = address.ParseEmail(text)
			return nil
		}
		p.mobile = address.NormaliseMobile(text, p.schema.List.CountryCode)
		if p.key == "" {
			p.key = p.mobile
		}
	}
	return nil
}

// newContact returns a Contact with the parsed values, and with defaults for Fields that
// were not sent. now is a Unix time.
func (p *parsedContact) newContact(via string, now int64) enlist.Contact {
	if p.initial == nil {
		p.initial = p.initialValues()
	}
	return enlist.Contact{ListID: p.schema.List.ID, Created: now, Modified: now, IsActive: true, SubscribedVia: via,
		Key: p.key, Mobile: p.mobile, IsFirst: true, Values: p.initial}
}

// initialValues returns the values of a new Contact. It visits the Fields and the sent values
// once, both in order of ID, because a List may have a thousand Fields.
func (p *parsedContact) initialValues() enlist.Values {
	values := make(enlist.Values, 0, len(p.schema.Fields))
	sent := p.values
	for _, f := range p.schema.Sorted {
		var text string
		if len(sent) > 0 && sent[0].field == f {
			text, sent = sent[0].text, sent[1:]
		} else {
			text = f.Default(p.today)
		}
		if text != "" {
			values = append(values, enlist.FieldValue{Field: f.ID, Text: text})
		}
	}
	return values
}

// apply sets the sent values in an existing Contact, but does not change the Contact's Key. It
// reports whether a value of the Contact has changed.
func (p *parsedContact) apply(contact *enlist.Contact) (changed bool) {
	old := contact.Values
	merged := make(enlist.Values, 0, len(old)+len(p.values))
	for _, v := range p.values {
		for len(old) > 0 && old[0].Field < v.field.ID {
			merged, old = append(merged, old[0]), old[1:]
		}
		before := ""
		if len(old) > 0 && old[0].Field == v.field.ID {
			before, old = old[0].Text, old[1:]
		}
		changed = changed || v.text != before
		if v.text != "" {
			merged = append(merged, enlist.FieldValue{Field: v.field.ID, Text: v.text})
		}
		if v.field == p.schema.Mobile() {
			contact.Mobile = p.mobile
		}
	}
	contact.Values = append(merged, old...)
	return changed
}

// sentValue is a value that was sent for a Field.
type sentValue struct {
	field *enlist.Field
	value *enlist.Input
	by    keyMatch
}

// keyMatch says how a key was found to be the key of a Field. If several keys are keys of one
// Field, the value of the highest keyMatch is used.
type keyMatch int

// The ways in which a key matches.
const (
	byOtherCase keyMatch = iota // the name in another letter case
	byName                      // the exact name
	byID                        // field_<id>
)

// matchDetails finds the Field of each detail. ignored is the number of details that match no Field.
// reference.md: subscribeContact.rule.5
func matchDetails(s *enlist.Schema, details []enlist.Detail) (sent []sentValue, ignored int) {
	sent = make([]sentValue, 0, len(details))
	for i := range details {
		field, by := fieldOfKey(s, details[i].Key)
		if field == nil {
			ignored++
			continue
		}
		sent = addSent(sent, sentValue{field, &details[i].Value, by})
	}
	return sent, ignored
}

// fieldOfKey returns the Field that a key of a Contact's details means, or nil if it means none. A
// name in another letter case is accepted if it fits only one Field. System keys never mean a
// Field, because clients send complete records back.
func fieldOfKey(s *enlist.Schema, key string) (*enlist.Field, keyMatch) {
	if f := s.ByName[key]; f != nil {
		return f, byName
	}
	if f := s.FieldByKey(key); f != nil {
		return f, byID
	}
	f := s.ByLowerName[address.LowerASCII(key)]
	if f == nil || reserved(key) {
		return nil, 0
	}
	return f, byOtherCase
}

// addSent adds a value. If the Field has a value already, the value with the higher keyMatch is
// used, and of two equal ones the first.
func addSent(sent []sentValue, v sentValue) []sentValue {
	for i := range sent {
		if sent[i].field == v.field {
			if v.by > sent[i].by {
				sent[i] = v
			}
			return sent
		}
	}
	return append(sent, v)
}
