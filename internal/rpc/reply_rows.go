package rpc

import (
	"math"

	"enlist/internal/enlist"
)

// This file encodes rows of the consent ledger, of the Unsubscriber List, and of the mails of a Contact. A
// long reply is streamed, as the reply of a search.

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
