package postgres

import (
	"context"
	"errors"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"

	"github.com/jackc/pgx/v5/pgxpool"
)

// readers run transactions that read, each on one snapshot.
type readers struct {
	pool   *pgxpool.Pool
	cache  *sqlstore.Cache
	places sqlstore.Places
	time   time.Duration // until a function has begun: it may itself take longer

	// again: the functions are look-ups, which may run again when the catalogue
	// is another than was taken for granted, or when a connection is lost. Others
	// may have sent something by then.
	again bool

	replicas *replicas // to be tried first; nil: none
}

func (s *Store) newReaders(ctx context.Context, config *pgxpool.Config, size int, places sqlstore.Places) (*readers, error) {
	pool, err := readingPool(ctx, config, size)
	if err != nil {
		return nil, err
	}
	return &readers{pool: pool, cache: s.cache, places: places, time: s.time}, nil
}

var errSilent = errors.New("the database does not answer")

const beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// view runs fn on one snapshot, of a replica if one is as good.
func (r *readers) view(ctx context.Context, fn func(audience.Tx) error) error {
	return r.places.Hold(ctx, func(ctx context.Context) error {
		if r.replicas != nil {
			if served, err := r.replicas.view(ctx, fn); served {
				return err
			}
		}
		return r.run(ctx, fn)
	})
}

// survey is view without replicas.
func (r *readers) survey(ctx context.Context, fn func(audience.Tx) error) error {
	return r.places.Hold(ctx, func(ctx context.Context) error { return r.run(ctx, fn) })
}

func (r *readers) run(ctx context.Context, fn func(audience.Tx) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	overdue := time.AfterFunc(r.time, func() { cancel(errSilent) })
	defer overdue.Stop()
	begin := func(tx audience.Tx) error { overdue.Stop(); return fn(tx) }
	version := int64(0)
	if r.again {
		version = r.cache.Newest()
	}
	return tries(ctx, func() (bool, error) {
		conn, err := r.pool.Acquire(ctx)
		if err != nil {
			err = connectError(err)
			return lost(err), err
		}
		defer conn.Release()
		s := newReading(ctx, conn, version)
		began, err := s.read(ctx, begin, r.cache, version == 0)
		version = 0 // the next try asks first
		if errors.Is(err, errStale) {
			return true, err
		}
		return (r.again || !began) && lost(err), err
	})
}

// newReading makes a session that reads, for which the catalogue is taken to be
// at a version; 0: it is not known.
func newReading(ctx context.Context, conn *pgxpool.Conn, version int64) *session {
	pg := conn.Conn().PgConn()
	return &session{pipeline: pg.StartPipeline(ctx), statements: statementsOf(pg), reads: true, version: version}
}

// read runs fn in a transaction of the session, and reports whether fn has begun.
// ask says to look first whether the catalogue is at the version.
func (s *session) read(ctx context.Context, fn func(audience.Tx) error, cache *sqlstore.Cache, ask bool) (began bool, err error) {
	defer s.pipeline.Close()
	if ask {
		s.start(false)
		if err := s.flush(); err != nil {
			return false, s.rollback(err)
		}
	}
	shared := sqlstore.NewSession(cache)
	shared.Sees(s.version)
	fnErr := s.call(ctx, fn, shared, nil)
	return true, errors.Join(s.end(), fnErr)
}

// start begins a transaction that reads, unless it has begun. What the server gets
// in one go is a transaction by itself, so that one of a single query is left
// without BEGIN and COMMIT: they cost as much as finding a Contact.
func (s *session) start(whole bool) {
	if s.begun {
		return
	}
	s.begun, s.whole = true, whole
	if whole {
		s.begin()
	} else {
		s.begin(beginReading)
	}
}

// end ends a transaction that reads.
func (s *session) end() error {
	if s.broken || s.whole {
		return s.failed
	}
	if !s.begun { // nobody asked for anything: is the catalogue as it was taken to be?
		s.start(true)
		return s.flush()
	}
	ending := "COMMIT"
	if s.failed != nil {
		ending = "ROLLBACK"
	}
	failed := s.failed
	s.failed = nil // the server listens again
	s.send(ending, nil, nil)
	if err := s.flush(); err != nil && failed == nil {
		return err
	}
	return failed
}
