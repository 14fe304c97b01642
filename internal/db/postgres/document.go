package postgres

import (
	"encoding/json"
	"errors"
	"strings"

	"enlist/internal/enlist"
)

// This file decodes the JSONB document with the Field values of a Contact, in the form in
// which PostgreSQL sends it. A search uses this decoder for every row, because encoding/json
// would take longer than all other work for the row.

// readValues decodes a document such as {"12": "NSW", "13": 12.50} and appends its
// values to v. If doc has no escapes, the values are substrings of doc and not copies.
func readValues(doc string, v enlist.Values) (enlist.Values, error) {
	s := scanner{text: doc, plain: strings.IndexByte(doc, '\\') < 0}
	s.expect('{')
	for s.peek() != '}' && !s.bad {
		if len(v) > 0 {
			s.expect(',')
		}
		field := s.key()
		s.expect(':')
		v = append(v, enlist.FieldValue{Field: field, Text: s.value()})
	}
	s.expect('}')
	if s.bad {
		return v, errDocument
	}
	return v, nil
}

// readValue reads a document that is one value, like "NSW" or 12.50.
func readValue(doc string) (text string, err error) {
	s := scanner{text: doc, plain: strings.IndexByte(doc, '\\') < 0}
	text = s.value()
	if s.bad || s.at != len(doc) {
		return "", errDocument
	}
	return text, nil
}

var errDocument = errors.New("field_values is not an object of texts and numbers")

// scanner reads a JSON object of texts and numbers. After a syntax error bad is true. Then
// the caller must ignore all values that the scanner has returned.
type scanner struct {
	text  string
	at    int  // index of the next byte
	plain bool // text has no backslash
	bad   bool
}

// peek skips spaces and returns the next byte, or 0 at the end of the text.
func (s *scanner) peek() byte {
	for s.at < len(s.text) {
		if c := s.text[s.at]; c != ' ' {
			return c
		}
		s.at++
	}
	return 0
}

// expect skips spaces and reads the byte c. Any other byte is a syntax error.
func (s *scanner) expect(c byte) {
	if s.peek() != c {
		s.bad = true
		return
	}
	s.at++
}

// key reads a Field ID between quotes: up to 18 digits, which fit an int64.
func (s *scanner) key() (id enlist.FieldID) {
	s.expect('"')
	start := s.at
	for ; s.at < len(s.text) && s.text[s.at]-'0' <= 9; s.at++ {
		id = id*10 + enlist.FieldID(s.text[s.at]-'0')
	}
	s.bad = s.bad || s.at == start || s.at-start > 18
	s.expect('"')
	return id
}

// value reads a text or a number.
func (s *scanner) value() string {
	if s.peek() == '"' {
		return s.quoted()
	}
	return s.number()
}

// quoted reads a text between quotes.
func (s *scanner) quoted() string {
	s.expect('"')
	if s.bad {
		return ""
	}
	start := s.at
	end := strings.IndexByte(s.text[start:], '"')
	if end >= 0 && (s.plain || strings.IndexByte(s.text[start:start+end], '\\') < 0) {
		s.at = start + end + 1
		return s.text[start : start+end]
	}
	return s.escaped(start)
}

// escaped reads a text that begins at start and contains a backslash.
func (s *scanner) escaped(start int) (decoded string) {
	for i := start; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '"':
			s.at = i + 1
			s.bad = json.Unmarshal([]byte(s.text[start-1:s.at]), &decoded) != nil
			return decoded
		}
	}
	s.bad = true
	return ""
}

// number reads a number as it is written: 12.50 stays 12.50.
func (s *scanner) number() string {
	start := s.at
	for s.at < len(s.text) && s.text[s.at] != ',' && s.text[s.at] != '}' {
		switch c := s.text[s.at]; c {
		case '.', '-', '+', 'e', 'E':
		default:
			s.bad = s.bad || c-'0' > 9
		}
		s.at++
	}
	s.bad = s.bad || s.at == start
	return s.text[start:s.at]
}
