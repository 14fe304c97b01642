package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/audience"
	"enlist/internal/store/sqlstore"

	"github.com/jackc/pgx/v5/pgxpool"
)

// replicas are streaming standbys, which take searches and streams off the
// primary. The primary is asked how far it is first, and a replica serves once it
// has replayed that much: so a caller sees whatever was answered before, by any
// process. A replica that has not done so in time is passed over, as is one that
// cannot be used, and the primary serves. decisions.md: 55
type replicas struct {
	all     []*replica
	turn    atomic.Uint32
	primary *pgxpool.Pool
	cache   *sqlstore.Cache
	lag     time.Duration // how old what is seen may be
}

const (
	// A replica has so long to accept a connection and to say how far it is,
	replicaTime = time.Second
	// and so long to replay what is missing: less than a search takes that is not
	// answered by an index.
	catchUpTime = 100 * time.Millisecond
	catchUpGap  = 2 * time.Millisecond

	// One that could not be used is tried again after a while, by one search.
	awayTime   = 5 * time.Second
	behindTime = time.Second
)

var errBehind = errors.New("it has not replayed in time what is committed; see that it keeps up, or allow it more with --db-replica-lag")

// openReplicas does not connect yet: a replica may be away.
func (s *Store) openReplicas(ctx context.Context, o Options, size int) (*replicas, error) {
	if len(o.Replicas) == 0 {
		return nil, nil
	}
	all := &replicas{primary: s.readers.pool, cache: s.cache, lag: o.ReplicaLag}
	for _, url := range o.Replicas {
		config, err := parseAny(url)
		if err != nil {
			return all, errors.New("--db-replica is no URL of a PostgreSQL database: postgres://USER:PASSWORD@HOST:PORT/DATABASE")
		}
		pool, err := readingPool(ctx, config, size)
		if err != nil {
			return all, err
		}
		all.all = append(all.all, &replica{pool: pool, name: shown(config), log: o.Log})
	}
	return all, nil
}

// look says of those that cannot be used that they cannot, before a search comes.
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
			one.pass(err)
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

// view runs fn on a replica, and reports whether that has served. When not, it may
// have run fn, which is then to run again.
func (r *replicas) view(ctx context.Context, fn func(audience.Tx) error) (served bool, err error) {
	to, err := r.position(ctx)
	if err != nil {
		return false, nil // the primary is to say what is wrong with it
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
		if !errors.Is(failure, errStale) { // else definitions have just changed
			one.pass(failure)
		}
	}
	return false, nil
}

// position is what a replica is compared with: a moment of the primary.
type position struct {
	system   int64  // the cluster
	database int64  // in it
	timeline int64  // after which failover
	lsn      string // up to which the log has what is committed
	version  int64  // of the catalogue
	oldest   *time.Time
}

// A replica that follows a server which is no longer the primary may have what is
// lost, and the other way round: then the numbers of their timelines differ. That
// of a replica is known from the last checkpoint in its log, which says so late
// rather than early.
const (
	thisDatabase = `(SELECT system_identifier FROM pg_control_system()), (SELECT oid::bigint FROM pg_database WHERE datname = current_database())`
	wherePrimary = `SELECT ` + thisDatabase + `, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::bigint, lsn::text, version, clock_timestamp()
		FROM pg_current_wal_flush_lsn() lsn, catalogue`
	whereReplica = `SELECT ` + thisDatabase + `, (SELECT timeline_id::bigint FROM pg_control_checkpoint()), pg_is_in_recovery(),
		coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) OR coalesce(pg_last_xact_replay_timestamp() >= $2::timestamptz, false)`
)

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

// replica is one of them.
type replica struct {
	pool *pgxpool.Pool
	name string
	log  *slog.Logger

	mu    sync.Mutex
	away  bool
	until time.Time // when it is tried again
}

// mayTry reports whether it is worth a try.
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

// pass notes that it cannot be used for now.
func (r *replica) pass(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.away {
		r.log.Warn("a replica cannot be used: the primary serves searches until it can", "replica", r.name, "error", why)
	}
	r.away, r.until = true, time.Now().Add(behindTime)
	if !errors.Is(why, errBehind) {
		r.until = time.Now().Add(awayTime)
		r.pool.Reset() // its other connections may be as dead
	}
}

// use notes that it can be used.
func (r *replica) use() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away {
		r.log.Warn("the replica is used again", "replica", r.name)
	}
	r.away = false
}

// view runs fn on the replica; err is fn's, and failure why it could not be run to
// its end here.
func (r *replica) view(ctx context.Context, fn func(audience.Tx) error, cache *sqlstore.Cache, to position) (err, failure error) {
	conn, failure := r.ready(ctx, to)
	if failure != nil {
		return nil, failure
	}
	defer conn.Release()
	r.use()
	s := newReading(ctx, conn, to.version)
	_, err = s.read(ctx, fn, cache, true)
	if s.failed == nil {
		return err, nil
	}
	// Replaying may have needed what was being read, and the replica may have
	// stopped: whatever it is, the primary can be asked.
	return nil, s.failed
}

// ready returns a connection on which what is committed is seen.
func (r *replica) ready(ctx context.Context, to position) (conn *pgxpool.Conn, err error) {
	limited, cancel := context.WithTimeout(ctx, replicaTime)
	defer cancel()
	if conn, err = r.pool.Acquire(limited); err != nil {
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
			select {
			case <-limited.Done():
				err = limited.Err()
			case <-time.After(catchUpGap):
				continue
			}
		}
		conn.Release()
		return nil, err
	}
}

// reachedOn reports whether a replica has come so far. The error says why it never will.
func (p *position) reachedOn(ctx context.Context, conn *pgxpool.Conn) (there bool, err error) {
	var system, database, timeline int64
	var standby bool
	err = conn.QueryRow(ctx, whereReplica, p.lsn, p.oldest).Scan(&system, &database, &timeline, &standby, &there)
	switch {
	case err != nil:
		return false, fmt.Errorf("ask how far it is: %w", err)
	case system != p.system || database != p.database:
		return false, errors.New("it is no standby of the database that --db names")
	case !standby:
		return false, errors.New("it is no standby")
	case timeline != p.timeline:
		return false, errors.New("it has not followed the last failover yet")
	}
	return there, nil
}
