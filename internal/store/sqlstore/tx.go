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
	counts   []count   // Contacts added and removed that the counters do not have yet
}

// count is how many Contacts a List has more than its counter says.
type count struct {
	list    audience.ListID
	account audience.AccountID
	n       int64
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

// Mark returns a point to which Undo goes back.
func (s *Session) Mark() int { return len(s.counts) }

// Undo forgets what came after a mark, because that part of the transaction was undone.
func (s *Session) Undo(mark int) {
	s.current = nil
	s.counts = s.counts[:mark]
}

// Finish writes what is left to write before the transaction commits: the
// counters of Contacts, once for all its functions.
func (s *Session) Finish(conn Conn) error {
	lists := make(map[audience.ListID]int64)
	accounts := make(map[audience.AccountID]int64)
	for _, c := range s.counts {
		lists[c.list] += c.n
		accounts[c.account] += c.n
	}
	for id, n := range lists {
		if _, err := conn.Exec("UPDATE list SET contact_count = contact_count + ? WHERE id = ?", n, int64(id)); err != nil {
			return err
		}
	}
	for id, n := range accounts {
		if _, err := conn.Exec("UPDATE account SET contact_count = contact_count + ? WHERE id = ?", n, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// count notes that Contacts of a List were added or removed.
func (t *Tx) count(list audience.ListID, account audience.AccountID, n int64) {
	t.session.counts = append(t.session.counts, count{list, account, n})
}

// counted sums what is noted and not written yet.
func (t *Tx) counted(which func(count) bool) (n int64) {
	for _, c := range t.session.counts {
		if which(c) {
			n += c.n
		}
	}
	return n
}
