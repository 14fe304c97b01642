package sqlstore

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"enlist/internal/audience"
)

// Tx is one function's part of a transaction.
type Tx struct {
	ctx     context.Context
	conn    Conn
	sql     *Dialect
	session *Session
	enqueue func(audience.Effect) error
	writes  bool
	plan    *plan // of the last search
}

// Session is what the functions of one transaction have in common: the
// version of the catalogue that the transaction sees.
type Session struct {
	cache   *Cache
	current *snapshot // nil until it is first asked for
	changes int64     // of the catalogue in this transaction
	counts  []count   // Contacts added and removed that the counters do not have yet

	Serialise bool // what changes many Contacts of a List runs one after another
}

// count is how many Contacts a List has more than its counter says.
type count struct {
	list    audience.ListID
	account audience.AccountID
	n       int64
}

// NewSession begins the session of a transaction.
func NewSession(cache *Cache) *Session { return &Session{cache: cache} }

// Committed tells the cache, when the transaction is, which version there is now.
// With others beside it that is no more than a good guess.
func (s *Session) Committed(version int64) {
	if s.changes > 0 {
		s.cache.at(version + s.changes)
	}
}

// Sees tells the session which version of the catalogue the transaction sees,
// where it is known before anybody asks.
func (s *Session) Sees(version int64) { s.current = s.cache.at(version) }

// NewTx makes the Tx for one function. enqueue stores an Effect in the same
// transaction; nil where nothing may be written.
func NewTx(ctx context.Context, conn Conn, session *Session, enqueue func(audience.Effect) error) *Tx {
	return &Tx{ctx: ctx, conn: conn, sql: conn.Dialect(), session: session, enqueue: enqueue, writes: enqueue != nil}
}

// RetrySignal is what a Conn panics with when the function that uses it has to run
// again from the start. The function does not see that, and cannot pass it over.
type RetrySignal struct{ Err error }

// Call runs fn; a panic in it is an error of that call and nobody else's.
func Call(fn func(audience.Tx) error, tx audience.Tx) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case RetrySignal:
			err = p.Err
		default:
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return fn(tx)
}

// LockDefinitions sees to it that no other transaction that writes overlaps this one.
func (t *Tx) LockDefinitions() error { return t.conn.Alone() }

// LockListForBulk keeps Updates that say so of one List from waiting for each other's
// Contacts in a circle, once they have.
func (t *Tx) LockListForBulk(list audience.ListID) error {
	mode := Shared
	if t.session.Serialise {
		mode = Exclusive
	}
	return t.conn.Lock(mode, fmt.Sprintf("many of list %d", list))
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
	if conn.Dialect().ConcurrentWriters {
		return addDeltas(conn, s.counts)
	}
	lists := make(map[audience.ListID]int64)
	accounts := make(map[audience.AccountID]int64)
	for _, c := range s.counts {
		lists[c.list] += c.n
		accounts[c.account] += c.n
	}
	for id, n := range lists {
		if err := conn.Do("UPDATE list SET contact_count = contact_count + ? WHERE id = ?", n, int64(id)); err != nil {
			return err
		}
	}
	for id, n := range accounts {
		if err := conn.Do("UPDATE account SET contact_count = contact_count + ? WHERE id = ?", n, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// addDeltas writes rows for CompactCounters to add to the counters.
func addDeltas(conn Conn, counts []count) error {
	for i, c := range counts {
		for _, other := range counts[i+1:] {
			if other.list == c.list {
				c.n += other.n
			}
		}
		if slices.ContainsFunc(counts[:i], func(other count) bool { return other.list == c.list }) {
			continue
		}
		if err := conn.Do("INSERT INTO contact_delta (list_id, account_id, n) VALUES (?, ?, ?)", int64(c.list), int64(c.account), c.n); err != nil {
			return err
		}
	}
	return nil
}

// CompactCounters adds to the counters what transactions have added beside them.
// Whoever reads both in one statement misses nothing and counts nothing twice.
func CompactCounters(conn Conn) error {
	return conn.Do(`WITH gone AS (DELETE FROM contact_delta RETURNING list_id, account_id, n),
		folded AS (UPDATE list SET contact_count = contact_count + d.n
			FROM (SELECT list_id, sum(n) AS n FROM gone GROUP BY list_id) d WHERE list.id = d.list_id)
		UPDATE account SET contact_count = contact_count + d.n
			FROM (SELECT account_id, sum(n) AS n FROM gone GROUP BY account_id) d WHERE account.id = d.account_id`)
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
