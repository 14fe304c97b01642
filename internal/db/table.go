package db

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

// This file describes tables for package dbcopy, which copies them. It converts the values of both engines to one form,
// so that dbcopy can compare the rows by a checksum.

// Form is the kind of a column's values. A column has the same Form on all engines, even if its SQL type differs.
// PostgreSQL knows the forms of its columns. A copy from SQLite to SQLite needs none.
type Form int

// The forms. A comment states the Go type of the values in a normalised row.
const (
	Unknown   Form = iota // as SQLite stores it
	Number                // int64
	Text                  // string
	Bytes                 // []byte
	Document              // string: JSON
	Documents             // string: a JSON array of JSON values
	Texts                 // string: a JSON array of texts
	Time                  // int64: Unix time in milliseconds
	Bits                  // int64
)

// Column is a column of a Table.
type Column struct {
	Name string
	Form Form
}

// Table is a table to copy. Catalogue has one row, which the migration has inserted.
type Table struct {
	Name    string
	Columns []Column
}

// Catalogue is the name of the table with the version of the definitions.
const Catalogue = "catalogue"

// Names returns the names of all columns, separated by commas.
func (t *Table) Names() string { return t.List(func(c Column) string { return c.Name }) }

// List returns the expressions for all columns, separated by commas.
func (t *Table) List(expression func(Column) string) string {
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = expression(c)
	}
	return strings.Join(list, ", ")
}

// Normalise converts the values of a row in place to the form that is the same for all engines. Not every
// engine can store the character U+0000 or bytes that are not UTF-8, so Normalise replaces them by U+FFFD
// in texts and in JSON. changed is true if it has replaced any.
func (t *Table) Normalise(row []driver.Value) (changed bool, err error) {
	for i, c := range t.Columns {
		if row[i] == nil {
			continue
		}
		var lost bool
		switch c.Form {
		case Number, Time, Bits:
			if _, ok := row[i].(int64); !ok {
				err = fmt.Errorf("the value is a %T and not an int64", row[i])
			}
		case Bytes:
			row[i] = []byte(TextOf(row[i])) // a copy, because the next row overwrites the bytes; not nil, because nil means NULL
		case Text:
			row[i], lost = Storable(strings.Clone(TextOf(row[i])))
		case Document, Documents, Texts:
			row[i], lost, err = canonicalJSON(TextOf(row[i]))
		}
		if err != nil {
			return false, fmt.Errorf("read %s of %s: %w", c.Name, t.Name, err)
		}
		changed = changed || lost
	}
	return changed, nil
}

// Storable returns a text that every engine can store. It replaces U+0000 and invalid UTF-8 by U+FFFD.
// changed reports whether it replaced anything.
func Storable(text string) (stored string, changed bool) {
	if strings.IndexByte(text, 0) < 0 && utf8.ValidString(text) {
		return text, false
	}
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", string(utf8.RuneError)), string(utf8.RuneError)), true
}

// escapedNUL replaces the escape of U+0000 in JSON. The first pair of arguments skips escaped
// backslashes, because \\u0000 means a backslash and the text u0000.
var escapedNUL = strings.NewReplacer(`\\`, `\\`, `\u0000`, string(utf8.RuneError))

// canonicalJSON returns JSON with sorted names and without spaces. It does not change the text of a
// number: 12.50 stays 12.50.
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

// CountChange is a change of the number of Contacts of a List and of its Account, which PostgreSQL has not added
// to the stored counts yet.
type CountChange struct{ List, Account, N int64 }

// Checksum is a checksum of the rows of a table. It does not depend on the order of the rows.
type Checksum struct {
	Rows int64
	Hash [4]uint64 // the sum of the SHA-256 hashes of the rows
}

// Add adds a normalised row to the checksum.
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
