package audience

import (
	"strconv"
	"strings"

	"enlist/internal/address"
)

// This file checks the details of a Contact against the Fields of its List, for
// the calls that add or change Contacts.

// parsedContact contains the values that a call sends for one Contact, checked against a Schema.
// The result depends only on the Schema and the day. So a call can parse before its
// transaction. In the transaction it parses again only if the Schema or the day has changed.
type parsedContact struct {
	schema  *Schema
	today   string // the Account's date, YYYY-MM-DD
	partial bool   // the call identifies the Contact by its ID, so it does not need an address

	values  []parsedValue // of address Fields first, then the others in the order sent
	key     string        // normalised address: the email address or, if none was sent, the mobile number
	mobile  string        // normalised mobile number; "" if none was sent
	consent LedgerRow     // only for a subscription
	ignored int           // number of sent keys that match no Field
	err     error         // the first refusal, in the order of checks
}

// parsedValue is a value that a Field has accepted, in the form that is stored. A text of ""
// removes the value.
type parsedValue struct {
	field *Field
	text  string
}

// isCurrent reports whether parsing again would give the same result. It compares pointers
// to Schemas: a store returns the same pointer for the same version of a Schema.
func (p *parsedContact) isCurrent(schema *Schema, today string) bool {
	return p.schema == schema && p.today == today
}

// parse checks the details: first the address, then the other values in the order
// sent. Errors: InvalidEmail, InvalidParameters. decisions.md: 13
func (p *parsedContact) parse(details []Detail) error {
	sent, ignored := p.schema.match(details)
	p.ignored = ignored
	p.values = make([]parsedValue, 0, len(sent))
	email, mobile := p.schema.Email(), p.schema.Mobile()
	for _, first := range []*Field{email, mobile} {
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
	return nil
}

// errNoAddress refuses a Contact without an address. decisions.md: 23
func errNoAddress(schema *Schema) error {
	return &Error{Kind: InvalidEmail, Field: schema.Email().Name,
		Detail: "the Contact would have no email or mobile address"}
}

// parseAddress checks the value that was sent for an address Field and sets the normalised
// addresses. If the List does not have the Field, f is nil.
func (p *parsedContact) parseAddress(f *Field, sent []sentValue) error {
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
		if f.AddressType == AddressEmail {
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
func (p *parsedContact) newContact(via string, now int64) Contact {
	c := Contact{ListID: p.schema.List.ID, Created: now, Modified: now, IsActive: true, SubscribedVia: via,
		Key: p.key, Mobile: p.mobile, IsFirst: true, Values: make(Values, 0, len(p.schema.Fields))}
	for i := range p.schema.Fields {
		f := &p.schema.Fields[i]
		text, sent := p.value(f)
		if !sent {
			text = f.Default(p.today)
		}
		c.Values = c.Values.Set(f.ID, text)
	}
	return c
}

// value returns the value that was sent for a Field. sent is false if no value was sent.
func (p *parsedContact) value(f *Field) (text string, sent bool) {
	for _, v := range p.values {
		if v.field == f {
			return v.text, true
		}
	}
	return "", false
}

// apply sets the sent values in an existing Contact, but does not change the Contact's Key. It
// reports whether a value of the Contact has changed.
func (p *parsedContact) apply(contact *Contact) (changed bool) {
	for _, v := range p.values {
		if contact.Values.Get(v.field.ID) != v.text {
			contact.Values = contact.Values.Set(v.field.ID, v.text)
			changed = true
		}
		if v.field == p.schema.Mobile() {
			contact.Mobile = p.mobile
		}
	}
	return changed
}

// sentValue is a value that was sent for a Field.
type sentValue struct {
	field *Field
	value *Input
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

// match finds the Field of each detail. ignored is the number of details that match no Field.
// decisions.md: 20
func (s *Schema) match(details []Detail) (sent []sentValue, ignored int) {
	sent = make([]sentValue, 0, len(details))
	for i := range details {
		field, by := s.fieldOfKey(details[i].Key)
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
func (s *Schema) fieldOfKey(key string) (*Field, keyMatch) {
	if f := s.byName[key]; f != nil {
		return f, byName
	}
	if f := s.fieldByKey(key); f != nil {
		return f, byID
	}
	f := s.byLowerName[address.LowerASCII(key)]
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

// fieldByKey returns the Field with a key of the form field_<id>, or nil if there is none.
func (s *Schema) fieldByKey(key string) *Field {
	digits, ok := strings.CutPrefix(key, "field_")
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' { // ParseInt would accept +3 and 03
		return nil
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return nil
	}
	return s.byID[FieldID(id)]
}
