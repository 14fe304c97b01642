// Package postgres stores the data of enlist in a PostgreSQL database, version 15 or later. Any number of
// processes may share the database. This package opens connections, runs transactions and migrates the
// tables. The packages of the subjects have the SQL inside the transactions.
//
// Transactions that write run at the same time (update.go). If a function does not need the result
// of a statement, the statement waits in a queue. The queue is sent together with the next statement
// whose result the function needs (session.go). So a subscription takes only two round trips.
//
// The prefix of a file's name says what the file is for:
//
//   - connect: URLs and pools of connections
//   - session and partition: the statements of a transaction
//   - update and jobs: transactions that write; upkeep: what follows from many of them
//   - readers and replica: transactions that read
//   - retry, error and damage: failures and repeated attempts
//   - migrate: the tables
//   - searchindex and trigram: the indexes of single Lists
//   - target: the command enlist copy
//   - distribute: Citus
//   - document and dialect: the SQL and JSON of PostgreSQL
package postgres

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// Options of a Store. A zero value means the default.
type Options struct {
	Writers    int             // largest number of concurrent transactions that write; the default is 16
	Readers    int             // largest number of concurrent look-ups; the default is four for each processor, at least 8
	Searches   int             // largest number of concurrent reads that may scan a whole List; the default is 8
	SearchTime time.Duration   // time limit of a read that may scan a whole List; the default is 1 minute
	Streams    int             // largest number of concurrent replies whose rows are sent while they are read; the default is 8
	Wait       time.Duration   // longest wait of a search or stream for a free connection; the default is 5 s
	UpdateTime time.Duration   // time limit of a change or look-up with all its attempts; the default is 10 s
	Replicas   []string        // URLs of standbys for Search and Stream
	ReplicaLag time.Duration   // greatest age of the data on a standby; 0: the data must be as new as on the primary
	Existing   bool            // Open returns an error for a database without tables, and does not create them
	Log        *slog.Logger    // nil: no log
	Tracer     pgx.QueryTracer // of the statements on the primary, without those of the job queue; nil: none
	Trace      statementTrace  // is called with each statement on the primary; nil: nothing is

	WaitForServer time.Duration // longest wait of Open for a server that it cannot reach; 0: Open does not wait

	copying bool // migrate accepts a database into which enlist copy has not copied all tables yet
}

// Store is an db.Engine in one PostgreSQL database. Its methods may be called
// by many goroutines at once.
type Store struct {
	*db.Looks
	config      *pgxpool.Config // for connections outside the pools
	pools       []*pgxpool.Pool // all pools of the primary
	cache       *db.Cache
	writers     *pgxpool.Pool
	readers     *readers
	searches    *readers
	streams     *readers
	replicas    *replicas
	jobs        *pgxpool.Pool
	presence    *presence
	upkeep      *upkeep
	batcher     *insertBatcher
	workers     *jobqueue.Workers
	commits     prometheus.Histogram
	distributed bool        // the large tables are on several servers (Citus)
	partitions  *partitions // nil if distributed
	trigrams    string      // operator class for indexes for parts of texts; "": the database has none
	damage      *db.Damage
	deadlock    atomic.Int64  // time of the last deadlock, in Unix nanoseconds
	time        time.Duration // limit of an Update and of a View
}

// Open opens the database at a URL and brings its tables up to date. The database
// itself must exist. Errors do not contain the URL's password.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.Tracer = o.Trace.with(o.Tracer)
	if err := waitForServer(ctx, o, func() error { return migrate(ctx, config, o) }); err != nil {
		return nil, fmt.Errorf("open %s: %w", shown(config), err)
	}
	s := &Store{config: config, cache: new(db.Cache), commits: db.NewCommits(),
		time: cmp.Or(o.UpdateTime, 10*time.Second), damage: &db.Damage{Log: o.Log}, workers: new(jobqueue.Workers)}
	s.Looks = db.NewLooks(s.version)
	config.ConnConfig.OnPgError = s.lookForDamage
	s.presence = newPresence(config, o.Trace)
	if err := s.open(ctx, config, o); err != nil {
		s.closePools()
		return nil, fmt.Errorf("open %s: %w", shown(config), err)
	}
	s.upkeep = newUpkeep(s)
	s.batcher = &insertBatcher{store: s, queues: make(map[enlist.ListID]*batchQueue)}
	return s, nil
}

