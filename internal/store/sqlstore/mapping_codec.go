package sqlstore

// This file contains the codecs of mappings: forms of columns other than a number, a text or a
// boolean. Each codec is a type to which a pointer to a struct's field converts, as in
// (*nullText)(&c.Mobile).

import (
	"database/sql/driver"
	"encoding/json"

	"enlist/internal/audience"
)

// nullText is a text. NULL stands for an empty one.
type nullText string

func (p *nullText) decode(v driver.Value) error { *p = nullText(text(v)); return nil }
func (p *nullText) encode() (any, error)        { return orNull(string(*p)), nil }

// hashBytes is a key's hash.
type hashBytes audience.KeyHash

func (p *hashBytes) decode(v driver.Value) error { copy(p[:], text(v)); return nil }
func (p *hashBytes) encode() (any, error)        { return p[:], nil }

// keyLevel is the access level of a key.
type keyLevel audience.Level

func (p *keyLevel) decode(v driver.Value) error { *p = keyLevel(integer(v)); return nil }
func (p *keyLevel) encode() (any, error)        { return int64(*p), nil }

// keyLists are the Lists of a key as a JSON array; NULL means all Lists.
type keyLists []audience.ListID

func (p *keyLists) decode(v driver.Value) error { return decodeJSON(v, p) }

func (p *keyLists) encode() (any, error) {
	if *p == nil {
		return nil, nil
	}
	return encodeJSON(1, p) // an empty list is stored too: such a key may use no List
}

// dedupeKey is the address of a Contact that is the primary of its address. It is NULL in a duplicate.
type dedupeKey audience.Contact

func (p *dedupeKey) decode(v driver.Value) error {
	p.IsFirst, p.Key = v != nil, text(v)
	return nil
}

func (p *dedupeKey) encode() (any, error) {
	if !p.IsFirst {
		return nil, nil
	}
	return p.Key, nil
}

// duplicateKey is the address of a duplicate. It is NULL in a primary. It is read after dedupeKey.
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

// answers are a Contact's answers to preferences as JSON, {"3":true,"4":false}, or "" without any.
type answers map[audience.PreferenceID]bool

func (p *answers) decode(v driver.Value) error { return decodeJSON(v, p) }
func (p *answers) encode() (any, error)        { return p.text() }

func (p *answers) text() (string, error) { return encodeJSON(len(*p), p) }

// choices are the preferences in a row of the consent ledger as JSON, or "" without any.
type choices []audience.PreferenceChoice

func (p *choices) decode(v driver.Value) error { return decodeJSON(v, p) }
func (p *choices) encode() (any, error)        { return p.text() }

func (p *choices) text() (string, error) { return encodeJSON(len(*p), p) }

// encodeJSON returns the JSON of a value with n elements, or "" without any.
func encodeJSON(n int, v any) (string, error) {
	if n == 0 {
		return "", nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}

// decodeJSON sets p to the value of a column with JSON, or to its zero value if the column is empty.
func decodeJSON[T any](v driver.Value, p *T) error {
	var empty T
	*p = empty
	if doc := text(v); doc != "" {
		return json.Unmarshal([]byte(doc), p)
	}
	return nil
}
