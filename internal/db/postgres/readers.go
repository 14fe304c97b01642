package postgres

import (
	"context"
	"errors"
	"time"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5/pgxpool"
)

// This file runs functions that only read, for Store.View, Search and Stream. Each function runs in
// one transaction, on one snapshot.

// readers run transactions that read.
type readers struct {
	pool    *pgxpool.Pool
	cache   *db.Cache
	limiter db.Limiter
	time    time.Duration // longest wait until a function starts; the function itself may take longer

	// again is true if the functions are look-ups. The function of a look-up runs again if the
	// catalogue has a new version or if a connection is lost. A search or a stream has perhaps
	// sent a part of its reply already, so its function must not run again.
	again bool

	// partitions is nil if the tables are distributed. It then forbids generic plans of searches: Citus must know the
	// arguments to plan a statement that mentions a large table twice.
	partitions *partitions

	replicas *replicas // tried before the primary; nil if there are none
}

// newReaders opens a pool of at most size connections. closePools closes it.
func (s *Store) newReaders(ctx context.Context, config *pgxpool.Config, size int,
	limiter db.Limiter) (*readers, error) {
	pool, err := readingPool(ctx, config, size)
	if err != nil {
		return nil, err
	}
	s.pools = append(s.pools, pool)
	return &readers{pool: pool, cache: s.cache, partitions: s.partitions, limiter: limiter, time: s.time}, nil
}

var errSilent = errors.New("the database does not answer")

const beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// view runs fn on one snapshot. This is a snapshot of a replica if the data of a replica is new
// enough, otherwise of the primary.
func (r *readers) view(ctx context.Context, fn func(*db.Tx) error) error {
	return r.limiter.Do(ctx, func(ctx context.Context) error {
		if r.replicas != nil {
			if served, err := r.replicas.view(ctx, fn); served {
				return err
			}
		}
		return r.run(ctx, fn)
	})
}

// viewPrimary is like view, but it never uses a replica.
func (r *readers) viewPrimary(ctx context.Context, fn func(*db.Tx) error) error {
	return r.limiter.Do(ctx, func(ctx context.Context) error { return r.run(ctx, fn) })
}

func (r *readers) run(ctx context.Context, fn func(*db.Tx) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	overdue := time.AfterFunc(r.time, func() { cancel(errSilent) })
	defer overdue.Stop()
	begin := func(tx *db.Tx) error { overdue.Stop(); return fn(tx) }
	version := int64(0)
	if r.again {
		version = r.cache.Newest()
	}
	return retry(ctx, func() (bool, error) {
		conn, err := r.pool.Acquire(ctx)
		if err != nil {
			err = connectError(err)
			return lost(err), err
		}
		defer conn.Release()
		s := newReading(ctx, conn, r.partitions, version)
		began, err := s.read(begin, r.cache, version == 0)
		version = 0 // a second attempt reads the version before fn starts
		if errors.Is(err, errStale) {
			return true, err
		}
		return (r.again || !began) && lost(err), err
	})
}

// newReading returns a session that only reads.
func newReading(ctx context.Context, conn *pgxpool.Conn, p *partitions, version int64) *session {
	s := newSession(ctx, conn, p, version)
	s.readOnly = true
	return s
}

// read runs fn in a transaction of the session and reports whether fn has started. If ask is true,
// read verifies the version of the catalogue before fn starts.
func (s *session) read(fn func(*db.Tx) error, cache *db.Cache, ask bool) (began bool, err error) {
	if ask {
		s.start(false)
		if err := s.flush(); err != nil {
			return false, s.rollback(err)
		}
	}
	shared := db.NewSession(cache)
	shared.Sees(s.version)
	fnErr := s.call(fn, shared, nil)
	return true, errors.Join(s.end(), fnErr)
}

// start queues the statements at the start of a transaction that reads. A second call does nothing.
// PostgreSQL runs statements that it receives together as one transaction. So if single is true, no
// BEGIN and COMMIT are needed. They would take as long as finding a Contact.
func (s *session) start(single bool) {
	if s.started {
		return
	}
	s.started, s.single = true, single
	if single {
		s.begin(readVersion)
	} else {
		s.begin(readVersion, beginReading)
	}
}

const (
	shortTime = time.Second            // the server need not know the end of a context that has as long
	aloneTime = 100 * time.Millisecond // parallel workers are no use in less, because they need 20 ms to end
)

// limitTime makes the server end the next statement itself if the context ends soon, as for the pages of the
// administration. A statement that pgx must cancel, over a second connection, costs 100 ms more: so long pgx waits
// until the cancellation can no longer hit the statement that follows.
func (s *session) limitTime() {
	end, ok := s.ctx.Deadline()
	if left := time.Until(end); ok && left < shortTime {
		s.limited = true
		limit := "SELECT set_config('statement_timeout', ?, true)"
		if left < aloneTime {
			limit += ", set_config('max_parallel_workers_per_gather', '0', true)"
		}
		s.send(limit, []any{milliseconds(max(left, time.Millisecond))}, nil)
	}
}

// end ends a transaction that reads.
func (s *session) end() error {
	if s.failed != nil {
		return s.rollback(s.failed)
	}
	if s.single {
		return nil
	}
	if !s.started { // fn used only the cache: verify that the cache was up to date
		s.start(true)
	} else {
		s.send("COMMIT", nil, nil)
	}
	return s.flush()
}
