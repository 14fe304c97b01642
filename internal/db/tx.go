package db

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"enlist/internal/enlist"
)

// This file implements a transaction as one function sees it (Tx). counter.go has the counters of Contacts. Several
// functions can share one database transaction. The Session contains the state that they share.

// Tx is a transaction as one function sees it. The functions that run the SQL of a subject take a Tx, and are
// in the package of the subject. An engine can run several functions in one database transaction. Each function has
// its own Tx, and all of them share a Session.
//
// Other transactions may write at the same time. Definitions (Accounts, keys, Folders, Lists,
// Fields, Segments, Messages, autoresponders, webhooks) do not change during an Update. The following
// data does not change after an Update has read it: Contacts, the result of a retry, a
// delivery, a webhook target, and an Account's number of Contacts.
//
// For a missing row, a method returns an error of the kind that its comment names. If a write
// would break uniqueness, the method stores nothing and its result says so. Several callers may
// share the slices and Schemas that a method returns, so do not change them.
type Tx struct {
	ctx     context.Context
	conn    Conn
	SQL     *Dialect
	session *Session
	enqueue func(Effect) error // stores a job in the transaction; nil: read-only
	Writes  bool
	part    *Part  // not nil: the function is in an InsertBatch
	Mapper  Mapper // reused for each statement, because a new mapper would need an allocation
}

// Session is the state that the functions of one database transaction share. It contains the version of
// the catalogue that the transaction sees, and the transaction's changes to the counters. Only one
// goroutine uses a Session.
type Session struct {
	cache   *Cache
	current *Snapshot      // the catalogue; nil before a function reads it
	changes int64          // number of changes of the catalogue in this transaction
	counts  []ContactCount // changes of the counters and of the days, which Finish writes

	Serialise bool // true after a deadlock: LockListForBulk then takes an exclusive lock
}

// NewSession returns the Session of a new transaction.
func NewSession(cache *Cache) *Session { return &Session{cache: cache} }

// Committed starts a new version in the cache if this transaction has changed the catalogue. The engine
// calls Committed after the commit. version is the version before the transaction. With concurrent
// writers, the number of the new version is only an estimate. The next transaction that reads the
// version corrects it.
func (s *Session) Committed(version int64) {
	if s.changes > 0 {
		s.cache.at(version + s.changes)
	}
}

// Sees sets the version of the catalogue that the transaction sees. An engine that has already read the
// version calls Sees to save a query.
func (s *Session) Sees(version int64) { s.current = s.cache.at(version) }

// NewTx returns the Tx for one function. The function enqueue stores an Effect in the same transaction. It
// is nil for a transaction that only reads.
func NewTx(ctx context.Context, conn Conn, session *Session, enqueue func(Effect) error) *Tx {
	return &Tx{ctx: ctx, conn: conn, SQL: conn.Dialect(), session: session, enqueue: enqueue, Writes: enqueue != nil}
}

// RetrySignal is the value of a Conn's panic when the function must run again from the start. The
// Conn panics and does not return an error, so that the function cannot ignore the signal. Call
// recovers the panic.
type RetrySignal struct{ Err error }

