package postgres

import (
	"context"
	"errors"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"

	"github.com/jackc/pgx/v5/pgxpool"
)

// readers run transactions that read, each on one snapshot.
type readers struct {
	pool   *pgxpool.Pool
	cache  *sqlstore.Cache
	places sqlstore.Places

	// again: the functions are look-ups, which may run again when the catalogue
	// is another than was taken for granted, or when a connection is lost. Others
	// may have sent something by then.
	again bool
}

func (s *Store) newReaders(ctx context.Context, config *pgxpool.Config, size int, places sqlstore.Places) (*readers, error) {
	pool, err := readingPool(ctx, config, size)
	if err != nil {
		return nil, err
	}
	return &readers{pool: pool, cache: s.cache, places: places}, nil
}

const beginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

// view runs fn on one snapshot.
func (r *readers) view(ctx context.Context, fn func(audience.Tx) error) error {
	return r.places.Hold(ctx, func(ctx context.Context) error {
		version := int64(0)
		if r.again {
			version = r.cache.Newest()
		}
		return tries(ctx, func() (bool, error) {
			began, seen, err := r.transaction(ctx, fn, version)
			version = 0
			if errors.Is(err, errStale) {
				version = seen
				return true, err
			}
			return (r.again || !began) && lost(err), err
		})
	})
}

// transaction runs fn once. It reports whether fn has begun, and the version of
// the catalogue.
func (r *readers) transaction(ctx context.Context, fn func(audience.Tx) error, version int64) (began bool, seen int64, err error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return false, 0, connectError(err)
	}
	defer conn.Release()
	s := &session{pipeline: conn.Conn().PgConn().StartPipeline(ctx), statements: statementsOf(conn.Conn().PgConn()), reads: true, version: version}
	defer s.pipeline.Close()
	s.begin(beginReading)
	if version == 0 {
		if err := s.flush(); err != nil {
			return false, s.version, err
		}
	}
	shared := sqlstore.NewSession(r.cache)
	shared.Sees(s.version)
	fnErr := s.call(ctx, fn, shared, nil)
	return true, s.version, errors.Join(s.end(), fnErr)
}

// end ends a transaction that reads.
func (s *session) end() error {
	if s.broken {
		return s.failed
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
