package contacts

import (
	"cmp"
	"slices"

	"enlist/internal/address"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file checks the details of a Contact against the Fields of its List, for
// the calls that add or change Contacts.

// ParsedContact contains the values that a call sends for one Contact, checked against a Schema.
// The result depends only on the Schema and the day. So a call can parse before its
// transaction. In the transaction it parses again only if the Schema or the day has changed.
type ParsedContact struct {
	Schema  *enlist.Schema
	Today   string // the Account's date, YYYY-MM-DD
	partial bool   // the call identifies the Contact by its ID, so it does not need an address

	Values  []parsedValue    // in order of Field ID
	Key     string           // normalised address: the email address or, if none was sent, the mobile number
	Mobile  string           // normalised mobile number; "" if none was sent
	Initial enlist.Values    // of a new Contact; nil: not prepared yet
	consent enlist.LedgerRow // only for a subscription

	Language string            // in which the person gets mails; "": none was sent
	forgets  bool              // the language is not known any more
	tracking *TrackingDecision // nil: none was sent
	err      error             // the first refusal, in the order of checks
}

// parsedValue is a value that a Field has accepted, in the form that is stored. A text of ""
// removes the value.
type parsedValue struct {
	Field *enlist.Field
	Text  string
}

// IsCurrent reports whether parsing again would give the same result. It compares pointers
// to Schemas: a store returns the same pointer for the same version of a Schema.
func (p *ParsedContact) IsCurrent(schema *enlist.Schema, today string) bool {
	return p.Schema == schema && p.Today == today
}

// parse checks the details: first the address, then the other values in the order
// sent. Errors: InvalidEmail, InvalidParameters. reference.md: errors.order
func (p *ParsedContact) parse(details []enlist.Detail) error {
	if err := p.ParseSent(MatchDetails(p.Schema, details)); err != nil {
		return err
	}
	if err := p.parseLanguage(details); err != nil {
		return err
	}
	return p.parseTracking(details)
}

// ParseSent is parse for values whose Fields are known.
func (p *ParsedContact) ParseSent(sent []SentValue) error {
	p.Values = make([]parsedValue, 0, len(sent))
	email, mobile := p.Schema.Email(), p.Schema.Mobile()
	for _, first := range []*enlist.Field{email, mobile} {
		if err := p.parseAddress(first, sent); err != nil {
			return err
		}
	}
	if p.Key == "" && !p.partial {
		return errNoAddress(p.Schema)
	}
	for _, v := range sent {
		if v.Field == email || v.Field == mobile {
			continue
		}
		text, err := v.Field.Read(*v.Value, p.Today)
		if err != nil {
			return err
		}
		p.Values = append(p.Values, parsedValue{v.Field, v.Field.Stored(text)})
	}
	slices.SortFunc(p.Values, func(a, b parsedValue) int { return cmp.Compare(a.Field.ID, b.Field.ID) })
	return nil
}

// errNoAddress refuses a Contact without an address. decisions.md: 23
func errNoAddress(schema *enlist.Schema) error {
	return &enlist.Error{Kind: enlist.InvalidEmail, Field: schema.Email().Name,
		Detail: "the Contact would have no email or mobile address"}
}

// parseAddress checks the value that was sent for an address Field and sets the normalised
// addresses. If the List does not have the Field, f is nil.
func (p *ParsedContact) parseAddress(f *enlist.Field, sent []SentValue) error {
	if f == nil {
		return nil
	}
	for _, v := range sent {
		if v.Field != f {
			continue
		}
		text, err := f.Read(*v.Value, p.Today)
		if err != nil {
			return err
		}
		p.Values = append(p.Values, parsedValue{f, text})
		if text == "" {
			return nil
		}
		if f.AddressType == enlist.AddressEmail {
			_, p.Key, _ = address.ParseEmail(text)
			return nil
		}
		p.Mobile = address.NormaliseMobile(text, p.Schema.List.CountryCode)
		if p.Key == "" {
			p.Key = p.Mobile
		}
	}
	return nil
}

// NewContact returns a Contact with the parsed values, and with defaults for Fields that
// were not sent. now is a Unix time.
func (p *ParsedContact) NewContact(via string, now int64) enlist.Contact {
	if p.Initial == nil {
		p.Initial = p.InitialValues()
	}
	return enlist.Contact{ListID: p.Schema.List.ID, Created: now, Modified: now, IsActive: true, SubscribedVia: via,
		Key: p.Key, Mobile: p.Mobile, IsFirst: true, Values: p.Initial, Language: p.Language}
}

// InitialValues returns the values of a new Contact. It visits the Fields and the sent values
// once, both in order of ID, because a List may have a thousand Fields.
func (p *ParsedContact) InitialValues() enlist.Values {
	values := make(enlist.Values, 0, len(p.Schema.Fields))
	sent := p.Values
	for _, f := range p.Schema.Sorted {
		var text string
		if len(sent) > 0 && sent[0].Field == f {
			text, sent = sent[0].Text, sent[1:]
		} else {
			text = f.Default(p.Today)
		}
		if text != "" {
			values = append(values, enlist.FieldValue{Field: f.ID, Text: text})
		}
	}
	return values
}

// Apply sets the sent values and the language in an existing Contact, but does not change the Contact's Key. It
// reports whether a value or the language of the Contact has changed.
func (p *ParsedContact) Apply(contact *enlist.Contact) (changed bool) {
	old := contact.Values
	merged := make(enlist.Values, 0, len(old)+len(p.Values))
	for _, v := range p.Values {
		for len(old) > 0 && old[0].Field < v.Field.ID {
			merged, old = append(merged, old[0]), old[1:]
		}
		before := ""
		if len(old) > 0 && old[0].Field == v.Field.ID {
			before, old = old[0].Text, old[1:]
		}
		changed = changed || v.Text != before
		if v.Text != "" {
			merged = append(merged, enlist.FieldValue{Field: v.Field.ID, Text: v.Text})
		}
		if v.Field == p.Schema.Mobile() {
			contact.Mobile = p.Mobile
		}
	}
	contact.Values = append(merged, old...)
	return p.speak(contact) || changed
}

// SentValue is a value that was sent for a Field.
type SentValue struct {
	Field *enlist.Field
	Value *enlist.Input
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

// MatchDetails finds the Field of each detail. It ignores details that match no Field.
// reference.md: subscribeContact.rule.5
func MatchDetails(s *enlist.Schema, details []enlist.Detail) []SentValue {
	sent := make([]SentValue, 0, len(details))
	for i := range details {
		field, by := FieldOfKey(s, details[i].Key)
		if field != nil {
			sent = addSent(sent, SentValue{field, &details[i].Value, by})
		}
	}
	return sent
}

// FieldOfKey returns the Field that a key of a Contact's details means, or nil if it means none. A
// name in another letter case is accepted if it fits only one Field. System keys never mean a
// Field, because clients send complete records back.
func FieldOfKey(s *enlist.Schema, key string) (*enlist.Field, keyMatch) {
	if f := s.ByName[key]; f != nil {
		return f, byName
	}
	if f := s.FieldByKey(key); f != nil {
		return f, byID
	}
	f := s.ByLowerName[address.LowerASCII(key)]
	if f == nil || lists.Reserved(key) {
		return nil, 0
	}
	return f, byOtherCase
}

// addSent adds a value. If the Field has a value already, the value with the higher keyMatch is
// used, and of two equal ones the first.
func addSent(sent []SentValue, v SentValue) []SentValue {
	for i := range sent {
		if sent[i].Field == v.Field {
			if v.by > sent[i].by {
				sent[i] = v
			}
			return sent
		}
	}
	return append(sent, v)
}
