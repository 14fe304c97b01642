package rpc

import (
	"math"
	"strconv"

	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// This file encodes simple results, such as an ID, records, and rows that a function sends one by one, as JSON.

// appendString appends text as a JSON string.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			b, _ = jsontext.AppendQuote(b, s) // the only error is invalid UTF-8, which becomes U+FFFD
			return b
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}

// appendStrings appends an array of texts.
func appendStrings(b []byte, all []string) []byte {
	return appendArray(b, all, func(b []byte, s *string) []byte { return appendString(b, *s) })
}

// appendArray appends an array of records.
func appendArray[T any](b []byte, records []T, appendRecord func([]byte, *T) []byte) []byte {
	b = append(b, '[')
	for i := range records {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendRecord(b, &records[i])
	}
	return append(b, ']')
}

// appendValue appends a value of a record. IDs, times and counts become numbers, flags become
// booleans, and all other values become strings. reference.md: record.types
func appendValue(b []byte, c enlist.Value) []byte {
	switch c.Kind {
	case enlist.KeyInt:
		return strconv.AppendInt(b, c.Int, 10)
	case enlist.KeyBool:
		return strconv.AppendBool(b, c.Int != 0)
	}
	return appendString(b, c.Text)
}

// Encoder returns a function that appends a record. The record has its keys in the order of
// attributes.
func Encoder[T any](attributes []enlist.Attribute[T]) func([]byte, *T) []byte {
	return func(b []byte, record *T) []byte {
		w := memberWriter{b: append(b, '{')}
		addMembers(&w, attributes, record)
		return append(w.b, '}')
	}
}

// writeRecords writes an array of records as the result. A long reply is sent in parts.
func writeRecords[T any](c *call, appendRecord func([]byte, *T) []byte, records []T, err error) error {
	if err != nil {
		return err
	}
	b := append(c.reply.buf, '[')
	for i := range records {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendRecord(b, &records[i])
		if len(b) >= firstBytes && !c.reply.silent {
			c.reply.buf = b
			if err := c.reply.flush(); err != nil {
				return err
			}
			b = c.reply.buf
		}
	}
	c.reply.buf = append(b, ']')
	return nil
}

// writeInt writes a number as the result.
func writeInt[N ~int64 | ~int](c *call, n N, err error) error {
	if err != nil {
		return err
	}
	c.reply.buf = strconv.AppendInt(c.reply.buf, int64(n), 10)
	return nil
}

// writeBool writes a boolean as the result.
func writeBool(c *call, is bool, err error) error {
	if err == nil {
		c.reply.buf = strconv.AppendBool(c.reply.buf, is)
	}
	return err
}

// writeChoices writes an object with a boolean for each preference that the Contact answered.
func writeChoices(c *call, choices []enlist.PreferenceChoice, err error) error {
	if err == nil {
		c.reply.buf = appendChoices(c.reply.buf, choices)
	}
	return err
}

// appendChoices appends a Contact's answers to List preferences as an object.
func appendChoices(b []byte, choices []enlist.PreferenceChoice) []byte {
	w := memberWriter{b: append(b, '{')}
	for _, choice := range choices {
		w.name(choice.Name)
		w.b = strconv.AppendBool(w.b, choice.Agree)
	}
	return append(w.b, '}')
}

// appendLedgerRow appends one row of a Contact's consent ledger. Only a row that comes from a file has import_id and
// import_row, and only one about the recording of opens and clicks tracking_consent and tracking_text_version.
// decisions.md: 95, 161
func appendLedgerRow(b []byte, r *enlist.LedgerRow) []byte {
	b = strconv.AppendInt(append(b, `{"time":`...), r.Time, 10)
	b = appendString(append(b, `,"method":`...), r.Method)
	b = appendString(append(b, `,"consent_type":`...), string(r.Type))
	b = appendString(append(b, `,"consent_text":`...), r.Text)
	b = appendString(append(b, `,"ip_address":`...), r.IP)
	b = appendChoices(append(b, `,"list_preferences":`...), r.Preferences)
	b = appendString(append(b, `,"key_name":`...), r.KeyName)
	if r.ImportID != 0 {
		b = strconv.AppendInt(append(b, `,"import_id":`...), int64(r.ImportID), 10)
		b = strconv.AppendInt(append(b, `,"import_row":`...), r.ImportRow, 10)
	}
	if r.Tracking != enlist.TrackingUnknown {
		b = appendString(append(b, `,"tracking_consent":`...), r.Tracking.String())
		b = appendString(append(b, `,"tracking_text_version":`...), r.TextVersion)
	}
	return append(b, '}')
}

// memberWriter appends the names of the members of an object to b. Its caller appends the value to
// b after each name.
type memberWriter struct {
	b       []byte
	started bool // a member was written, so the next one needs a comma
}

// number appends the name of the next member, which is a number.
func (w *memberWriter) number(n int64) {
	w.comma()
	w.b = strconv.AppendInt(append(w.b, '"'), n, 10)
	w.b = append(w.b, '"', ':')
}

// name appends the name of the next member.
func (w *memberWriter) name(name string) {
	w.comma()
	w.b = append(appendString(w.b, name), ':')
}

func (w *memberWriter) comma() {
	if w.started {
		w.b = append(w.b, ',')
	}
	w.started = true
}

// addMembers appends a member for each attribute of a record.
func addMembers[T any](w *memberWriter, attributes []enlist.Attribute[T], record *T) {
	for i := range attributes {
		w.name(attributes[i].Name)
		w.b = appendValue(w.b, attributes[i].Get(record))
	}
}

// addObject appends a member that is a record.
func addObject[T any](w *memberWriter, name string, attributes []enlist.Attribute[T], record *T) {
	w.name(name)
	w.b = Encoder(attributes)(w.b, record)
}

// addArray appends a member that is an array of records.
func addArray[T any](w *memberWriter, name string, attributes []enlist.Attribute[T], records []T) {
	w.name(name)
	w.b = appendArray(w.b, records, Encoder(attributes))
}

// rowWriter encodes each row when the service finds it. It implements enlist.RowWriter.
type rowWriter[T any] struct {
	reply     *reply
	appendRow func([]byte, *T) []byte
	streaming bool
	written   int // number of rows
}

// writeRows writes an array of rows as the result. find sends the rows to the writer.
func writeRows[T any](c *call, appendRow func([]byte, *T) []byte, find func(enlist.RowWriter[T]) error) error {
	w := &rowWriter[T]{reply: c.reply, appendRow: appendRow}
	return c.reply.end("]", find(w))
}

// Begin begins the array of rows. A later call of Begin discards the rows that were written before.
func (w *rowWriter[T]) Begin(streaming bool) error {
	w.streaming, w.written = streaming, 0
	return w.reply.begin('[')
}

// Row appends one row.
func (w *rowWriter[T]) Row(r *T) error {
	if w.written > 0 {
		w.reply.buf = append(w.reply.buf, ',')
	}
	w.written++
	w.reply.buf = w.appendRow(w.reply.buf, r)
	return w.reply.added(w.streaming, math.MaxInt)
}
