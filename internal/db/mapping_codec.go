package db

import (
	"database/sql/driver"
	"encoding/json"

	"enlist/internal/enlist"
)

// This file contains the codecs of mappings. A value needs a codec if the database does not store it
// as a number, a text or a boolean. The function of a mapping converts the pointer to the type of
// the codec, for example (*NullText)(&c.Mobile).

// NullText is a text. An empty text is stored as NULL.
type NullText string

func (p *NullText) Decode(v driver.Value) error { *p = NullText(TextOf(v)); return nil }
func (p *NullText) Encode() (any, error)        { return OrNull(string(*p)), nil }

// HashBytes is the hash of a key, stored as bytes.
type HashBytes enlist.KeyHash

func (p *HashBytes) Decode(v driver.Value) error { copy(p[:], TextOf(v)); return nil }
func (p *HashBytes) Encode() (any, error)        { return p[:], nil }

// KeyLevel is the access level of a key, stored as a number.
type KeyLevel enlist.Level

func (p *KeyLevel) Decode(v driver.Value) error { *p = KeyLevel(integer(v)); return nil }
func (p *KeyLevel) Encode() (any, error)        { return int64(*p), nil }

// KeyLists are the Lists that a key is allowed to use, stored as a JSON array. NULL means all
// Lists.
type KeyLists []enlist.ListID

func (p *KeyLists) Decode(v driver.Value) error { return DecodeJSON(v, p) }

func (p *KeyLists) Encode() (any, error) {
	if *p == nil {
		return nil, nil
	}
	return EncodeJSON(1, p) // returns [] if *p is empty: the key is not allowed to use any List
}

// KeyRate is the rate of a key, stored as the text that ParseCallRate reads.
type KeyRate enlist.CallRate

func (p *KeyRate) Decode(v driver.Value) error {
	return (*enlist.CallRate)(p).UnmarshalText([]byte(TextOf(v)))
}

func (p *KeyRate) Encode() (any, error) { return enlist.CallRate(*p).String(), nil }

// DedupeKey is the address of a Contact that is the primary of its address. A duplicate has NULL.
type DedupeKey enlist.Contact

func (p *DedupeKey) Decode(v driver.Value) error {
	p.IsFirst, p.Key = v != nil, TextOf(v)
	return nil
}

func (p *DedupeKey) Encode() (any, error) {
	if !p.IsFirst {
		return nil, nil
	}
	return p.Key, nil
}

// DuplicateKey is the address of a duplicate. A primary has NULL. The mapping must read DedupeKey first,
// because decode uses IsFirst.
type DuplicateKey enlist.Contact

func (p *DuplicateKey) Decode(v driver.Value) error {
	if !p.IsFirst {
		p.Key = TextOf(v)
	}
	return nil
}

func (p *DuplicateKey) Encode() (any, error) {
	if p.IsFirst {
		return nil, nil
	}
	return p.Key, nil
}

// Answers are a Contact's answers to preferences, stored as JSON: {"3":true,"4":false}. Without answers,
// "" is stored.
type Answers map[enlist.PreferenceID]bool

func (p *Answers) Decode(v driver.Value) error { return DecodeJSON(v, p) }
func (p *Answers) Encode() (any, error)        { return p.Text() }

func (p *Answers) Text() (string, error) { return EncodeJSON(len(*p), p) }

// Choices are the preferences in a row of the consent ledger, stored as JSON. Without preferences, "" is
// stored.
type Choices []enlist.PreferenceChoice

func (p *Choices) Decode(v driver.Value) error { return DecodeJSON(v, p) }
func (p *Choices) Encode() (any, error)        { return p.Text() }

func (p *Choices) Text() (string, error) { return EncodeJSON(len(*p), p) }

// CriteriaJSON is criteria, stored as JSON. "" means none.
type CriteriaJSON struct{ Criteria **enlist.Criteria }

func (p CriteriaJSON) Decode(v driver.Value) error { return DecodeJSON(v, p.Criteria) }

func (p CriteriaJSON) Encode() (any, error) {
	if *p.Criteria == nil {
		return "", nil
	}
	return EncodeJSON(1, *p.Criteria)
}

// EncodeJSON returns the JSON of v. n is the number of elements of v. If n is 0, EncodeJSON returns
// "".
func EncodeJSON(n int, v any) (string, error) {
	if n == 0 {
		return "", nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}

// DecodeJSON sets p to the value of a column with JSON, or to its zero value if the column is empty.
func DecodeJSON[T any](v driver.Value, p *T) error {
	var empty T
	*p = empty
	if doc := TextOf(v); doc != "" {
		return json.Unmarshal([]byte(doc), p)
	}
	return nil
}

// OrNull returns nil (NULL) for an empty text, because a unique index permits several NULLs.
func OrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
