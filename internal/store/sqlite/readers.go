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
	wait      time.Duration // for a free place; 0: as long as the caller's context
	limit     time.Duration // for one read; 0: none
	places    chan struct{}

	mu     sync.Mutex
	idle   []*dbConn
	closed bool
}

func newReaders(c *connector, cache *sqlstore.Cache, places int, wait, limit time.Duration) *readers {
	return &readers{connector: c, cache: cache, wait: wait, limit: limit, places: make(chan struct{}, places)}
}

// view runs fn on one snapshot.
func (r *readers) view(ctx context.Context, fn func(audience.Tx) error) (err error) {
	if err := r.enter(ctx); err != nil {
		return err
	}
	defer func() { <-r.places }()
	if r.limit > 0 {
		caller := ctx
		limited, cancel := context.WithTimeout(ctx, r.limit)
		defer cancel()
		ctx = limited
		defer func() {
			if err != nil && limited.Err() != nil && caller.Err() == nil {
				err = &audience.Error{Kind: audience.Busy, Detail: "the search took too long; narrow it down", Err: err}
			}
		}()
	}
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

// enter waits for a place.
func (r *readers) enter(ctx context.Context) error {
	select {
	case r.places <- struct{}{}:
		return nil
	default:
	}
	var overdue <-chan time.Time
	if r.wait > 0 {
		timer := time.NewTimer(r.wait)
		defer timer.Stop()
		overdue = timer.C
	}
	select {
	case r.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-overdue:
		return audience.Refuse(audience.Busy, "too many searches at once; try again in a moment")
	}
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
