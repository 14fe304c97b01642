package sqlstore

// This file describes tables for package dbcopy, which copies them from SQLite to PostgreSQL, and
// normalises and compares their rows.

import (
	"bytes"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Form says what a column holds, whatever an engine keeps it in.
type Form int

// The forms, and what a row of a table that is read whole has for them.
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

// Column is a column of a table that is read or written whole.
type Column struct {
	Name string
	Form Form
}

// Table is such a table. Key are the columns that tell its rows apart, as numbers
// of Columns; one without has a single row.
type Table struct {
	Name    string
	Key     []int
	Columns []Column
}

// KeyOf is what a row has in the key's columns.
func (t *Table) KeyOf(row []driver.Value) []driver.Value {
	key := make([]driver.Value, len(t.Key))
	for i, column := range t.Key {
		key[i] = row[column]
	}
	return key
}

// Normalise gives a row that an engine has read the one form that it has on every
// engine, in place. changed says that it has lost characters that not every engine
// can hold: U+0000, and bytes that are no UTF-8.
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
			if b, ok := row[i].([]byte); ok {
				row[i] = bytes.Clone(b) // the next row overwrites it
			} else {
				row[i] = []byte(text(row[i]))
			}
		case Text:
			row[i], lost = storable(strings.Clone(text(row[i])))
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

// storable is a text without what an engine may refuse.
func storable(text string) (held string, changed bool) {
	if strings.IndexByte(text, 0) < 0 && utf8.ValidString(text) {
		return text, false
	}
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", string(utf8.RuneError)), string(utf8.RuneError)), true
}

// canonicalJSON writes JSON with its names in order, without spaces, and with
// numbers as they were: 12.50 stays 12.50.
func canonicalJSON(doc string) (canonical string, changed bool, err error) {
	valid, changed := storable(doc)
	d := json.NewDecoder(strings.NewReader(valid))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", false, err
	}
	if strings.Contains(valid, `\u`) { // else no U+0000 is in it
		var lost bool
		v, lost = storableValue(v)
		changed = changed || lost
	}
	b, err := json.Marshal(v)
	return string(b), changed, err
}

func storableValue(v any) (held any, changed bool) {
	var lost bool
	switch v := v.(type) {
	case string:
		return storable(v)
	case []any:
		for i := range v {
			v[i], lost = storableValue(v[i])
			changed = changed || lost
		}
	case map[string]any:
		for name := range v {
			v[name], lost = storableValue(v[name])
			changed = changed || lost
		}
	}
	return v, changed
}

// Checksum is what a table's rows come to, in whatever order they are read: tables
// with the same Checksum have the same rows.
type Checksum struct {
	Rows int64
	Hash [4]uint64 // the rows' SHA-256 added up
	text []byte
}

// Add adds a row in its canonical form.
func (s *Checksum) Add(row []driver.Value) {
	s.text = s.text[:0]
	for _, v := range row {
		switch v := v.(type) {
		case nil:
			s.text = append(s.text, 'n')
		case int64:
			s.text = binary.BigEndian.AppendUint64(append(s.text, 'i'), uint64(v))
		case string:
			s.text = binary.BigEndian.AppendUint64(append(s.text, 't'), uint64(len(v)))
			s.text = append(s.text, v...)
		case []byte:
			s.text = binary.BigEndian.AppendUint64(append(s.text, 'b'), uint64(len(v)))
			s.text = append(s.text, v...)
		}
	}
	hash := sha256.Sum256(s.text)
	for i := range s.Hash {
		s.Hash[i] += binary.BigEndian.Uint64(hash[8*i:])
	}
	s.Rows++
}

// Same reports whether two tables have the same rows.
func (s *Checksum) Same(other *Checksum) bool { return s.Rows == other.Rows && s.Hash == other.Hash }
