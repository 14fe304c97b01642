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
	"enlist/internal/db/jobqueue"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
)

// This file runs the functions of Store.Update.

// writer runs the functions that write, one transaction after another. Functions that arrive while a transaction is open
// form the next group, in the order of their arrival, and the writer's goroutine runs them. The functions of a group share
// one transaction, so that one fsync makes all their changes durable.
//
// A lone caller, which finds the writer idle again and again, runs its function itself: waking the goroutine and then the
// caller would take a sixth of its processor time. With other callers, the goroutine is faster: it begins the next group
// at once.
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
	db      *sql.DB
	cache   *db.Cache
	jobs    *river.Client[*sql.Tx] // stores jobs and never runs them
	workers *jobqueue.Workers      // are told of the stored jobs
	commits prometheus.Histogram

	mu     sync.Mutex // guards the fields below
	busy   bool       // a goroutine has the turn: it alone runs transactions
	queue  []*update  // that wait for the next group, the oldest first
	closed bool       // do returns errClosed
	served int        // functions of the present turn
	lone   int        // how many turns had only one function, since the last one with more

	// Only the goroutine that has the turn uses these.
	group    []*update
	wal      *walLimiter
	walBytes int64 // size of the write-ahead log after the last group

	turn    chan struct{} // gives the turn to the writer's goroutine; closed after the last group
	stopped chan struct{} // closed when the writer's goroutine has ended
}

// update is one queued function.
type update struct {
	ctx   context.Context
	fn    func(*db.Tx) error
	state atomic.Int32 // first waiting; later running or abandoned
	err   error
	done  chan struct{} // receives a value when the function has its result
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

func newWriter(database *sql.DB, cache *db.Cache, jobs *river.Client[*sql.Tx], workers *jobqueue.Workers,
	wal *walLimiter) *writer {
	w := &writer{db: database, cache: cache, jobs: jobs, workers: workers, wal: wal, commits: db.NewCommits(),
		turn: make(chan struct{}, 1), stopped: make(chan struct{})}
	go w.loop()
	return w
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

// run runs the functions of a group and passes the result of each function to its caller.
func (w *writer) run(group []*update) {
	started := group[:0]
	for _, u := range group {
		switch {
		case !u.state.CompareAndSwap(waiting, running):
			// its caller has returned
		case u.ctx.Err() != nil:
			u.err = u.ctx.Err()
			u.done <- struct{}{}
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
		u.done <- struct{}{}
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
	var c *dbConn
	// Only this goroutine uses the connection until conn.Close, so it is safe to use c outside Raw.
	if err := conn.Raw(func(raw any) error { c = raw.(*dbConn); return nil }); err != nil {
		return errors.Join(errLocked, err)
	}
	if err := c.begin(ctx); err != nil {
		return errors.Join(errLocked, err)
	}
	defer func() {
		if c.inTx { // a function has ended the goroutine of its caller
			c.rollback()
		}
	}()
	t := &transaction{session: c.session, shared: db.NewSession(w.cache)}
	if err := w.write(ctx, conn, t, group, mode); err != nil {
		return errors.Join(err, c.end("ROLLBACK"))
	}
	if err := c.commit(); err != nil {
		// After some errors SQLite has already rolled the transaction back, and after others it has not.
		// c.rollback works in both cases.
		return errors.Join(err, c.rollback())
	}
	w.walBytes = c.walBytes
	w.commits.Observe(float64(len(group)))
	w.workers.Stored(t.effects)
	return nil
}

// write runs the functions of a group, and writes the counters and the jobs of all of them.
func (w *writer) write(ctx context.Context, conn *sql.Conn, t *transaction, group []*update, mode savepoints) error {
	for _, u := range group {
		if err := t.run(u, mode); err != nil {
			return err
		}
	}
	if err := t.shared.Finish(t.session); err != nil {
		return err
	}
	if len(t.effects) == 0 {
		return nil
	}
	tx, err := conn.BeginTx(ctx, nil) // joins the transaction
	if err != nil {
		return err
	}
	if err := insertJobs(ctx, w.jobs, tx, t.effects); err != nil {
		return errors.Join(fmt.Errorf("store jobs: %w", err), tx.Rollback())
	}
	return tx.Commit()
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
