package postgres

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file implements db.Presence with an advisory lock of a connection that is used for nothing else.

const (
	// freshTime is the age of a check of the lock at which this process no longer relies on it. With the time of a check
	// that fails, it is shorter than db.StopTime.
	freshTime = 4 * time.Second
	// closeTime is the longest time for the last statement of the connection.
	closeTime = time.Second
)

// presence is the token of this process and the connection that has its lock.
type presence struct {
	config *pgx.ConnConfig // to a server that accepts writes

	using sync.Mutex // held while conn is opened, used or closed
	conn  *pgx.Conn  // nil: there is none

	mu      sync.Mutex
	token   string    // "": no connection has a lock
	checked time.Time // when the last check that succeeded began
	stop    func()    // ends the looks, which check the lock; nil: nothing has asked for a token
}

func newPresence(config *pgxpool.Config, trace statementTrace) *presence {
	p := &presence{config: writable(config).ConnConfig}
	p.config.Tracer = trace.with(nil) // a check every second is no news
	return p
}

// lockOf is the key of a token's lock.
const lockOf = "hashtextextended(concat('process ', CAST($1 AS TEXT)), 0)"

// isLocked is a condition on pg_locks for the lock of a token. The server shows the halves of a key as two numbers.
const isLocked = `locktype = 'advisory' AND objsubid = 1 AND granted
	AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND CAST(classid AS BIGINT) << 32 | CAST(objid AS BIGINT) = ` + lockOf

// Presence implements db.Presence. A connection that was lost is followed by another one, with a new token.
func (s *Store) Presence(ctx context.Context) string {
	p := s.presence
	if token := p.current(); token != "" {
		return token
	}
	p.using.Lock()
	defer p.using.Unlock()
	if token := p.current(); token != "" {
		return token
	}
	p.drop()
	ctx, cancel := context.WithTimeout(ctx, freshTime)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, p.config)
	if err != nil {
		return ""
	}
	token, began := rand.Text(), time.Now()
	if err := takeLock(ctx, conn, token); err != nil {
		conn.Close(ctx)
		return ""
	}
	p.conn = conn
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token, p.checked = token, began
	if p.stop == nil {
		p.stop = s.Watch(func(bool) {})
	}
	return token
}

// takeLock takes the lock of a token. It also makes the server notice within 30 s that the machine of this process is
// gone, as keepAlive does on this side: by default the server would keep the lock for two hours. The first message of
// the connection does not have these settings, because PgBouncer refuses them there. They have no effect on a Unix
// socket.
func takeLock(ctx context.Context, conn *pgx.Conn, token string) error {
	_, err := conn.Exec(ctx, `SELECT set_config('tcp_keepalives_idle', '15', false),
		set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false),
		set_config('tcp_user_timeout', '30s', false), pg_advisory_lock(`+lockOf+")", token)
	return err
}

// current returns the token if its lock was checked a short time ago.
func (p *presence) current() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.checked) >= freshTime {
		return ""
	}
	return p.token
}

// version returns a version for db.NewLooks: the transactions that PostgreSQL shows to a query. The same statement checks
// that the connection has the lock.
func (s *Store) version(ctx context.Context) (version string, err error) {
	if version, ok := s.presence.check(ctx); ok {
		return version, nil
	}
	err = s.jobs.QueryRow(ctx, "SELECT CAST(pg_current_snapshot() AS TEXT)").Scan(&version)
	return version, err
}

// check reports whether the connection has the lock. If it does not, check closes it. version is that of Store.version.
func (p *presence) check(ctx context.Context) (version string, has bool) {
	p.using.Lock()
	defer p.using.Unlock()
	if p.conn == nil {
		return "", false
	}
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, freshTime)
	defer cancel()
	err := p.conn.QueryRow(limited, "SELECT CAST(pg_current_snapshot() AS TEXT), EXISTS (SELECT FROM pg_locks WHERE "+
		"pid = pg_backend_pid() AND "+isLocked+")", p.token).Scan(&version, &has)
	if err != nil || !has {
		p.drop()
		return "", false
	}
	p.mu.Lock()
	p.checked = began
	p.mu.Unlock()
	return version, true
}

// drop forgets the token and closes the connection. The caller has locked p.using.
func (p *presence) drop() {
	p.mu.Lock()
	p.token = ""
	p.mu.Unlock()
	if p.conn == nil {
		return
	}
	ending, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	// After Close the server may have the lock some milliseconds longer. This process has stopped its work already.
	p.conn.Exec(ending, "SELECT pg_advisory_unlock_all()") // an error: the lock ends with the connection
	p.conn.Close(ending)
	p.conn = nil
}

// IsPresent implements db.Presence.
func (s *Store) IsPresent(token string) bool { return token == s.presence.current() }

// IsGone implements db.Presence.
func (s *Store) IsGone(ctx context.Context, token string) (gone bool, err error) {
	err = s.jobs.QueryRow(ctx, "SELECT NOT EXISTS (SELECT FROM pg_locks WHERE "+isLocked+")", token).Scan(&gone)
	return gone, err
}

// close closes the connection.
func (p *presence) close() {
	p.mu.Lock()
	stop := p.stop
	p.mu.Unlock()
	if stop != nil {
		stop()
	}
	p.using.Lock()
	defer p.using.Unlock()
	p.drop()
}
