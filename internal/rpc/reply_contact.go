package rpc

import (
	"errors"

	"enlist/internal/audience"
)

// contactWriter encodes Contacts as they are found. It implements
// audience.ContactWriter: until the search is a stream the reply is held, and
// given up when it outgrows what may be held; then it goes out as it grows.
// decisions.md: 39
type contactWriter struct {
	reply     *reply
	prepared  *columns
	columns   []column
	hold      int // bytes that may be held; 0: any number
	streaming bool
	written   int
}

// column is a key of the records, its name quoted once for all of them.
type column struct {
	name    []byte // `"name":`, with a comma before it but for the first
	field   audience.FieldID
	numeric bool
	get     func(*audience.Contact) audience.Value // nil for a Field
}

// newContactWriter makes the writer of a search's result.
func newContactWriter(r *reply, prepared *columns) *contactWriter {
	return &contactWriter{reply: r, prepared: prepared, hold: r.limits.hold}
}

var errRestarted = errors.New("search started over after a part of its reply was sent")

// Begin starts the array, over again when it has begun.
func (w *contactWriter) Begin(columns []audience.Column, streaming bool) error {
	if !w.reply.restart() {
		return errRestarted
	}
	w.streaming, w.written = streaming, 0
	w.columns = w.prepared.prepare(columns)
	w.reply.buf = append(w.reply.buf, '[')
	return nil
}

// columns are prepared for writing, and kept for the next search: mostly that
// asks for all columns of the same List, which are the same slice.
type columns struct {
	of       []audience.Column
	prepared []column
}

func (c *columns) prepare(of []audience.Column) []column {
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

// Contact appends one record.
func (w *contactWriter) Contact(c *audience.Contact) error {
	b := w.reply.buf
	if w.written > 0 {
		b = append(b, ',')
	}
	w.written++
	b = append(b, '{')
	for i := range w.columns {
		col := &w.columns[i]
		b = append(b, col.name...)
		if col.get != nil {
			b = appendCell(b, col.get(c))
			continue
		}
		text := c.Values.Get(col.field)
		if col.numeric {
			b = appendNumber(b, text)
		} else {
			b = appendString(b, text)
		}
	}
	w.reply.buf = append(b, '}')
	switch {
	case w.reply.silent:
		w.reply.restart()
	case w.streaming && len(w.reply.buf) >= firstBytes:
		return w.reply.flush()
	case !w.streaming && w.hold > 0 && len(w.reply.buf)-w.reply.start > w.hold:
		return audience.ErrReplyTooLong
	}
	return nil
}

// appendNumber appends the value of a numeric Field; "" stays a string. While a
// Field is converted from text to numbers, its Contacts still hold texts such as
// 007 and +5: JSON does not allow these, so they are written in stored form.
func appendNumber(b []byte, text string) []byte {
	if audience.IsPlainDecimal(text) {
		return append(b, text...)
	}
	if canonical, ok := audience.ParseDecimal(text); ok {
		return append(b, canonical...)
	}
	return appendString(b, text)
}

// end closes the array, unless the search went wrong.
func (w *contactWriter) end(err error) error {
	if err != nil {
		return err
	}
	w.reply.buf = append(w.reply.buf, ']')
	return nil
}
