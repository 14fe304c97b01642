package sqlstore

// This file implements the transaction (Tx), the state that the functions of a grouped
// transaction share (Session), and the counters of Contacts.

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"enlist/internal/audience"
)

// Tx is a transaction as one function sees it. An engine may run several functions in one
// database transaction; each has its own Tx, and all share a Session.
type Tx struct {
	ctx     context.Context
	conn    Conn
	sql     *Dialect
	session *Session
	enqueue func(audience.Effect) error // stores a job in the transaction; nil: read-only
	writes  bool
	plan    *plan // of the last search
}

// Session is the state that the functions of one database transaction share: the version
// of the catalogue that it sees and its changes to the counters. One goroutine uses it.
type Session struct {
	cache   *Cache
	current *snapshot // the catalogue; nil until a function first reads it
	changes int64     // changes of the catalogue in this transaction
	counts  []count   // changes that Finish writes to the counters

	Serialise bool // bulk changes of a List lock it exclusively: the retry after a deadlock
}

// count is a change of the number of a List's Contacts.
type count struct {
	list    audience.ListID
	account audience.AccountID
	n       int64
}

// NewSession begins the session of a transaction.
func NewSession(cache *Cache) *Session { return &Session{cache: cache} }

// Committed tells the cache the catalogue's version after this transaction's commit. version
// is the one before it. With concurrent writers the result is only an estimate, which the
// next transaction corrects when it reads the version.
func (s *Session) Committed(version int64) {
	if s.changes > 0 {
		s.cache.at(version + s.changes)
	}
}

// Sees sets the version of the catalogue that the transaction sees, for an engine that has
// already read it. It saves a query.
func (s *Session) Sees(version int64) { s.current = s.cache.at(version) }

// NewTx returns the Tx for one function. enqueue stores an Effect in the same
// transaction; it is nil in a transaction that only reads.
func NewTx(ctx context.Context, conn Conn, session *Session, enqueue func(audience.Effect) error) *Tx {
	return &Tx{ctx: ctx, conn: conn, sql: conn.Dialect(), session: session, enqueue: enqueue, writes: enqueue != nil}
}

// RetrySignal is the value with which a Conn panics when the function must run again from
// the start. It is a panic so that the function cannot ignore it; Call recovers it.
type RetrySignal struct{ Err error }

// Call runs fn and returns a panic of fn as an error, so that it fails only this function
// and not others in the same transaction.
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

// LockDefinitions waits until no other transaction writes, and keeps others from writing
// until this one ends.
func (t *Tx) LockDefinitions() error { return t.conn.Alone() }

// LockListForBulk prevents repeated deadlocks between transactions that lock many Contacts of
// a List. They share the lock until one has deadlocked; its retry takes the lock exclusively.
func (t *Tx) LockListForBulk(list audience.ListID) error {
	mode := Shared
	if t.session.Serialise {
		mode = Exclusive
	}
	return t.conn.Lock(mode, fmt.Sprintf("many of list %d", list))
}

// Enqueue stores an effect, such as a mail to send, in the transaction.
func (t *Tx) Enqueue(e audience.Effect) error { return t.enqueue(e) }

// Mark returns the current state for Undo. Engines call it before a savepoint.
func (s *Session) Mark() int { return len(s.counts) }

// Undo discards the state since mark, after a rollback to the savepoint.
func (s *Session) Undo(mark int) {
	s.current = nil
	s.counts = s.counts[:mark]
}

// Finish writes the changes of the counters. The engine calls it once, after the last
// function and before the commit.
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

// addDeltas inserts one contact_delta row for each List. Updates of the counters themselves would
// make concurrent transactions wait for the same row. CompactCounters merges the rows later.
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
		const insert = "INSERT INTO contact_delta (list_id, account_id, n) VALUES (?, ?, ?)"
		if err := conn.Do(insert, int64(c.list), int64(c.account), c.n); err != nil {
			return err
		}
	}
	return nil
}

// CompactCounters merges the contact_delta rows into the counters. It is one statement, so a
// query that reads counter and rows together always returns the exact count.
func CompactCounters(conn Conn) error {
	return conn.Do(`WITH gone AS (DELETE FROM contact_delta RETURNING list_id, account_id, n),
		compacted AS (UPDATE list SET contact_count = contact_count + d.n
			FROM (SELECT list_id, sum(n) AS n FROM gone GROUP BY list_id) d WHERE list.id = d.list_id)
		UPDATE account SET contact_count = contact_count + d.n
			FROM (SELECT account_id, sum(n) AS n FROM gone GROUP BY account_id) d WHERE account.id = d.account_id`)
}

// count records n added Contacts of a List; n is negative for removed ones.
func (t *Tx) count(list audience.ListID, account audience.AccountID, n int64) {
	t.session.counts = append(t.session.counts, count{list, account, n})
}

// counted sums the recorded changes that Finish has not written yet.
func (t *Tx) counted(which func(count) bool) (n int64) {
	for _, c := range t.session.counts {
		if which(c) {
			n += c.n
		}
	}
	return n
}
