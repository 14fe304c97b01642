package sqlstore

// This file implements the transaction (Tx), the state that the functions of a grouped
// transaction share (Session), and the counters of Contacts.

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

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
	plan    savedPlan // of the last search
	mapper  mapper    // of the last statement with a row's values; here, because a new one is an allocation
}

// Session is the state that the functions of one database transaction share: the version
// of the catalogue that it sees and its changes to the counters. One goroutine uses it.
type Session struct {
	cache   *Cache
	current *snapshot // the catalogue; nil until a function first reads it
	changes int64     // changes of the catalogue in this transaction
	counts  []count   // changes that Finish writes to the counters

	Serialise bool // after a deadlock: bulk changes of a List take its lock exclusively
}

// count is a change of the number of a List's Contacts.
type count struct {
	list    audience.ListID
	account audience.AccountID
	n       int64
}

// NewSession returns the Session of a new transaction.
func NewSession(cache *Cache) *Session { return &Session{cache: cache} }

// Committed tells the cache that this transaction has committed. version is the catalogue's version
// before it. With concurrent writers the new version is only an estimate, which
// the next transaction corrects when it reads the version.
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
func (t *Tx) LockDefinitions() error { return t.conn.LockDefinitions() }

// lockToWrite takes an exclusive advisory lock in a transaction that writes. It stands for a row
// that may not exist yet, so that FOR UPDATE could not lock it.
func (t *Tx) lockToWrite(format string, args ...any) error {
	if !t.writes {
		return nil
	}
	return t.conn.Lock(Exclusive, fmt.Sprintf(format, args...))
}

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
func (s *Session) Finish(conn Conn) error { return writeCounts(conn, s.counts) }

// writeCounts adds the changes of each List to the counters. With concurrent writers, it inserts a
// contact_delta row for each List: updates of the counters would make transactions wait for the
// same row. CompactCounters merges those rows later.
func writeCounts(conn Conn, counts []count) error {
	lists := make(map[audience.ListID]count)
	for _, c := range counts {
		c.n += lists[c.list].n
		lists[c.list] = c
	}
	const (
		delta   = "INSERT INTO contact_delta (list_id, account_id, n) VALUES (?, ?, ?)"
		list    = "UPDATE list SET contact_count = contact_count + ? WHERE id = ?"
		account = "UPDATE account SET contact_count = contact_count + ? WHERE id = ?"
	)
	for _, c := range lists {
		var err error
		if conn.Dialect().ConcurrentWriters {
			err = conn.Do(delta, int64(c.list), int64(c.account), c.n)
		} else {
			err = errors.Join(conn.Do(list, c.n, int64(c.list)), conn.Do(account, c.n, int64(c.account)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CompactCounters merges the contact_delta rows into the counters. It is one statement, so a
// query that reads counter and rows together always returns the exact count.
const CompactCounters = `WITH gone AS (DELETE FROM contact_delta RETURNING list_id, account_id, n),
	compacted AS (UPDATE list SET contact_count = contact_count + d.n
		FROM (SELECT list_id, sum(n) AS n FROM gone GROUP BY list_id) d WHERE list.id = d.list_id)
	UPDATE account SET contact_count = contact_count + d.n
		FROM (SELECT account_id, sum(n) AS n FROM gone GROUP BY account_id) d WHERE account.id = d.account_id`

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
