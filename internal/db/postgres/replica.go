package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5/pgxpool"
)

// This file runs searches and streams on streaming standbys, to take load off the primary. A
// search first asks the primary for its position in the write-ahead log. It then runs on a
// replica that has replayed the log up to that position. So a search finds every change that
// any process has confirmed before. Only with Options.ReplicaLag may a replica be older. When
// no replica reaches that position in time, or no replica can be used, the primary serves the
// search. reference.md: search.replica

// replicas are the standbys of a Store.
type replicas struct {
	all     []*replica
	turn    atomic.Uint32 // the number of searches so far; each search tries another replica first
	primary *pgxpool.Pool
	cache   *db.Cache
	lag     time.Duration // the largest age of the data that a search reads
}

const (
	// replicaTime is how long a replica may take to accept a connection and to report
	// its position.
	replicaTime = time.Second
	// catchUpTime is the longest time that a search waits until a replica has replayed the
	// rest of the log. It is shorter than a search without an index. While the search waits,
	// it asks the replica for its position again after each catchUpPause.
	catchUpTime  = 100 * time.Millisecond
	catchUpPause = 2 * time.Millisecond

	// After an error of a replica, no search uses the replica for awayTime. If the replica
	// did not reach the position in time, no search uses it for behindTime. Then one search
	// tries the replica again.
	awayTime   = 5 * time.Second
	behindTime = time.Second
)

var errBehind = errors.New("it has not replayed in time the log of the primary; " +
	"check that it keeps up with the primary, or allow older data with --db-replica-lag")

// openReplicas creates a pool for each replica. It does not connect, because a replica may be
// unreachable now.
func (s *Store) openReplicas(ctx context.Context, o Options, size int) (*replicas, error) {
	if len(o.Replicas) == 0 {
		return nil, nil
	}
	all := &replicas{primary: s.readers.pool, cache: s.cache, lag: o.ReplicaLag}
	for _, url := range o.Replicas {
		config, err := parseAny(url)
		if err != nil {
			return all, errors.New("--db-replica is no URL of a PostgreSQL database: " +
				"postgres://USER:PASSWORD@HOST:PORT/DATABASE")
		}
		pool, err := readingPool(ctx, config, size)
		if err != nil {
			return all, err
		}
		all.all = append(all.all, &replica{pool: pool, partitions: s.partitions, name: shown(config), log: o.Log})
	}
	return all, nil
}

// look logs a warning for each replica that cannot be used. So the operator learns of the
// problem when the process starts, and not at the first search.
func (r *replicas) look(ctx context.Context) error {
	if r == nil {
		return nil
	}
	to, err := r.position(ctx)
	if err != nil {
		return err
	}
	for _, one := range r.all {
		if conn, err := one.ready(ctx, to); err != nil {
			one.markAway(err)
		} else {
			conn.Release()
		}
	}
	return nil
}

func (r *replicas) close() {
	if r == nil {
		return
	}
	for _, one := range r.all {
		one.pool.Close()
	}
}

// view runs fn on a replica. If served is true, err is the result of fn. Otherwise the caller
// must run fn on the primary, even if fn has already started on a replica.
func (r *replicas) view(ctx context.Context, fn func(*db.Tx) error) (served bool, err error) {
	to, err := r.position(ctx)
	if err != nil {
		return false, nil // reading from the primary will return the same error
	}
	turn := int(r.turn.Add(1) % uint32(len(r.all)))
	for i := range r.all {
		one := r.all[(turn+i)%len(r.all)]
		if !one.mayTry() {
			continue
		}
		err, failure := one.view(ctx, fn, r.cache, to)
		if failure == nil || ctx.Err() != nil {
			return true, errors.Join(err, failure)
		}
		if !errors.Is(failure, errStale) { // errStale: the replica works, but the definitions have just changed
			one.markAway(failure)
		}
	}
	return false, nil
}

// position is the state of the primary at one moment. A search can use a replica that has
// reached this state.
type position struct {
	system   int64      // identifies the cluster
	database int64      // OID of the database
	timeline int64      // increases with each failover
	lsn      string     // end of the log that is on disk; it is after every commit that was confirmed
	version  int64      // of the catalogue
	oldest   *time.Time // a replica that has replayed a commit of this time or later is new enough; nil: only lsn counts
}