// open opens the pools. After an error the caller closes the pools that were opened.
func (s *Store) open(ctx context.Context, config *pgxpool.Config, o Options) (err error) {
	wait := cmp.Or(o.Wait, 5*time.Second)
	readers := cmp.Or(o.Readers, max(8, 4*runtime.GOMAXPROCS(0)))
	s.readers, err = s.newReaders(ctx, config, readers, db.NewLimiter(readers, 0, 0))
	if err != nil {
		return err
	}
	s.readers.again = true
	s.distributed, err = s.isDistributed(ctx)
	if err != nil {
		return err
	}
	if !s.distributed {
		s.partitions = &partitions{names: make(map[int64]string)}
	}
	s.readers.partitions = s.partitions
	s.writers, err = s.writingPool(ctx, config, cmp.Or(o.Writers, 16))
	if err != nil {
		return err
	}
	s.pools = append(s.pools, s.writers)
	searches, streams := cmp.Or(o.Searches, 8), cmp.Or(o.Streams, 8)
	s.searches, err = s.newReaders(ctx, config, searches,
		db.NewLimiter(searches, wait, cmp.Or(o.SearchTime, time.Minute)))
	if err != nil {
		return err
	}
	s.streams, err = s.newReaders(ctx, config, streams, db.NewLimiter(streams, wait, 0))
	if err != nil {
		return err
	}
	s.replicas, err = s.openReplicas(ctx, o, searches+streams)
	if err != nil {
		return err
	}
	if err := s.replicas.look(ctx); err != nil {
		return err
	}
	s.searches.replicas, s.streams.replicas = s.replicas, s.replicas
	s.jobs, err = s.jobPool(ctx, config, o.Trace)
	if err != nil {
		return err
	}
	s.pools = append(s.pools, s.jobs)
	if err := s.lookForTrigrams(ctx, !o.Existing, o.Log); err != nil {
		return err
	}
	return s.countConnections(ctx, o.Log)
}

// View implements db.Engine. It has the time limit of an Update.
func (s *Store) View(ctx context.Context, fn func(*db.Tx) error) error {
	limited, cancel := context.WithTimeout(ctx, s.time)
	defer cancel()
	return s.readers.view(limited, fn)
}

// Search implements db.Engine.
func (s *Store) Search(ctx context.Context, fn func(*db.Tx) error) error {
	return s.searches.view(ctx, fn)
}

// Stream implements db.Engine.
func (s *Store) Stream(ctx context.Context, fn func(*db.Tx) error) error {
	return s.streams.view(ctx, fn)
}

// ViewPrimary implements db.Engine.
func (s *Store) ViewPrimary(ctx context.Context, fn func(*db.Tx) error) error {
	return s.streams.viewPrimary(ctx, fn)
}

// Cache implements db.Engine.
func (s *Store) Cache() *db.Cache { return s.cache }

// Ready implements db.Engine. It runs one read transaction, and one transaction that writes to the
// disk. It takes at most readyTime, so that a load balancer notices soon that PostgreSQL has stopped.
func (s *Store) Ready(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, min(s.time, readyTime))
	defer cancel()
	if err := s.View(limited, db.ProbeRead); err != nil {
		return err
	}
	return s.Update(limited, db.ProbeWrite)
}

// readyTime is the longest time of Ready.
const readyTime = 1500 * time.Millisecond

// Scrub implements db.Engine. PostgreSQL overwrites deleted rows when it vacuums a table, and a backup of enlist
// copies only rows that exist, so Scrub does nothing.
func (s *Store) Scrub(context.Context) error { return nil }

// Close waits for the transactions that run and closes the connections.
func (s *Store) Close() error {
	s.batcher.close()
	s.upkeep.close()
	s.presence.close()
	s.closePools()
	return nil
}

func (s *Store) closePools() {
	s.replicas.close()
	for _, p := range s.pools {
		p.Close()
	}
}