// Call runs fn. If fn panics, Call returns an error, so that the other functions in the same transaction
// do not fail.
func Call(fn func(*Tx) error, tx *Tx) (err error) {
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

// Do runs a statement without a result. The engine may send it later, together with other statements.
func (t *Tx) Do(query string, args ...any) error { return t.conn.Do(query, args...) }

// Exec runs a statement and returns the number of rows that it changed.
func (t *Tx) Exec(query string, args ...any) (affected int64, err error) {
	return t.conn.Exec(query, args...)
}

// Insert runs an INSERT of one row and returns its ID, or 0 after ON CONFLICT DO NOTHING.
func (t *Tx) Insert(query string, args ...any) (id int64, err error) {
	return t.conn.Insert(query, args...)
}

// Query runs a statement that returns rows.
func (t *Tx) Query(query string, args ...any) (Rows, error) {
	return t.conn.Query(t.ctx, query, args...)
}

// Search runs the statement of a search.
func (t *Tx) Search(s Statement) (Rows, error) { return t.conn.Search(t.ctx, s) }

// Copier returns what copies rows into tables, or nil if the engine has no such way.
func (t *Tx) Copier() Copier {
	c, _ := t.conn.(Copier)
	return c
}

// Lock takes an advisory lock until the transaction ends.
func (t *Tx) Lock(mode LockMode, name string) error { return t.conn.Lock(mode, name) }

// LockDefinitions waits until no other transaction writes. Until this transaction ends, other transactions
// wait before they write.
func (t *Tx) LockDefinitions() error { return t.conn.LockDefinitions() }

// LockToWrite takes an exclusive advisory lock if the transaction writes. The lock replaces FOR UPDATE for
// a row that possibly does not exist yet.
func (t *Tx) LockToWrite(format string, args ...any) error {
	if !t.Writes {
		return nil
	}
	return t.Lock(Exclusive, fmt.Sprintf(format, args...))
}

// LockListForBulk prevents repeated deadlocks between transactions that lock many Contacts of a List.
// Each of these transactions takes a shared lock. After a deadlock, the transaction runs again and takes
// the lock exclusively.
func (t *Tx) LockListForBulk(list enlist.ListID) error {
	mode := Shared
	if t.session.Serialise {
		mode = Exclusive
	}
	return t.Lock(mode, fmt.Sprintf("many of list %d", list))
}

// Watched is only for tests; it is exported because those of other packages call it. It returns a Tx of the same
// transaction whose statements go through the Conn that wrap returns. The Tx calls effect with each effect before it
// stores it.
func (t *Tx) Watched(wrap func(Conn) Conn, effect func(Effect)) *Tx {
	watched := *t
	watched.conn = wrap(t.conn)
	if t.enqueue != nil {
		watched.enqueue = func(e Effect) error {
			effect(e)
			return t.enqueue(e)
		}
	}
	return &watched
}

// Enqueue stores an effect, such as a mail to send, in the transaction.
func (t *Tx) Enqueue(e Effect) error { return t.enqueue(e) }

// ProbeRead reads a table.
func ProbeRead(t *Tx) error {
	_, err := t.Number("SELECT 1 FROM account LIMIT 1")
	return err
}

// ProbeWrite inserts a row and deletes it again, in a transaction that commits. So the engine has to
// write to its disk, which fails if the disk is full or the server is read-only. The row has the time
// as its key, so that probes of several processes do not wait for each other.
func ProbeWrite(t *Tx) error {
	key := fmt.Sprint("probe ", time.Now().UnixNano())
	for _, query := range t.SQL.Probe {
		if err := t.Do(query); err != nil {
			return err
		}
	}
	const insert = "INSERT INTO retry (account_id, key_id, header, fingerprint, time) VALUES (0, 0, ?, ?, 0)"
	if err := t.Do(insert, key, []byte(key)); err != nil {
		return err
	}
	return t.Do("DELETE FROM retry WHERE account_id = 0 AND key_id = 0 AND header = ?", key)
}

// Mark returns the current state for Undo. The engine calls Mark before a savepoint.
func (s *Session) Mark() int { return len(s.counts) }

// Undo discards the changes of the counters after mark. The engine calls Undo after a rollback to the
// savepoint. The next function reads the catalogue again.
func (s *Session) Undo(mark int) {
	s.current = nil
	s.counts = s.counts[:mark]
}

// Finish writes the changes of the counters. The engine calls Finish once, after the last function and
// before the commit.
func (s *Session) Finish(conn Conn) error { return writeCounts(conn, s.counts) }

// Estimates returns the cache of estimates for searches.
func (t *Tx) Estimates() *estimates { return &t.session.cache.estimates }
