package audience

import (
	"database/sql/driver"
	"encoding/json"

	"enlist/internal/enlist"
)

// This file contains the codecs of mappings. A value needs a codec if the database does not store it
// as a number, a text or a boolean. The function of a mapping converts the pointer to the type of
// the codec, for example (*nullText)(&c.Mobile).

// nullText is a text. An empty text is stored as NULL.
type nullText string

func (p *nullText) decode(v driver.Value) error { *p = nullText(text(v)); return nil }
func (p *nullText) encode() (any, error)        { return orNull(string(*p)), nil }

// hashBytes is the hash of a key, stored as bytes.
type hashBytes enlist.KeyHash

func (p *hashBytes) decode(v driver.Value) error { copy(p[:], text(v)); return nil }
func (p *hashBytes) encode() (any, error)        { return p[:], nil }

// keyLevel is the access level of a key, stored as a number.
type keyLevel enlist.Level

func (p *keyLevel) decode(v driver.Value) error { *p = keyLevel(integer(v)); return nil }
func (p *keyLevel) encode() (any, error)        { return int64(*p), nil }

// keyLists are the Lists that a key is allowed to use, stored as a JSON array. NULL means all
// Lists.
type keyLists []enlist.ListID

func (p *keyLists) decode(v driver.Value) error { return decodeJSON(v, p) }

func (p *keyLists) encode() (any, error) {
	if *p == nil {
		return nil, nil
	}
	return encodeJSON(1, p) // returns [] if *p is empty: the key is not allowed to use any List
}

// keyRate is the rate of a key, stored as the text that ParseCallRate reads.
type keyRate enlist.CallRate

func (p *keyRate) decode(v driver.Value) error {
	return (*enlist.CallRate)(p).UnmarshalText([]byte(text(v)))
}

func (p *keyRate) encode() (any, error) { return enlist.CallRate(*p).String(), nil }

// dedupeKey is the address of a Contact that is the primary of its address. A duplicate has NULL.
type dedupeKey enlist.Contact

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

// duplicateKey is the address of a duplicate. A primary has NULL. The mapping must read dedupeKey first,
// because decode uses IsFirst.
type duplicateKey enlist.Contact

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

// answers are a Contact's answers to preferences, stored as JSON: {"3":true,"4":false}. Without answers,
// "" is stored.
type answers map[enlist.PreferenceID]bool

func (p *answers) decode(v driver.Value) error { return decodeJSON(v, p) }
func (p *answers) encode() (any, error)        { return p.text() }

func (p *answers) text() (string, error) { return encodeJSON(len(*p), p) }

// choices are the preferences in a row of the consent ledger, stored as JSON. Without preferences, "" is
// stored.
type choices []PreferenceChoice

func (p *choices) decode(v driver.Value) error { return decodeJSON(v, p) }
func (p *choices) encode() (any, error)        { return p.text() }

func (p *choices) text() (string, error) { return encodeJSON(len(*p), p) }

// encodeJSON returns the JSON of v. n is the number of elements of v. If n is 0, encodeJSON returns
// "".
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