// After a failover a replica may still follow the old primary. The replica then has commits
// that the new primary does not have, or lacks commits of the new primary. In this case the
// timelines of the replica and of the new primary differ. A replica reports the timeline of
// its last checkpoint. So it can report a new timeline too late, but never too early.
const (
	thisDatabase = `(SELECT system_identifier FROM pg_control_system()),
		(SELECT oid::bigint FROM pg_database WHERE datname = current_database())`
	wherePrimary = `SELECT ` + thisDatabase + `,
		('x' || left(pg_walfile_name(lsn), 8))::bit(32)::bigint, lsn::text, version, clock_timestamp()
		FROM pg_current_wal_flush_lsn() lsn, catalogue`
	whereReplica = `SELECT ` + thisDatabase + `,
		(SELECT timeline_id::bigint FROM pg_control_checkpoint()), pg_is_in_recovery(),
		coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false)
			OR coalesce(pg_last_xact_replay_timestamp() >= $2::timestamptz, false)`
)

// position asks the primary for its position.
func (r *replicas) position(ctx context.Context) (p position, err error) {
	ctx, cancel := context.WithTimeout(ctx, replicaTime)
	defer cancel()
	var now time.Time
	err = r.primary.QueryRow(ctx, wherePrimary).Scan(&p.system, &p.database, &p.timeline, &p.lsn, &p.version, &now)
	if r.lag > 0 {
		oldest := now.Add(-r.lag)
		p.oldest = &oldest
	}
	return p, err
}

// replica is one standby.
type replica struct {
	pool       *pgxpool.Pool
	partitions *partitions
	name       string // in log messages
	log        *slog.Logger

	mu    sync.Mutex
	away  bool      // the last attempt failed
	until time.Time // while away is true, no search tries the replica before this time
}

// mayTry reports whether a search may use the replica. While the replica is away, one search
// may try it when the time until is reached. The next search may try it after awayTime.
func (r *replica) mayTry() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.away && now.Before(r.until) {
		return false
	}
	r.until = now.Add(awayTime)
	return true
}

// markAway remembers that the replica cannot be used for now.
func (r *replica) markAway(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.away {
		r.log.Warn("a replica cannot be used: until it can, searches run on the other servers",
			"replica", r.name, "error", why)
	}
	r.away, r.until = true, time.Now().Add(behindTime)
	if !errors.Is(why, errBehind) {
		r.until = time.Now().Add(awayTime)
		r.pool.Reset() // its other connections have probably failed too
	}
}

// markUsed remembers that the replica can be used.
func (r *replica) markUsed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away {
		r.log.Warn("the replica is used again", "replica", r.name)
	}
	r.away = false
}

// view runs fn on the replica. err is the error of fn. failure is the reason why fn could not
// start or finish on this replica.
func (r *replica) view(ctx context.Context, fn func(*db.Tx) error, cache *db.Cache, to position) (
	err, failure error) {
	conn, failure := r.ready(ctx, to)
	if failure != nil {
		return nil, failure
	}
	defer conn.Release()
	r.markUsed()
	s := newReading(ctx, conn, r.partitions, to.version)
	_, err = s.read(fn, cache, true)
	if s.failed == nil {
		return err, nil
	}
	// For example, the replica has stopped, or it has cancelled the query because the query
	// used rows that the replay of the log removes. In each case the primary can serve fn.
	return nil, s.failed
}

// ready waits until the replica has reached a position and returns a connection to the
// replica. It waits for catchUpTime at most.
func (r *replica) ready(ctx context.Context, to position) (conn *pgxpool.Conn, err error) {
	limited, cancel := context.WithTimeout(ctx, replicaTime)
	defer cancel()
	conn, err = r.pool.Acquire(limited)
	if err != nil {
		return nil, connectError(err)
	}
	overdue := time.Now().Add(catchUpTime)
	for {
		there, err := to.reachedOn(limited, conn)
		switch {
		case err != nil:
		case there:
			return conn, nil
		case time.Now().After(overdue):
			err = errBehind
		default:
			err = sleep(limited, catchUpPause)
			if err == nil {
				continue
			}
		}
		conn.Release()
		return nil, err
	}
}

// reachedOn reports whether a replica has reached the position. An error means that the
// replica does not answer or cannot reach the position at all.
func (p *position) reachedOn(ctx context.Context, conn *pgxpool.Conn) (there bool, err error) {
	var system, database, timeline int64
	var standby bool
	err = conn.QueryRow(ctx, whereReplica, p.lsn, p.oldest).Scan(&system, &database, &timeline, &standby, &there)
	switch {
	case err != nil:
		return false, fmt.Errorf("read its replay position: %w", err)
	case system != p.system || database != p.database:
		return false, errors.New("it is no standby of the database that --db names")
	case !standby:
		return false, errors.New("it is no standby")
	case timeline != p.timeline:
		return false, errors.New("it has not followed the last failover yet")
	}
	return there, nil
}
