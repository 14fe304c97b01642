package sqlite

// This file runs the functions of Store.Update.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"

	"github.com/riverqueue/river"
)

// writer runs all writing functions on one goroutine and groups their commits.
// Functions that arrive while a transaction is open run in the next one, in the order
// of their arrival. One fsync makes the whole group durable.
//
// A group runs in up to three ways:
//
//  1. In one transaction without savepoints. Savepoints keep copies of pages, which
//     costs 4 to 5 of the 26 µs that inserting a Contact takes.
//  2. If a function fails after it wrote: the writer rolls the group back and runs it
//     again with a savepoint around each function, which undoes only that function.
//  3. If SQLite rolls back the whole transaction (full disk, I/O error): each function
//     runs in its own transaction.
//
// A function may therefore run more than once. Callers get their result after the commit.
type writer struct {
	db      *sql.DB
	cache   *sqlstore.Cache
	jobs    *river.Client[*sql.Tx] // stores jobs; it works none
	queue   chan *update
	closing chan struct{} // closed when the store closes: do refuses new functions
	stopped chan struct{} // closed when the goroutine has ended
	once    sync.Once
}

// update is one queued function.
type update struct {
	ctx   context.Context
	fn    func(audience.Tx) error
	state atomic.Int32 // waiting, then running or abandoned
	err   error
	done  chan struct{}
}

const (
	waiting int32 = iota
	running
	abandoned // its caller returned before it started; it does not run
)

const (
	maxGroup     = 512             // functions in one transaction
	functionTime = 5 * time.Second // longest time of one function, because it delays all other writes
)

var errClosed = errors.New("the store is closed")

func newWriter(db *sql.DB, cache *sqlstore.Cache, jobs *river.Client[*sql.Tx]) *writer {
	w := &writer{db: db, cache: cache, jobs: jobs, queue: make(chan *update, maxGroup),
		closing: make(chan struct{}), stopped: make(chan struct{})}
	go w.loop()
	return w
}

// do runs fn in a transaction and returns after the commit. If ctx is cancelled before
// fn starts, fn does not run. After that, do ignores ctx and waits for the result.
func (w *writer) do(ctx context.Context, fn func(audience.Tx) error) error {
	u := &update{ctx: ctx, fn: fn, done: make(chan struct{})}
	select {
	case w.queue <- u:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closing:
		return errClosed
	}
	select {
	case <-u.done:
	case <-ctx.Done():
		if u.state.CompareAndSwap(waiting, abandoned) {
			return ctx.Err()
		}
		<-u.done
	case <-w.stopped: // it may have entered the queue after the goroutine's last look
		if u.state.CompareAndSwap(waiting, abandoned) {
			return errClosed
		}
		<-u.done
	}
	return u.err
}

// close runs the queued functions and stops the goroutine.
func (w *writer) close() {
	w.once.Do(func() { close(w.closing) })
	<-w.stopped
}

// loop is the writer's goroutine.
func (w *writer) loop() {
	defer close(w.stopped)
	var group []*update
	for {
		select {
		case u := <-w.queue:
			group = append(group[:0], u)
			w.run(w.addQueued(group))
		case <-w.closing:
			for {
				group = w.addQueued(group[:0])
				if len(group) == 0 {
					return
				}
				w.run(group)
			}
		}
	}
}

// addQueued adds the functions that are in the queue now, without waiting for others.
func (w *writer) addQueued(group []*update) []*update {
	for len(group) < maxGroup {
		select {
		case u := <-w.queue:
			group = append(group, u)
		default:
			return group
		}
	}
	return group
}

// run runs the functions of a group and passes each caller its result.
func (w *writer) run(group []*update) {
	started := group[:0]
	for _, u := range group {
		switch {
		case !u.state.CompareAndSwap(waiting, running):
			close(u.done)
		case u.ctx.Err() != nil:
			u.err = u.ctx.Err()
			close(u.done)
		default:
			started = append(started, u)
		}
	}
	if len(started) == 0 {
		return
	}
	if err := w.transaction(started, withoutSavepoints); err != nil {
		w.retry(started, err)
	}
	for _, u := range started {
		close(u.done)
	}
}

