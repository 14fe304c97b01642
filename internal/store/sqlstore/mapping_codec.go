package sqlstore

// This file contains the codecs of mappings: forms of columns other than a number, a text or a
// boolean. Each codec is a type to which a pointer to a struct's field converts, as in
// (*nullText)(&c.Mobile).

import (
	"database/sql/driver"
	"encoding/json"

	"enlist/internal/audience"
)

// The codecs of columns that are no plain number, text or condition. Each is a type
// that a pointer to the struct's field converts to: (*nullText)(&c.Mobile).

// nullText is a text that is NULL where it is empty.
type nullText string

func (p *nullText) decode(v driver.Value) error { *p = nullText(text(v)); return nil }
func (p *nullText) encode() (any, error)        { return orNull(string(*p)), nil }

// hashBytes is a key's hash.
type hashBytes audience.KeyHash

func (p *hashBytes) decode(v driver.Value) error { copy(p[:], text(v)); return nil }
func (p *hashBytes) encode() (any, error)        { return p[:], nil }

// keyLevel is what a key may do, a number.
type keyLevel audience.Level

func (p *keyLevel) decode(v driver.Value) error { *p = keyLevel(integer(v)); return nil }
func (p *keyLevel) encode() (any, error)        { return int64(*p), nil }

// keyLists are the Lists of a key as a JSON array; NULL means all Lists.
type keyLists []audience.ListID

func (p *keyLists) decode(v driver.Value) error {
	*p = nil
	if v == nil {
		return nil
	}
	return json.Unmarshal([]byte(text(v)), p)
}

func (p *keyLists) encode() (any, error) {
	if *p == nil {
		return nil, nil
	}
	b, err := json.Marshal(*p)
	return string(b), err
}

// dedupeKey is the address of a Contact that is the first of its List with it; NULL
// in all others.
type dedupeKey audience.Contact

func (p *dedupeKey) decode(v driver.Value) error {
	p.IsFirst, p.Key = v != nil, text(v)
	return nil
}

func (p *dedupeKey) encode() (any, error) {
	if p.IsFirst {
		return p.Key, nil
	}
	return nil, nil
}

// duplicateKey is the address of a Contact that is not the first; NULL in the first.
// It is read after dedupeKey.
type duplicateKey audience.Contact

func (p *duplicateKey) decode(v driver.Value) error {
	if !p.IsFirst {
		p.Key = text(v)
	}
	return nil
}

func (p *duplicateKey) encode() (any, error) {
	if p.IsFirst {
		return nil, nil
	}
	return p.Key, nil
}

// answers are a Contact's preferences as JSON, {"3":true,"4":false}; "" if there are
// none.
type answers map[audience.PreferenceID]bool

func (p *answers) decode(v driver.Value) error {
	*p = nil
	doc := text(v)
	if doc == "" {
		return nil
	}
	return json.Unmarshal([]byte(doc), p)
}

func (p *answers) encode() (any, error) { return encodePreferences(*p), nil }
