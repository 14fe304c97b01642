package sqlstore

// This file describes tables for package dbcopy, which copies them from SQLite to PostgreSQL. It
// gives a value the same form on both engines, and compares the rows of a table by a checksum.

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Form is the kind of a column's values, whatever type an engine stores them in.
type Form int

// The forms, each with the Go type of its values in a normalised row.
const (
	Number    Form = iota // int64
	Text                  // string
	Bytes                 // []byte
	Document              // JSON: string
	Documents             // an array of JSON values: string
	Texts                 // an array of texts: string, as JSON
	Time                  // int64, Unix milliseconds
	Bits                  // int64
)

// Column is a column of a Table.
type Column struct {
	Name string
	Form Form
}

// Table is a table to copy. Key has the indexes in Columns of its primary key. A table without a
// key has one row.
type Table struct {
	Name    string
	Key     []int
	Columns []Column
}

// KeyOf returns the values of a row's key.
func (t *Table) KeyOf(row []driver.Value) []any {
	key := make([]any, len(t.Key))
	for i, column := range t.Key {
		key[i] = row[column]
	}
	return key
}

// List returns an expression for each column, separated by commas.
func (t *Table) List(expression func(Column) string) string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = expression(c)
	}
	return strings.Join(list, ", ")
}

// Normalise converts the values of a row, in place, to the form that they have on every engine.
// changed reports that U+FFFD has replaced characters that not every engine can store: U+0000, and
// bytes that are not UTF-8.
func (t *Table) Normalise(row []driver.Value) (changed bool, err error) {
	for i, c := range t.Columns {
		if row[i] == nil {
			continue
		}
		var lost bool
		switch c.Form {
		case Number, Time, Bits:
			if _, ok := row[i].(int64); !ok {
				err = fmt.Errorf("there is a %T", row[i])
			}
		case Bytes:
			row[i] = []byte(text(row[i])) // a copy, since the next row overwrites it; never nil, which is NULL
		case Text:
			row[i], lost = Storable(strings.Clone(text(row[i])))
		case Document, Documents, Texts:
			row[i], lost, err = canonicalJSON(text(row[i]))
		}
		if err != nil {
			return false, fmt.Errorf("read %s of %s: %w", c.Name, t.Name, err)
		}
		changed = changed || lost
	}
	return changed, nil
}

// Storable returns a text that every engine can store: U+FFFD replaces U+0000 and invalid UTF-8.
func Storable(text string) (stored string, changed bool) {
	if strings.IndexByte(text, 0) < 0 && utf8.ValidString(text) {
		return text, false
	}
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", string(utf8.RuneError)), string(utf8.RuneError)), true
}

// escapedNUL replaces the escape of U+0000 in JSON. Its first pair passes over escaped backslashes:
// the text \\u0000 is a backslash and no U+0000.
var escapedNUL = strings.NewReplacer(`\\`, `\\`, `\u0000`, string(utf8.RuneError))

// canonicalJSON writes JSON with sorted names and without spaces. Numbers keep their text: 12.50
// stays 12.50.
func canonicalJSON(doc string) (canonical string, changed bool, err error) {
	valid, changed := Storable(doc)
	v := jsontext.Value(valid)
	err = v.Format(jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawInts(false),
		jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", false, err
	}
	canonical = escapedNUL.Replace(string(v))
	return canonical, changed || canonical != string(v), nil
}

// Checksum is a checksum of a table's rows. It does not depend on their order.
type Checksum struct {
	Rows int64
	Hash [4]uint64 // the sum of the rows' SHA-256
}

// Add adds a normalised row.
func (s *Checksum) Add(row []driver.Value) error {
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(text)
	for i := range s.Hash {
		s.Hash[i] += binary.BigEndian.Uint64(hash[8*i:])
	}
	s.Rows++
	return nil
}