// retry runs a group again after its transaction was rolled back with err. It uses
// savepoints first. If that fails too, each function gets its own transaction and error.
func (w *writer) retry(group []*update, err error) {
	if len(group) == 1 || errors.Is(err, errLocked) {
		for _, u := range group {
			if u.err == nil {
				u.err = err
			}
		}
		return
	}
	if errors.Is(err, errRollback) && w.transaction(group, withSavepoints) == nil {
		return
	}
	for _, u := range group {
		u.err = nil
		if err := w.transaction([]*update{u}, withoutSavepoints); err != nil && u.err == nil {
			u.err = err
		}
	}
}

// errRollback means that a function failed after it wrote, so the transaction must be
// rolled back. The function's own error is in update.err.
var errRollback = errors.New("a function of the group failed")

// errLocked means that the transaction could not begin.
var errLocked = errors.New("the database cannot be written to")

// savepoints says whether a group runs with a savepoint around each function.
type savepoints bool

const (
	withoutSavepoints savepoints = false
	withSavepoints    savepoints = true
)

// transaction runs a group's functions in one transaction and commits it. If it
// returns an error, it stored nothing.
func (w *writer) transaction(group []*update, mode savepoints) error {
	ctx := context.Background() // never cancelled; session.run says why
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return errors.Join(errLocked, err)
	}
	defer conn.Close() // returns the connection to database/sql's pool
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return errors.Join(errLocked, err)
	}
	var c *dbConn
	// This goroutine owns the connection until conn.Close, so it may use it outside Raw.
	if err := conn.Raw(func(raw any) error { c = raw.(*dbConn); return nil }); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	t := &transaction{session: c.session, shared: sqlstore.NewSession(w.cache)}
	for _, u := range group {
		if err := t.run(u, mode); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	if err := t.shared.Finish(c.session); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if len(t.effects) > 0 {
		if err := insertJobs(ctx, w.jobs, tx, t.effects); err != nil {
			return errors.Join(fmt.Errorf("store jobs: %w", err), tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		// After some errors SQLite has rolled back already; c.rollback handles both cases.
		return errors.Join(err, c.rollback())
	}
	return nil
}

// transaction is the open transaction of a group.
type transaction struct {
	session *session
	shared  *sqlstore.Session
	effects []audience.Effect // stored as jobs before the commit
}

// run runs one function and sets u.err to its error. It returns an error if the
// transaction cannot continue.
func (t *transaction) run(u *update, mode savepoints) error {
	if mode == withSavepoints {
		if _, err := t.session.Exec("SAVEPOINT fn"); err != nil {
			return err
		}
	}
	effects, mark := len(t.effects), t.shared.Mark()
	t.session.begin(time.Now().Add(functionTime))
	tx := sqlstore.NewTx(context.Background(), t.session, t.shared, func(e audience.Effect) error {
		t.effects = append(t.effects, e)
		return nil
	})
	u.err = sqlstore.Call(u.fn, tx)
	t.session.deadline = time.Time{}
	if u.err == nil {
		u.err = t.session.failed // a function cannot ignore a failed statement: SQLite may have rolled back
	}
	if u.err != nil {
		t.effects = t.effects[:effects]
	}
	switch {
	case mode == withSavepoints && u.err == nil:
		_, err := t.session.Exec("RELEASE fn")
		return err
	case mode == withSavepoints:
		t.shared.Undo(mark)
		// This fails if SQLite has rolled back the whole transaction.
		if _, err := t.session.Exec("ROLLBACK TO fn"); err != nil {
			return err
		}
		_, err := t.session.Exec("RELEASE fn")
		return err
	case u.err != nil && (t.session.writes > 0 || t.session.failed != nil):
		return errRollback
	}
	return nil
}

// rollback ends the transaction. Without an open transaction, SAVEPOINT opens one, so
// that ROLLBACK does not fail.
func (c *dbConn) rollback() error {
	c.inTx = false
	if _, err := c.session.Exec("SAVEPOINT probe"); err != nil {
		return err
	}
	_, err := c.session.Exec("ROLLBACK")
	return err
}
