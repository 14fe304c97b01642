package postgres

import (
	"encoding/json"
	"errors"
	"strings"

	"enlist/internal/audience"
)

// readValues appends the values of {"12": "NSW", "13": 12.50} to v. The texts are
// parts of doc where nothing in them is escaped.
func readValues(doc string, v audience.Values) (audience.Values, error) {
	s := scanner{text: doc, plain: strings.IndexByte(doc, '\\') < 0}
	s.expect('{')
	for s.peek() != '}' && !s.bad {
		if len(v) > 0 {
			s.expect(',')
		}
		field := s.key()
		s.expect(':')
		v = append(v, audience.FieldValue{Field: field, Text: s.value()})
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
	if text = s.value(); s.bad || s.at != len(doc) {
		return "", errDocument
	}
	return text, nil
}

var errDocument = errors.New("field values are no object of texts and numbers")

// scanner reads field_values as the server writes them: an object of texts and
// numbers. It exists because it is on the way of every value of every search:
// a general decoder costs more than all the rest of a row.
type scanner struct {
	text  string
	at    int
	plain bool // there is no backslash in it
	bad   bool
}

// peek skips space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.text) {
		if c := s.text[s.at]; c != ' ' {
			return c
		}
		s.at++
	}
	return 0
}

func (s *scanner) expect(c byte) {
	if s.peek() != c {
		s.bad = true
		return
	}
	s.at++
}

// key reads a Field ID between quotes.
func (s *scanner) key() (id audience.FieldID) {
	s.expect('"')
	start := s.at
	for ; s.at < len(s.text) && s.text[s.at]-'0' <= 9; s.at++ {
		id = id*10 + audience.FieldID(s.text[s.at]-'0')
	}
	s.bad = s.bad || s.at == start || s.at-start > 18
	s.expect('"')
	return id
}

func (s *scanner) value() string {
	if s.peek() == '"' {
		return s.quoted()
	}
	return s.number()
}

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

// escaped reads a text that begins at start and has a backslash in it.
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
