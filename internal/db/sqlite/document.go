package sqlite

import (
	"encoding/json"
	"errors"

	"enlist/internal/enlist"
)

// This file decodes the documents of Field values.

// document decodes SQLite's binary JSON (JSONB), the stored form of field_values. SQLite promises
// not to change the format (sqlite.org/jsonb.html). This code decodes JSONB without a conversion to
// JSON text. Without the conversion, reading a page of Contacts takes a third less time.
//
// An encoded value has three parts: a header byte, the size if it does not fit into the
// header, and the content. The content of an array or object is its encoded elements. The
// content of other values is text.
type document struct {
	rest string // the bytes that are not decoded yet
	bad  bool   // the decoder has found bytes that are not valid
}

// kind is the type of a value: the lower four bits of its header byte.
type kind byte

// The kinds that field_values contains. enlist does not write kindRaw. But if an operator runs
// SQLite's function jsonb_set, this function writes kindRaw. The other kinds of JSONB are
// constants, arrays and JSON5 forms. field_values never contains the other kinds.
const (
	kindInteger kind = 3
	kindDecimal kind = 5
	kindText    kind = 7  // text without characters that JSON escapes
	kindEscaped kind = 8  // text with JSON escapes
	kindRaw     kind = 10 // unescaped text with characters that JSON escapes
	kindObject  kind = 12
)

var errDocument = errors.New("field_values is not an object of texts and numbers")

// readValues decodes a document like {"12":"NSW","13":12.50} and appends its values to v. A
// text without escapes shares the memory of the document.
func readValues(text string, v enlist.Values) (enlist.Values, error) {
	whole := document{rest: text}
	k, content := whole.next()
	if k != kindObject || whole.rest != "" {
		return v, errDocument
	}
	d := document{rest: content}
	for d.rest != "" {
		field := d.field()
		v = append(v, enlist.FieldValue{Field: field, Text: d.value()})
	}
	if d.bad {
		return v, errDocument
	}
	return v, nil
}

// next removes the first value from d.rest and returns its kind and content.
func (d *document) next() (kind, string) {
	if d.rest == "" {
		d.bad = true
		return 0, ""
	}
	first := d.rest[0]
	size, begin := int(first>>4), 1
	if size > 11 { // the size is in the next 1, 2, 4 or 8 bytes, big-endian
		begin += 1 << (size - 12)
		size = 0
		for i := 1; i < min(begin, len(d.rest)); i++ {
			size = size<<8 | int(d.rest[i])
		}
	}
	if size < 0 || size > len(d.rest)-begin {
		*d = document{bad: true}
		return 0, ""
	}
	content := d.rest[begin : begin+size]
	d.rest = d.rest[begin+size:]
	return kind(first & 15), content
}

// field removes the first value, which is a key of the object, and returns it as a Field ID.
// It accepts up to 18 digits, which always fit into an int64.
func (d *document) field() (id enlist.FieldID) {
	k, digits := d.next()
	d.bad = d.bad || k != kindText && k != kindRaw || digits == "" || len(digits) > 18
	for i := range len(digits) {
		d.bad = d.bad || digits[i]-'0' > 9
		id = id*10 + enlist.FieldID(digits[i]-'0')
	}
	return id
}

// value removes the first value, which is a string or a number, and returns its text.
func (d *document) value() string {
	k, content := d.next()
	switch k {
	case kindInteger, kindDecimal, kindText, kindRaw:
		return content
	case kindEscaped:
		return d.unescape(content)
	}
	d.bad = true
	return ""
}

// unescape returns the content of a JSON string with its escapes decoded.
func (d *document) unescape(content string) (text string) {
	if json.Unmarshal([]byte(`"`+content+`"`), &text) != nil {
		d.bad = true
	}
	return text
}
