package sqlite

// This file runs functions that only read, for Store.View, Search and Stream.

import (
	"context"
	"errors"
	"sync"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"
)

// readers is a pool of read-only connections. If a caller needs a connection and no connection is
// idle, the pool opens a new connection. After its use, the connection stays in the pool. A caller
// waits while the limiter has no free slot.
type readers struct {
	connector *connector
	cache     *sqlstore.Cache
	limiter   sqlstore.Limiter

	mu     sync.Mutex
	idle   []*dbConn
	closed bool
}

func newReaders(c *connector, cache *sqlstore.Cache, size int, wait, limit time.Duration) *readers {
	return &readers{connector: c, cache: cache, limiter: sqlstore.NewLimiter(size, wait, limit)}
}

// view runs fn in a read transaction. All reads of fn see the same snapshot.
func (r *readers) view(ctx context.Context, fn func(audience.Tx) error) error {
	return r.limiter.Do(ctx, func(ctx context.Context) error { return r.transaction(ctx, fn) })
}

// transaction runs fn on a connection of the pool.
func (r *readers) transaction(ctx context.Context, fn func(audience.Tx) error) (err error) {
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
	fnErr := fn(sqlstore.NewTx(ctx, c.session, sqlstore.NewSession(r.cache), nil))
	if _, err := c.session.Exec("COMMIT"); err != nil {
		return errors.Join(fnErr, err)
	}
	good = true
	r.give(c)
	return fnErr
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
	return r.connector.connect()
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
