package sqlstore

import (
	"cmp"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"enlist/internal/audience"
)

// Columns of a Contact, in groups that a search can do without. Each column of
// a row costs an allocation in the drivers, so a search reads the ID and then
// only the groups that its caller looks at.
const (
	systemColumns = "creation_time, last_modified_time, double_opt_in, double_opt_in_time, is_active, " +
		"is_bounce_deactivated, is_unsubscribed, last_click_time, last_message_time, last_open_time, subscribed_via, webform_id"
	hiddenColumns = "dedupe_key, duplicate_key, mobile_key, preference_values"

	systemWidth        = 12
	contactColumnCount = 1 + systemWidth + 1 + 4
)

// decodeContact reads a row of contactColumns into a Contact whose ListID is
// set. c.Values' storage is used again.
func decodeContact(row []driver.Value, c *audience.Contact) (err error) {
	c.ID = audience.ContactID(integer(row[0]))
	decodeSystem(row[1:], c)
	if c.Values, err = decodeValues(text(row[1+systemWidth]), c.Values[:0]); err != nil {
		return fmt.Errorf("contact %d: %w", c.ID, err)
	}
	keys := row[2+systemWidth:]
	c.IsFirst = keys[0] != nil
	if c.Key = text(keys[0]); !c.IsFirst {
		c.Key = text(keys[1])
	}
	c.Mobile = text(keys[2])
	c.Prefs = nil
	if prefs := text(keys[3]); prefs != "" {
		err = json.Unmarshal([]byte(prefs), &c.Prefs)
	}
	return err
}

func decodeSystem(row []driver.Value, c *audience.Contact) {
	c.Created, c.Modified = integer(row[0]), integer(row[1])
	c.DoubleOptIn, c.DoubleOptInTime = flag(row[2]), integer(row[3])
	c.IsActive, c.IsBounceDeactivated, c.IsUnsubscribed = flag(row[4]), flag(row[5]), flag(row[6])
	c.LastClickTime, c.LastMessageTime, c.LastOpenTime = integer(row[7]), integer(row[8]), integer(row[9])
	c.SubscribedVia, c.WebformID = text(row[10]), integer(row[11])
}

// decodeValues appends the values of {"12":"NSW","13":12.50} to v. The texts
// are parts of doc where nothing in them is escaped.
func decodeValues(doc string, v audience.Values) (audience.Values, error) {
	s := scanner{text: doc, plain: strings.IndexByte(doc, '\\') < 0}
	s.expect('{')
	for s.peek() != '}' && !s.bad {
		if len(v) > 0 {
			s.expect(',')
		}
		value := audience.FieldValue{Field: s.key()}
		s.expect(':')
		if s.peek() == '"' {
			value.Text = s.quoted()
		} else {
			value.Text = s.number()
		}
		v = append(v, value)
	}
	s.expect('}')
	if s.bad {
		return v, fmt.Errorf("field values are no object of texts and numbers")
	}
	for i := 1; i < len(v); i++ {
		if v[i].Field < v[i-1].Field {
			slices.SortFunc(v, func(a, b audience.FieldValue) int { return cmp.Compare(a.Field, b.Field) })
			break
		}
	}
	return v, nil
}

// scanner reads the JSON that the store itself wrote: an object of texts and
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
