package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/db"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
)

// This file runs the functions of Store.Update.

// writer has one goroutine, which runs all functions that write. Functions that arrive while a
// transaction is open form the next group, in the order of their arrival. The functions of a group
// share one transaction, so that one fsync makes all their changes durable.
//
// The writer tries up to three ways to run a group:
//
//  1. It runs the group in one transaction without savepoints. With a savepoint, SQLite copies
//     pages: inserting a Contact takes 26 µs, and 4 to 5 µs of this are for the savepoint.
//  2. If a function fails after it wrote, the writer rolls the transaction back. It runs the
//     group again with a savepoint for each function, so that it can undo only the function that
//     fails.
//  3. If SQLite rolls back the complete transaction, because of a full disk or an I/O error, the
//     writer runs each function in a separate transaction.
//
// So a function can run more than once. A caller gets the result of its function after the commit.
type writer struct {
	db       *sql.DB
	cache    *db.Cache
	jobs     *river.Client[*sql.Tx] // stores jobs and never runs them
	workers  *listeners             // are notified of the stored jobs
	wal      *walLimiter
	queue    chan *update
	commits  prometheus.Histogram
	walBytes int64         // size of the write-ahead log after the last group; only the writer's goroutine uses it
	closing  chan struct{} // closed when the store closes; do then returns errClosed
	stopped  chan struct{} // closed when the goroutine has ended
	once     sync.Once
}

// update is one queued function.
type update struct {
	ctx   context.Context
	fn    func(*db.Tx) error
	state atomic.Int32 // first waiting; later running or abandoned
	err   error
	done  chan struct{}
}

const (
	waiting int32 = iota
	running
	abandoned // the caller returned before the function started; the function does not run
)

const (
	maxGroup     = 512             // largest number of functions in one transaction
	functionTime = 5 * time.Second // longest time of one function; while it runs, no other function can write
)

var errClosed = errors.New("the store is closed")

func newWriter(database *sql.DB, cache *db.Cache, jobs *river.Client[*sql.Tx], workers *listeners,
	wal *walLimiter) *writer {
	w := &writer{db: database, cache: cache, jobs: jobs, workers: workers, wal: wal,
		queue: make(chan *update, maxGroup), commits: db.NewCommits(),
		closing: make(chan struct{}), stopped: make(chan struct{})}
	go w.loop()
	return w
}

// do runs fn in a transaction and returns after the commit. If ctx is cancelled before fn starts,
// fn does not run. After fn has started, do ignores ctx and waits for the result.
func (w *writer) do(ctx context.Context, fn func(*db.Tx) error) error {
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
	case <-w.stopped: // perhaps the update entered the queue after the goroutine had read the queue for the last time
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

// loop runs on the writer's goroutine until the store closes.
func (w *writer) loop() {
	defer close(w.stopped)
	var group []*update
	for {
		select {
		case u := <-w.queue:
			group = append(group[:0], u)
			w.run(w.addQueued(group))
			w.limitLog()
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

// limitLog starts the write-ahead log over if it is too large. The callers already have their results.
func (w *writer) limitLog() {
	if !w.wal.due(w.walBytes) {
		return
	}
	conn, err := w.db.Conn(context.Background())
	if err != nil {
		return // the next group gets the same error
	}
	defer conn.Close()
	conn.Raw(func(raw any) error { w.wal.start(raw.(*dbConn), w.walBytes); return nil })
}

// addQueued adds the functions that are in the queue now to a group. It does not wait for more functions.
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

// run runs the functions of a group and passes the result of each function to its caller.
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

// retry runs a group again after its transaction failed with err and was rolled back. If a function
// of the group failed, retry first uses one transaction with savepoints. If this transaction also
// fails, or if no function failed, retry runs each function in a separate transaction. It does not
// run a group again that has only one function, or whose transaction could not begin. If the file was
// moved, the transaction is possibly committed in the moved file.
func (w *writer) retry(group []*update, err error) {
	if len(group) == 1 || errors.Is(err, errLocked) || errors.Is(err, ErrMoved) {
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

// errRollback means that a function failed after it wrote, so the writer must roll the transaction
// back. The error of the function is in update.err.
var errRollback = errors.New("a function of the group failed")

// errLocked means that the transaction could not begin.
var errLocked = errors.New("the database cannot be written to")

// savepoints states whether a group runs with a savepoint for each function.
type savepoints bool

const (
	withoutSavepoints savepoints = false
	withSavepoints    savepoints = true
)

// transaction runs the functions of a group in one transaction and commits it. If it returns an
// error, it has stored nothing.
func (w *writer) transaction(group []*update, mode savepoints) error {
	ctx := context.Background() // never cancelled; the comment in session.run explains why
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
	// Only this goroutine uses the connection until conn.Close, so it is safe to use c outside Raw.
	if err := conn.Raw(func(raw any) error { c = raw.(*dbConn); return nil }); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	t := &transaction{session: c.session, shared: db.NewSession(w.cache)}
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
		// After some errors SQLite has already rolled the transaction back, and after others it has not.
		// c.rollback works in both cases.
		return errors.Join(err, c.rollback())
	}
	w.walBytes = c.walBytes
	w.commits.Observe(float64(len(group)))
	w.workers.wakeFor(t.effects)
	return nil
}

// transaction is the open transaction of a group.
type transaction struct {
	session *session
	shared  *db.Session
	effects []db.Effect // the writer stores them as jobs before the commit
}

// run runs one function and sets u.err to the error of the function. It returns an error if the
// transaction cannot continue.
func (t *transaction) run(u *update, mode savepoints) error {
	if mode == withSavepoints {
		if _, err := t.session.Exec("SAVEPOINT fn"); err != nil {
			return err
		}
	}
	effects, mark := len(t.effects), t.shared.Mark()
	t.session.begin(time.Now().Add(functionTime))
	tx := db.NewTx(context.Background(), t.session, t.shared, func(e db.Effect) error {
		t.effects = append(t.effects, e)
		return nil
	})
	u.err = db.Call(u.fn, tx)
	t.session.deadline = time.Time{}
	if u.err == nil {
		// A function cannot ignore a failed statement, because SQLite can have rolled the transaction back.
		u.err = t.session.failed
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
		// The statement ROLLBACK TO fails if SQLite has already rolled back the complete
		// transaction.
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

// rollback rolls the transaction back. If SQLite has already done so, SAVEPOINT opens a new
// transaction, so that ROLLBACK does not fail.
func (c *dbConn) rollback() error {
	c.inTx = false
	if _, err := c.session.Exec("SAVEPOINT probe"); err != nil {
		return err
	}
	_, err := c.session.Exec("ROLLBACK")
	return err
}
