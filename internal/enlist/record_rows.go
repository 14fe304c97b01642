package enlist

// This file has the receiver of replies that may be too long for memory: the consent ledger, the
// Unsubscriber List, the rows of a Batch and the mails of a Contact. The reply to a search of Contacts has its own.

// RowWriter receives the rows of a reply.
type RowWriter[T any] interface {
	// Begin is called before the first row, and again if the call starts over. The writer may send
	// rows at once only if streaming is true.
	Begin(streaming bool) error
	// Row receives one row. r is valid only during the call.
	Row(r *T) error
}

// RowPage is the number of rows that are in memory at the same time. A longer reply is a stream.
const RowPage = 1000

// PagedRows counts the rows of a reply that is not a stream.
type PagedRows[T any] struct {
	RowWriter[T]
	Streaming bool
	written   int
}

// Row implements RowWriter. It returns ErrReplyTooLong if the reply must be a stream.
func (w *PagedRows[T]) Row(r *T) error {
	w.written++
	if !w.Streaming && w.written > RowPage {
		return ErrReplyTooLong
	}
	return w.RowWriter.Row(r)
}
