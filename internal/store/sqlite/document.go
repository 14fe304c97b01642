package sqlite

import (
	"encoding/json"
	"errors"

	"enlist/internal/audience"
)

// document is a JSON value in SQLite's binary form, JSONB, which stays what it is
// for all versions to come (sqlite.org/jsonb.html). Nothing else reads it outside
// SQLite; here it is read because to have it written as text, and to read that,
// is a third of the time of a page of Contacts.
//
// A value is a byte, its size if that does not fit there, and its content: in an
// array or object the values in it, otherwise text.
type document struct {
	rest string
	bad  bool
}

// kind is the lower half of a value's first byte.
type kind byte

// The kinds that are in field_values. The last text is of functions like
// jsonb_set, which somebody may call by hand; what else there is comes from JSON5.
const (
	kindInteger kind = 3
	kindDecimal kind = 5
	kindText    kind = 7  // the same in JSON and out of it
	kindEscaped kind = 8  // as in JSON
	kindRaw     kind = 10 // a text in which JSON would escape something
	kindObject  kind = 12
)

var errDocument = errors.New("field values are no object of texts and numbers")

// readValues appends the values of a document like {"12":"NSW","13":12.50} to v.
// The texts are parts of it where nothing in them is escaped.
func readValues(text string, v audience.Values) (audience.Values, error) {
	whole := document{rest: text}
	k, content := whole.next()
	if k != kindObject || whole.rest != "" {
		return v, errDocument
	}
	d := document{rest: content}
	for d.rest != "" {
		field := d.field()
		v = append(v, audience.FieldValue{Field: field, Text: d.value()})
	}
	if d.bad {
		return v, errDocument
	}
	return v, nil
}

// next takes a value off.
func (d *document) next() (kind, string) {
	if d.rest == "" {
		d.bad = true
		return 0, ""
	}
	first := d.rest[0]
	size, begin := int(first>>4), 1
	if size > 11 { // it follows, in 1, 2, 4 or 8 bytes
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

// field takes a Field ID off.
func (d *document) field() (id audience.FieldID) {
	k, digits := d.next()
	d.bad = d.bad || k != kindText && k != kindRaw || digits == "" || len(digits) > 18
	for i := range len(digits) {
		d.bad = d.bad || digits[i]-'0' > 9
		id = id*10 + audience.FieldID(digits[i]-'0')
	}
	return id
}

// value takes a text or a number off.
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

func (d *document) unescape(content string) (text string) {
	if json.Unmarshal([]byte(`"`+content+`"`), &text) != nil {
		d.bad = true
	}
	return text
}
