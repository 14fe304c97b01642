package sqlstore

import (
	"context"

	"enlist/internal/audience"
)

// Tx is one function's part of a transaction.
type Tx struct {
	ctx     context.Context
	conn    Conn
	session *Session
	enqueue func(audience.Effect) error
}

// Session is what the functions of one transaction have in common: the
// version of the catalogue that the transaction sees.
type Session struct {
	cache    *Cache
	current  *snapshot // nil until it is first asked for
	modified bool      // the catalogue was changed in this transaction
}

// NewSession begins the session of a transaction.
func NewSession(cache *Cache) *Session { return &Session{cache: cache} }

// NewTx makes the Tx for one function. enqueue stores an Effect in the same
// transaction; nil where nothing may be written.
func NewTx(ctx context.Context, conn Conn, session *Session, enqueue func(audience.Effect) error) *Tx {
	return &Tx{ctx: ctx, conn: conn, session: session, enqueue: enqueue}
}

// Enqueue stores what the transaction sets in motion.
func (t *Tx) Enqueue(e audience.Effect) error { return t.enqueue(e) }

// Forget drops what the session has read: part of the transaction was undone.
func (s *Session) Forget() { s.current = nil }
