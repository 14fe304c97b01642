package sqlite

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
)

// writer is the one goroutine that changes the database. It groups commits:
// functions that arrive while a transaction is open run in the next one, one
// after another, and one fsync makes them all durable.
//
// A group first runs without savepoints: for the copies of pages that they keep
// they cost 4 to 5 of the 26 µs that a Contact then takes. Only when a function
// fails after it wrote something is the whole group undone and run again with a
// savepoint around each, so that the one that fails is undone alone. If even that
// loses the transaction (a full disk, an I/O error: SQLite then rolls back
// everything), each runs in one of its own. Functions may therefore run more than
// once, and nobody is answered before the commit.
type writer struct {
	db      *sql.DB
	cache   *sqlstore.Cache
	jobs    func(ctx context.Context, tx *sql.Tx, effects []audience.Effect) error
	queue   chan *update
	closing chan struct{}
	stopped chan struct{} // closed when nothing is run any more
	once    sync.Once
}

// update is one function in the line.
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
	abandoned // its caller has gone; it is not run
)

const (
	maxGroup     = 512
	functionTime = 5 * time.Second // the longest that one function may hold the writer
)

var errClosed = errors.New("the store is closed")

func newWriter(db *sql.DB, cache *sqlstore.Cache, jobs func(context.Context, *sql.Tx, []audience.Effect) error) *writer {
	w := &writer{db: db, cache: cache, jobs: jobs, queue: make(chan *update, maxGroup), closing: make(chan struct{}), stopped: make(chan struct{})}
	go w.loop()
	return w
}

// do runs fn in a transaction and returns when that is committed. A caller that
// goes before its function starts leaves nothing behind; after that it waits.
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
	case <-w.stopped: // it may have come into the line after the last one was run
		if u.state.CompareAndSwap(waiting, abandoned) {
			return errClosed
		}
		<-u.done
	}
	return u.err
}

// close runs what is in the line and stops.
func (w *writer) close() {
	w.once.Do(func() { close(w.closing) })
	<-w.stopped
}

func (w *writer) loop() {
	defer close(w.stopped)
	var group []*update
	for {
		select {
		case u := <-w.queue:
			group = append(group[:0], u)
			w.run(w.more(group))
		case <-w.closing:
			for {
				if group = w.more(group[:0]); len(group) == 0 {
					return
				}
				w.run(group)
			}
		}
	}
}

// more adds what is in the line now, without waiting.
func (w *writer) more(group []*update) []*update {
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

// run carries out a group and answers each of its functions.
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
	if err := w.transaction(started, plain); err != nil {
		w.again(started, err)
	}
	for _, u := range started {
		close(u.done)
	}
}

// again runs a group whose transaction was undone: together with savepoints, or
// when that is lost too each alone, where it gets an error of its own.
func (w *writer) again(group []*update, err error) {
	if len(group) == 1 || errors.Is(err, errLocked) {
		for _, u := range group {
			if u.err == nil {
				u.err = err
			}
		}
		return
	}
	if errors.Is(err, errUndo) && w.transaction(group, guarded) == nil {
		return
	}
	for _, u := range group {
		u.err = nil
		if err := w.transaction([]*update{u}, plain); err != nil && u.err == nil {
			u.err = err
		}
	}
}

// errUndo says that a function failed after it wrote, so that the transaction
// had to be undone; the function's own error is in its update.
var errUndo = errors.New("a function of the group failed")

// errLocked says that the transaction could not begin.
var errLocked = errors.New("the database cannot be written to")

type guard bool

const (
	plain   guard = false
	guarded guard = true // a savepoint around each function
)

// transaction runs a group's functions in one transaction and commits it. After
// an error nothing of it is stored.
func (w *writer) transaction(group []*update, g guard) error {
	ctx := context.Background() // the writer's own: see session.run
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return errors.Join(errLocked, err)
	}
	defer conn.Close() // only gives it back
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return errors.Join(errLocked, err)
	}
	var c *dbConn
	// The connection is this goroutine's until conn.Close: it may be used outside Raw.
	if err := conn.Raw(func(raw any) error { c = raw.(*dbConn); return nil }); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	t := &transaction{session: c.session, shared: sqlstore.NewSession(w.cache)}
	for _, u := range group {
		if err := t.run(u, g); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	if err := t.shared.Finish(c.session); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if len(t.effects) > 0 {
		if err := w.jobs(ctx, tx, t.effects); err != nil {
			return errors.Join(fmt.Errorf("store jobs: %w", err), tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		// Whether SQLite still has the transaction open depends on what
		// failed: the rollback only has to end it if so.
		return errors.Join(err, c.rollback())
	}
	return nil
}

// transaction is one that is open, with what its functions set in motion.
type transaction struct {
	session *session
	shared  *sqlstore.Session
	effects []audience.Effect
}

// run runs one function. Its error is in u.err; the error that is returned says
// that the transaction cannot go on.
func (t *transaction) run(u *update, g guard) error {
	if g == guarded {
		if _, err := t.session.Exec("SAVEPOINT fn"); err != nil {
			return err
		}
	}
	effects, mark := len(t.effects), t.shared.Mark()
	t.session.begin(time.Now().Add(functionTime))
	u.err = sqlstore.Call(u.fn, sqlstore.NewTx(context.Background(), t.session, t.shared, func(e audience.Effect) error {
		t.effects = append(t.effects, e)
		return nil
	}))
	t.session.deadline = time.Time{}
	if u.err == nil {
		u.err = t.session.failed // not for a function to pass over: the transaction may be gone
	}
	if u.err != nil {
		t.effects = t.effects[:effects]
	}
	switch {
	case g == guarded && u.err == nil:
		_, err := t.session.Exec("RELEASE fn")
		return err
	case g == guarded:
		t.shared.Undo(mark)
		// Fails when SQLite has rolled the whole transaction back by itself.
		if _, err := t.session.Exec("ROLLBACK TO fn"); err != nil {
			return err
		}
		_, err := t.session.Exec("RELEASE fn")
		return err
	case u.err != nil && (t.session.writes > 0 || t.session.failed != nil):
		return errUndo
	}
	return nil
}

// rollback ends the transaction if it is still open.
func (c *dbConn) rollback() error {
	c.inTx = false
	if _, err := c.session.Exec("SAVEPOINT probe"); err != nil {
		return err
	}
	_, err := c.session.Exec("ROLLBACK")
	return err
}
