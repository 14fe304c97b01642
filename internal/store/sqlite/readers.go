package sqlite

import (
	"context"
	"errors"
	"sync"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"
)

// readers is a pool of connections that read. They are opened when they are
// first needed and handed out in any order; whoever finds none free waits.
type readers struct {
	connector *connector
	cache     *sqlstore.Cache
	limiter   sqlstore.Limiter

	mu     sync.Mutex
	idle   []*dbConn
	closed bool
}

func newReaders(c *connector, cache *sqlstore.Cache, places int, wait, limit time.Duration) *readers {
	return &readers{connector: c, cache: cache, limiter: sqlstore.NewLimiter(places, wait, limit)}
}

// view runs fn on one snapshot.
func (r *readers) view(ctx context.Context, fn func(audience.Tx) error) error {
	return r.limiter.Do(ctx, func(ctx context.Context) error { return r.transaction(ctx, fn) })
}

func (r *readers) transaction(ctx context.Context, fn func(audience.Tx) error) (err error) {
	c, err := r.take()
	if err != nil {
		return err
	}
	good := false // a connection that a panic or an error of its own left is not used again
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

func (r *readers) take() (*dbConn, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, errClosed
	}
	if n := len(r.idle); n > 0 {
		c := r.idle[n-1] // the last one used: its cache is warm
		r.idle = r.idle[:n-1]
		r.mu.Unlock()
		return c, nil
	}
	r.mu.Unlock()
	return r.connector.connect()
}

func (r *readers) give(c *dbConn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		c.Close() // a read connection: nothing can be lost
		return
	}
	r.idle = append(r.idle, c)
}

// close closes the idle connections; those in use close when they are given back.
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
