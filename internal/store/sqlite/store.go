// Package sqlite keeps everything in one SQLite file: it opens connections,
// makes transactions and migrates. What is in them is said in package sqlstore.
//
// There is one writer, which groups commits, and a pool of readers, each on a
// snapshot of its own (WAL). A second process may use the same file. The driver
// is mattn/go-sqlite3 where there is cgo and modernc.org/sqlite where not;
// driver_cgo.go and driver_nocgo.go are all that differs.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"
)

// Options of a Store; the zero value is good.
type Options struct {
	Searches   int           // reads at once that may look at every Contact of a List; 0: 4
	SearchTime time.Duration // the longest that one may take; 0: 1 minute
	Streams    int           // replies at once that go out while they are read; 0: 4
	Wait       time.Duration // for a place among either; 0: 5 s
	Log        *slog.Logger  // nil: none
}

// Store is an audience.Store on one SQLite file.
type Store struct {
	db       *sql.DB
	cache    *sqlstore.Cache
	writer   *writer
	readers  *readers
	searches *readers
	streams  *readers
}

// Open opens the database at path, making it when there is none, and brings its
// tables up to date. Its files can be read by their owner only.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	drv := newDriver()
	reading := &connector{path: path, driver: drv}
	if err := refuseForeign(ctx, reading); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db := sql.OpenDB(&connector{path: path, writer: true, driver: drv})
	db.SetMaxOpenConns(1)
	s := &Store{db: db}
	if err := s.open(ctx, reading, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, reading *connector, o Options) error {
	if err := migrate(ctx, s.db, o.Log); err != nil {
		return err
	}
	jobs, err := newInserter(s.db, o.Log)
	if err != nil {
		return err
	}
	wait := orDefault(o.Wait, 5*time.Second)
	s.cache = new(sqlstore.Cache)
	s.readers = newReaders(reading, s.cache, max(4, 2*runtime.GOMAXPROCS(0)), 0, 0)
	s.searches = newReaders(reading, s.cache, orDefault(o.Searches, 4), wait, orDefault(o.SearchTime, time.Minute))
	s.streams = newReaders(reading, s.cache, orDefault(o.Streams, 4), wait, 0)
	s.writer = newWriter(s.db, s.cache, jobs.insert)
	return nil
}

// View implements audience.Store.
func (s *Store) View(ctx context.Context, fn func(audience.Tx) error) error {
	return s.readers.view(ctx, fn)
}

// Search implements audience.Store.
func (s *Store) Search(ctx context.Context, fn func(audience.Tx) error) error {
	return s.searches.view(ctx, fn)
}

// CachedKey implements audience.Store.
func (s *Store) CachedKey(hash audience.KeyHash) (*audience.Key, *audience.Account, bool) {
	return s.cache.Known(hash)
}

// CachedSchema implements audience.Store.
func (s *Store) CachedSchema(id audience.ListID) (*audience.Schema, bool) {
	return s.cache.KnownSchema(id)
}

// Stream implements audience.Store.
func (s *Store) Stream(ctx context.Context, fn func(audience.Tx) error) error {
	return s.streams.view(ctx, fn)
}

// ViewPrimary implements audience.Store.
func (s *Store) ViewPrimary(ctx context.Context, fn func(audience.Tx) error) error {
	return s.Stream(ctx, fn)
}

// Update implements audience.Store.
func (s *Store) Update(ctx context.Context, fn func(audience.Tx) error, _ ...audience.InsertsContact) error {
	return s.writer.do(ctx, fn)
}

// Ready implements audience.Store: a read, and a write of nothing.
func (s *Store) Ready(ctx context.Context) error {
	nothing := func(tx audience.Tx) error { _, err := tx.Accounts(); return err }
	if err := s.View(ctx, nothing); err != nil {
		return err
	}
	return s.Update(ctx, nothing)
}

// Close waits for the writes that are in the line and closes the file.
func (s *Store) Close() error {
	s.writer.close()
	return errors.Join(s.readers.close(), s.searches.close(), s.streams.close(), s.db.Close())
}

// makePrivate makes the file, if it is new, readable by its owner alone; SQLite
// gives its companions the same mode.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	return f.Close()
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
