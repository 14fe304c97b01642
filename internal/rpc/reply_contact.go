package rpc

import (
	"enlist/internal/enlist"
)

// This file encodes Contacts. It buffers the reply to a search up to a limit. If the reply is
// larger, the service runs the search again, and the reply is streamed.

// contactWriter encodes each Contact when the search finds it. It implements
// contacts.ContactWriter. At first it buffers the reply, and returns ErrReplyTooLong if the reply
// exceeds the limit. The service then calls Begin again with streaming set. From then on, the
// writer sends each part as soon as the part is encoded. decisions.md: 39
type contactWriter struct {
	reply     *reply
	prepared  *columns
	columns   []column
	buffer    int // largest buffered reply in bytes
	streaming bool
	written   int // number of Contacts that were written
}

// column is one key of the returned records. Its name is quoted only once for all records.
type column struct {
	name    []byte // `"name":`, with a comma before it except in the first column
	field   enlist.FieldID
	numeric bool
	get     func(*enlist.Contact) enlist.Value // nil for a Field
}

// newContactWriter returns the writer for the result of a search.
func newContactWriter(r *reply, prepared *columns) *contactWriter {
	return &contactWriter{reply: r, prepared: prepared, buffer: r.options.MaxHeld}
}

// Begin begins the array of Contacts. A later call of Begin discards the Contacts that were written
// before.
func (w *contactWriter) Begin(columns []enlist.Column, streaming bool) error {
	w.streaming, w.written = streaming, 0
	w.columns = w.prepared.prepare(columns)
	return w.reply.begin('[')
}

// columns caches the quoted names of the last search. Often the next search asks for all columns of
// the same List again. The service then passes the same slice of columns.
type columns struct {
	of       []enlist.Column
	prepared []column
}

// prepare returns the columns with quoted names. It compares the address of the first element of
// its parameter with that of the cached slice, to find out whether they are the same slice.
func (c *columns) prepare(of []enlist.Column) []column {
	if len(of) > 0 && len(of) == len(c.of) && &of[0] == &c.of[0] {
		return c.prepared
	}
	prepared := make([]column, len(of))
	names := make([]byte, 0, 32*len(of))
	for i := range of {
		start := len(names)
		if i > 0 {
			names = append(names, ',')
		}
		names = append(appendString(names, of[i].Name), ':')
		prepared[i].name = names[start:len(names):len(names)]
		if f := of[i].Field; f != nil {
			prepared[i].field, prepared[i].numeric = f.ID, f.Numeric()
		} else {
			prepared[i].get = of[i].System.Get
		}
	}
	c.of, c.prepared = of, prepared
	return prepared
}

// Contact appends the record of one Contact.
func (w *contactWriter) Contact(c *enlist.Contact) error {
	b := w.reply.buf
	if w.written > 0 {
		b = append(b, ',')
	}
	w.written++
	w.reply.buf = appendContact(b, w.columns, c)
	return w.reply.added(w.streaming, w.buffer)
}

// appendContact appends the record of a Contact.
func appendContact(b []byte, columns []column, c *enlist.Contact) []byte {
	b = append(b, '{')
	for i := range columns {
		col := &columns[i]
		b = append(b, col.name...)
		if col.get != nil {
			b = appendValue(b, col.get(c))
			continue
		}
		text := c.Values.Get(col.field)
		if col.numeric {
			b = appendNumber(b, text)
		} else {
			b = appendString(b, text)
		}
	}
	return append(b, '}')
}

// appendNumber appends the value of a numeric Field. It appends an empty value as "". While a job
// converts a Field from text to numbers, some Contacts still have texts such as 007 or +5. These
// are not valid JSON numbers, so appendNumber appends the number that the job will store.
func appendNumber(b []byte, text string) []byte {
	if enlist.IsPlainDecimal(text) {
		return append(b, text...)
	}
	if normalised, ok := enlist.ParseDecimal(text); ok {
		return append(b, normalised...)
	}
	return appendString(b, text)
}
