// This file encodes the rows of the consent ledger. A long reply is streamed, as the reply of a search.

package rpc

import "enlist/internal/audience"

// ledgerWriter encodes each row when the service finds it. It implements audience.LedgerWriter.
type ledgerWriter struct {
	reply     *reply
	streaming bool
	written   int // number of rows
}

// Begin begins the array of rows. A later call of Begin discards the rows that were written before.
func (w *ledgerWriter) Begin(streaming bool) error {
	if !w.reply.restart() {
		return errRestarted
	}
	w.streaming, w.written = streaming, 0
	w.reply.buf = append(w.reply.buf, '[')
	return nil
}

// LedgerRow appends one row.
func (w *ledgerWriter) LedgerRow(r *audience.LedgerRow) error {
	if w.written > 0 {
		w.reply.buf = append(w.reply.buf, ',')
	}
	w.written++
	w.reply.buf = appendLedgerRow(w.reply.buf, r)
	switch {
	case w.reply.silent:
		w.reply.restart()
	case w.streaming && len(w.reply.buf) >= firstBytes:
		return w.reply.flush()
	}
	return nil
}

// end closes the array, unless the call failed.
func (w *ledgerWriter) end(err error) error {
	if err != nil {
		return err
	}
	w.reply.buf = append(w.reply.buf, ']')
	return nil
}
