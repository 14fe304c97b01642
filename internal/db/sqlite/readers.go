package sqlite

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/db"
)

// This file runs functions that only read, for Store.View, Search and Stream.

// readers is a pool of read-only connections. If a caller needs a connection and no connection is
// idle, the pool opens a new connection. After its use, the connection stays in the pool. A caller
// waits while the limiter has no free slot.
type readers struct {
	connector *connector
	cache     *db.Cache
	limiter   db.Limiter

	// tracked says that the writer may end transactions of this pool (walLimiter).
	tracked bool

	mu      sync.Mutex
	idle    []*dbConn
	running []*reading // only if tracked
	closed  bool
}

func newReaders(c *connector, cache *db.Cache, size int, wait, limit time.Duration) *readers {
	return &readers{connector: c, cache: cache, limiter: db.NewLimiter(size, wait, limit)}
}

// view runs fn in a read transaction. All reads of fn see the same snapshot.
func (r *readers) view(ctx context.Context, fn func(*db.Tx) error) error {
	return r.limiter.Do(ctx, func(ctx context.Context) error { return r.transaction(ctx, fn) })
}

// maxBrokenOff is the number of times that a search runs before it fails because the writer ended its
// transaction each time.
const maxBrokenOff = 3

// viewAgain does the same as view. If the writer ends the transaction, viewAgain runs fn again.
func (r *readers) viewAgain(ctx context.Context, fn func(*db.Tx) error) error {
	return r.limiter.Do(ctx, func(ctx context.Context) error {
		for attempt := 1; ; attempt++ {
			err := r.transaction(ctx, fn)
			if !errors.Is(err, errBrokenOff) || attempt == maxBrokenOff {
				return err
			}
		}
	})
}

// transaction runs fn on a connection of the pool.
func (r *readers) transaction(ctx context.Context, fn func(*db.Tx) error) (err error) {
	c, err := r.take()
	if err != nil {
		return err
	}
	good := false // stays false after a panic and after a failed BEGIN or COMMIT; then the connection is closed
	defer func() {
		if !good {
			err = errors.Join(err, c.Close())
		}
	}()
	if err := c.begin(ctx); err != nil {
		return err
	}
	brokenOff, fnErr := r.run(ctx, c.session, fn)
	if brokenOff {
		return errBrokenOff
	}
	if _, err := c.session.Exec("COMMIT"); err != nil {
		return errors.Join(fnErr, err)
	}
	good = true
	r.give(c)
	return fnErr
}

// run runs fn while the transaction is one of the running ones. It reports whether the writer has ended the
// transaction.
func (r *readers) run(ctx context.Context, s *session, fn func(*db.Tx) error) (brokenOff bool, err error) {
	ctx, running := r.start(ctx, s)
	defer func() { brokenOff = r.end(running) }() // also after a panic
	return false, fn(db.NewTx(ctx, s, db.NewSession(r.cache), nil))
}

// take removes an idle connection from the pool. If there is none, it opens a connection.
func (r *readers) take() (*dbConn, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, errClosed
	}
	if n := len(r.idle); n > 0 {
		c := r.idle[n-1] // the connection that was used last, because its page cache is warm
		r.idle = r.idle[:n-1]
		r.mu.Unlock()
		return c, nil
	}
	r.mu.Unlock()
	c, err := r.connector.connect()
	if err == nil {
		c.session.shared = r.tracked // before another goroutine knows the session
	}
	return c, err
}

// give returns a connection to the pool.
func (r *readers) give(c *dbConn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		c.Close() // a read-only connection cannot lose data, so an error does not matter
		return
	}
	r.idle = append(r.idle, c)
}

// close closes the idle connections. The method give closes the other connections when their
// transactions end.
func (r *readers) close() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, c := range r.idle {
		err = errors.Join(err, c.Close())
	}
	r.idle = nil
	return err
}

// reading is a transaction that the writer may end.
type reading struct {
	session *session
	since   time.Time
	cancel  context.CancelFunc // interrupts a running query
	ended   bool               // the transaction has ended by itself; session.mu guards it
	broken  atomic.Bool        // the writer has ended the transaction
}

// start adds the transaction to the running ones, and returns a context for its queries. In a pool that is
// not tracked it returns nil.
func (r *readers) start(ctx context.Context, s *session) (context.Context, *reading) {
	if !r.tracked {
		return ctx, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	running := &reading{session: s, since: time.Now(), cancel: cancel}
	r.mu.Lock()
	r.running = append(r.running, running)
	r.mu.Unlock()
	return ctx, running
}

// end removes the transaction from the running ones. It returns true if the writer has ended the transaction.
func (r *readers) end(running *reading) (brokenOff bool) {
	if running == nil {
		return false
	}
	r.mu.Lock()
	r.running = slices.DeleteFunc(r.running, func(o *reading) bool { return o == running })
	r.mu.Unlock()
	running.session.lock()
	running.ended = true
	running.session.unlock()
	running.cancel()
	return running.broken.Load()
}

// startedBefore returns the transactions that started before a time and read from the write-ahead log.
func (r *readers) startedBefore(before time.Time) (found []*reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, running := range r.running {
		if running.since.Before(before) && !running.broken.Load() {
			found = append(found, running)
		}
	}
	return found
}

// breakOff ends the transaction. It returns false if the transaction has already ended.
func (r *reading) breakOff() bool {
	r.cancel()
	r.session.lock()
	defer r.session.unlock()
	if r.ended {
		return false
	}
	r.session.breakOff(errBrokenOff)
	r.broken.Store(true)
	return true
}
