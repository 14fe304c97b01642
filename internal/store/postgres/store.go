// Package postgres keeps everything in a PostgreSQL database, 15 or later, which
// any number of processes may share: it opens connections, makes transactions
// and migrates. What is in them is said in package sqlstore.
//
// Transactions that write run side by side (update.go). Statements that nobody
// waits for are sent together with the next one that somebody does (session.go),
// so that a subscription takes two round trips.
package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Options of a Store; the zero value is good.
type Options struct {
	Writers    int           // transactions at once that write; 0: 16
	Readers    int           // look-ups at once; 0: two for each processor, at least 4
	Searches   int           // reads at once that may look at every Contact of a List; 0: 4
	SearchTime time.Duration // the longest that one may take; 0: 1 minute
	Streams    int           // replies at once that go out while they are read; 0: 4
	Wait       time.Duration // for a place among either; 0: 5 s
	UpdateTime time.Duration // the longest that a change, or a look-up, may take with all its tries; 0: 10 s
	Replicas   []string      // URLs of standbys that Search and Stream may read from
	ReplicaLag time.Duration // how old what they see there may be; 0: as new as on the primary
	Existing   bool          // refuse a database in which there is nothing yet
	Patience   time.Duration // for a server that cannot be reached when the database is opened; 0: none
	Log        *slog.Logger  // nil: none

	copying bool // open a database into which another one is being copied
}

func (o Options) complete() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Store is an audience.Store in one PostgreSQL database.
type Store struct {
	config   *pgxpool.Config // for connections besides the pools'
	cache    *sqlstore.Cache
	writers  *pgxpool.Pool
	readers  *readers
	searches *readers
	streams  *readers
	replicas *replicas
	jobs     *pgxpool.Pool
	folder   *folder
	gatherer *gatherer
	notices  *notices
	spread   bool          // the large tables, over several servers
	deadlock atomic.Int64  // when the last one was, in Unix nanoseconds
	time     time.Duration // of an Update
}

// Open opens the database at a URL, which must be there, and brings its tables up
// to date. Errors do not show the password that is in a URL.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	o = o.complete()
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	if err := patiently(ctx, o, func() error { return migrate(ctx, config, o) }); err != nil {
		return nil, fmt.Errorf("open %s: %w", shown(config), err)
	}
	s := &Store{config: config, cache: new(sqlstore.Cache), notices: newNotices(), time: orDefault(o.UpdateTime, 10*time.Second)}
	if err := s.open(ctx, config, o); err != nil {
		s.closePools()
		return nil, fmt.Errorf("open %s: %w", shown(config), err)
	}
	s.folder, s.gatherer = newFolder(s), &gatherer{store: s}
	return s, nil
}

func (s *Store) open(ctx context.Context, config *pgxpool.Config, o Options) (err error) {
	wait := orDefault(o.Wait, 5*time.Second)
	if s.writers, err = writingPool(ctx, config, orDefault(o.Writers, 16), s.time); err != nil {
		return err
	}
	if s.readers, err = s.newReaders(ctx, config, orDefault(o.Readers, max(4, 2*runtime.GOMAXPROCS(0))), sqlstore.Places{}); err != nil {
		return err
	}
	s.readers.again = true
	searches, streams := orDefault(o.Searches, 4), orDefault(o.Streams, 4)
	if s.searches, err = s.newReaders(ctx, config, searches, sqlstore.NewPlaces(searches, wait, orDefault(o.SearchTime, time.Minute))); err != nil {
		return err
	}
	if s.streams, err = s.newReaders(ctx, config, streams, sqlstore.NewPlaces(streams, wait, 0)); err != nil {
		return err
	}
	if s.replicas, err = s.openReplicas(ctx, o, searches+streams); err != nil {
		return err
	}
	if err := s.replicas.look(ctx); err != nil {
		return err
	}
	s.searches.replicas, s.streams.replicas = s.replicas, s.replicas
	if s.jobs, err = jobPool(ctx, config); err != nil {
		return err
	}
	if s.spread, err = s.isDistributed(ctx); err != nil {
		return err
	}
	return s.countConnections(ctx, o.Log)
}

// View implements audience.Store, within the time limit of an Update.
func (s *Store) View(ctx context.Context, fn func(audience.Tx) error) error {
	limited, cancel := context.WithTimeout(ctx, s.time)
	defer cancel()
	return s.readers.view(limited, fn)
}

// Search implements audience.Store.
func (s *Store) Search(ctx context.Context, fn func(audience.Tx) error) error {
	return s.searches.view(ctx, fn)
}

// Stream implements audience.Store.
func (s *Store) Stream(ctx context.Context, fn func(audience.Tx) error) error {
	return s.streams.view(ctx, fn)
}

// ViewPrimary implements audience.Store.
func (s *Store) ViewPrimary(ctx context.Context, fn func(audience.Tx) error) error {
	return s.streams.survey(ctx, fn)
}

// CachedKey implements audience.Store.
func (s *Store) CachedKey(hash audience.KeyHash) (*audience.Key, *audience.Account, bool) {
	return s.cache.Known(hash)
}

// CachedSchema implements audience.Store.
func (s *Store) CachedSchema(id audience.ListID) (*audience.Schema, bool) {
	return s.cache.KnownSchema(id)
}

// Ready implements audience.Store: a read, and a write of nothing, which a standby
// refuses. Both are within the time limit of an Update.
func (s *Store) Ready(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, s.time)
	defer cancel()
	if err := s.View(limited, func(tx audience.Tx) error { _, err := tx.Accounts(); return err }); err != nil {
		return err
	}
	return s.Update(limited, func(tx audience.Tx) error { return tx.DeleteRetries(0) })
}

// Close waits for the transactions that run and closes the connections.
func (s *Store) Close() error {
	s.gatherer.close()
	s.folder.close()
	s.closePools()
	return nil
}

func (s *Store) closePools() {
	s.replicas.close()
	for _, r := range []*readers{s.readers, s.searches, s.streams} {
		if r != nil {
			r.pool.Close()
		}
	}
	for _, p := range []*pgxpool.Pool{s.writers, s.jobs} {
		if p != nil {
			p.Close()
		}
	}
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
