package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file reads a database's URL and opens pools of connections: one each for
// transactions that write, for those that read, for the job queue and for migrations.
// The pools differ in the server's settings and in what happens when a server does
// not answer.

const (
	// connectTime is how long a server may take to accept a connection. When the URL
	// names several, connectTimeEach leaves time to try the next one.
	connectTime     = 5 * time.Second
	connectTimeEach = 2 * time.Second

	// pingTime is how long a connection that was idle for a second may take to answer
	// a ping before the pool opens another one.
	pingTime = time.Second

	// idleTime is how long an unused connection stays open: the server allows only
	// so many, and other processes may need it.
	idleTime = time.Minute

	// giveUpAfter is how long the server may take to answer the cancellation of a
	// statement before the connection is closed.
	giveUpAfter = 2 * time.Second

	// maxStatements is how many statements pgx keeps prepared on a connection. Each
	// costs the server memory, and searches have many forms.
	maxStatements = 200

	// jobTime is how long a statement of the queue may take. Most take milliseconds;
	// the queue's daily maintenance takes longer.
	jobTime = time.Minute
)

// keepAlive detects a dead server within 30 s on connections that only listen:
// those of a stream, and the one on which the queue waits for notifications.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// parse reads a database's URL. It may name several hosts; each new connection goes to
// the one that is the primary then, so after a failover to another one. The error does
// not repeat the URL, which may contain a password.
func parse(text string) (*pgxpool.Config, error) {
	config, err := parseAny(text)
	if err == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	return config, err
}

// parseAny is parse for a server that may be a standby.
func parseAny(text string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, errors.New("--db is no URL of a PostgreSQL database: postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	c := config.ConnConfig
	c.DialFunc = (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTime
		if len(hosts(c)) > 1 {
			c.ConnectTimeout = connectTimeEach
		}
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "enlist"
	}
	return config, nil
}

// shown names a database in a message, without the password.
func shown(config *pgxpool.Config) string {
	c := config.ConnConfig
	host := strings.Join(hosts(c), ",")
	u := url.URL{Scheme: "postgres", Host: host, Path: c.Database}
	if c.User != "" {
		u.User = url.User(c.User)
	}
	if host != "" && host[0] == '/' { // the folder of a Unix socket
		return fmt.Sprintf("database %s in %s", c.Database, host)
	}
	return u.String()
}

// hosts returns the servers that a URL names, each once.
func hosts(c *pgx.ConnConfig) (all []string) {
	for _, f := range append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port}}, c.Fallbacks...) {
		host := f.Host
		if f.Port != 0 && !strings.HasPrefix(host, "/") {
			host += ":" + strconv.Itoa(int(f.Port))
		}
		all = append(all, host)
	}
	return slices.Compact(all) // after each server, pgx has it a second time, without TLS
}

// newPool makes a pool of at most size connections, which it opens when they are
// needed. settings are the server's, for each connection.
func newPool(ctx context.Context, config *pgxpool.Config, size int,
	settings map[string]string) (*pgxpool.Pool, error) {
	config = config.Copy()
	config.MaxConns, config.MinConns = int32(min(size, 1<<20)), 0
	config.MaxConnIdleTime = idleTime
	config.PingTimeout = pingTime
	config.ConnConfig.StatementCacheCapacity = maxStatements
	for name, value := range settings {
		config.ConnConfig.RuntimeParams[name] = value
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// cancelling returns a config whose statements the server cancels when their context ends.
func cancelling(config *pgxpool.Config) *pgxpool.Config {
	config = config.Copy()
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: giveUpAfter}
	}
	return config
}

// writable returns a config whose connections go to a server that accepts writes. A
// server that is read-only, for whatever reason, counts as unreachable.
func writable(config *pgxpool.Config) *pgxpool.Config {
	config = config.Copy()
	config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	config.ConnConfig.OnNotice = noteStandbyMissing
	return config
}

// standbyMissingKey marks a connection in its CustomData.
const standbyMissingKey = "enlist: the standby has not confirmed"

// noteStandbyMissing marks a connection whose COMMIT stopped waiting for the
// synchronous standby. PostgreSQL reports such a COMMIT as a success, with a warning
// that has no code of its own; only the name of the C function identifies it.
func noteStandbyMissing(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		c.CustomData()[standbyMissingKey] = true
	}
}

var errStandbyMissing = errors.New("the standby has not confirmed in time that it has the change")

// takeStandbyMissing returns an error when the last COMMIT of a connection is
// stored on the primary only, and removes the mark.
func takeStandbyMissing(c *pgconn.PgConn) error {
	if c.CustomData()[standbyMissingKey] == nil {
		return nil
	}
	delete(c.CustomData(), standbyMissingKey)
	return errStandbyMissing
}

// milliseconds writes a time for one of the server's settings.
func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// writingPool is for transactions that write. The server ends those that take longer
// than longest, so that a process that hangs does not hold its locks.
func writingPool(ctx context.Context, config *pgxpool.Config, size int, longest time.Duration) (*pgxpool.Pool, error) {
	return newPool(ctx, writable(cancelling(config)), size, map[string]string{
		"statement_timeout": milliseconds(longest),
		// Longer than a transaction takes, and shorter than a caller waits: 5 s by default.
		"lock_timeout":                        milliseconds(longest / 2),
		"idle_in_transaction_session_timeout": milliseconds(longest),
		"default_transaction_isolation":       "read committed",
		// Every statement of this pool uses an index, whatever its arguments. By default
		// PostgreSQL would plan each anew to skip 15 of 16 partitions, which takes longer
		// than running it: 4,400 subscriptions a second in place of 6,200.
		"plan_cache_mode": "force_generic_plan",
	})
}

// readingPool is for transactions that read. They have no time limit on the server:
// a stream waits for its client.
func readingPool(ctx context.Context, config *pgxpool.Config, size int) (*pgxpool.Pool, error) {
	return newPool(ctx, cancelling(config), size, map[string]string{
		"default_transaction_read_only": "on",
		"default_transaction_isolation": "repeatable read", // for transactions without BEGIN
		// Pages are in memory or on an SSD. At the default of 4 the planner prefers a
		// sequential scan to most indexes.
		"random_page_cost": "1.1",
	})
}

// jobPool is for the queue library. It does not cancel statements on the server:
// the library interrupts its wait for notifications often, and there is no statement
// to cancel then.
func jobPool(ctx context.Context, config *pgxpool.Config) (*pgxpool.Pool, error) {
	config = writable(config)
	config.ConnConfig.Tracer = statementLimit(jobTime)
	return newPool(ctx, config, 8, nil)
}

// statementLimit gives each statement a time limit, so that callers without one notice
// a server that no longer answers. Waiting for notifications is no statement.
type statementLimit time.Duration

type statementLimitKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (l statementLimit) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(l))
	return context.WithValue(ctx, statementLimitKey{}, cancel)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (statementLimit) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	ctx.Value(statementLimitKey{}).(context.CancelFunc)()
}
