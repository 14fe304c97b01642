package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file reads the URL of a database and opens pools of connections. Transactions that
// write, transactions that read, the job queue and migrations have pools of their own. The
// pools differ in their PostgreSQL settings and in what happens when a server does not
// answer.

const (
	// connectTime is how long a server may take to accept a connection. If the URL has
	// several servers, the limit for each is connectTimeEach, so that there is time to try the
	// next server.
	connectTime     = 5 * time.Second
	connectTimeEach = 2 * time.Second

	// pingTime is how long a connection that was idle for a second may take to answer a
	// ping before the pool opens another connection.
	pingTime = time.Second

	// idleTime is how long an unused connection stays open. The server allows only a limited
	// number of connections, and other processes need connections too.
	idleTime = time.Minute

	// giveUpAfter is how long the server may take to answer the cancellation of a
	// statement before the connection is closed.
	giveUpAfter = 2 * time.Second

	// cancelAfter is how long the server has to end a statement itself (limitTime).
	cancelAfter = 50 * time.Millisecond

	// maxStatements is the largest number of statements that pgx keeps prepared on a
	// connection. The statements about Contacts differ for each of the 16 partitions. Each prepared statement uses about
	// 30 kB of the server, and those about a whole partitioned table 150 to 280 kB.
	maxStatements = 1000

	// jobTime is how long a statement of the job queue may take. Most statements take
	// milliseconds, but the daily maintenance of the queue takes longer.
	jobTime = time.Minute
)

// keepAlive detects a dead server within 30 s. It is for connections on which this process
// only receives: the rows of a stream.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// parse reads a database's URL. The URL may have several hosts. Each new connection goes to
// the host that is the primary at that time. After a failover this is the new primary. The
// error does not contain the URL, because the URL may contain a password.
func parse(text string) (*pgxpool.Config, error) {
	config, err := parseAny(text)
	if err == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	return config, err
}

// parseAny is like parse, but its connections may also go to a standby.
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

// shown returns a database's URL without the password, for messages. For a Unix socket it
// returns the name of the database and the folder.
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

// hosts returns the host and port of each server in a URL, without repetitions.
func hosts(c *pgx.ConnConfig) (all []string) {
	for _, f := range append([]*pgconn.FallbackConfig{{Host: c.Host, Port: c.Port}}, c.Fallbacks...) {
		host := f.Host
		if f.Port != 0 && !strings.HasPrefix(host, "/") {
			host += ":" + strconv.Itoa(int(f.Port))
		}
		all = append(all, host)
	}
	return slices.Compact(all) // pgx lists each server twice in a row: with TLS and without
}

// newPool returns a pool that opens up to size connections when they are needed. settings
// are PostgreSQL settings for each connection.
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

// cancelling returns a copy of config. If the context of a statement ends, a connection with
// this config asks the server to cancel the statement, unless the server ends it within
// cancelAfter.
func cancelling(config *pgxpool.Config) *pgxpool.Config {
	config = config.Copy()
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, CancelRequestDelay: cancelAfter,
			DeadlineDelay: giveUpAfter}
	}
	return config
}

// writable returns a copy of config for connections to a server that accepts writes. A
// pool treats a server that is read-only as unreachable.
func writable(config *pgxpool.Config) *pgxpool.Config {
	config = config.Copy()
	config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	config.ConnConfig.OnNotice = noteStandbyMissing
	return config
}

// standbyMissingKey is the key in the CustomData of a connection that noteStandbyMissing
// sets.
const standbyMissingKey = "enlist: the standby has not confirmed"

// noteStandbyMissing marks a connection whose COMMIT stopped waiting for the synchronous
// standby. PostgreSQL reports such a COMMIT as a success and sends a warning. The warning
// has no code of its own, so only the name of the C function identifies it.
func noteStandbyMissing(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		c.CustomData()[standbyMissingKey] = true
	}
}

var errStandbyMissing = errors.New("the standby has not confirmed in time that it has the change")

// takeStandbyMissing returns errStandbyMissing if the standby did not confirm the last
// COMMIT of a connection. It also removes the mark.
func takeStandbyMissing(c *pgconn.PgConn) error {
	if c.CustomData()[standbyMissingKey] == nil {
		return nil
	}
	delete(c.CustomData(), standbyMissingKey)
	return errStandbyMissing
}

// milliseconds returns a time as the text of a PostgreSQL setting.
func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// writingPool returns a pool for transactions that write. The server ends a transaction if
// one statement, or a pause between two statements, takes longer than an Update may take. So a
// process that hangs does not keep its locks.
func (s *Store) writingPool(ctx context.Context, config *pgxpool.Config, size int) (*pgxpool.Pool, error) {
	settings := map[string]string{
		"statement_timeout": milliseconds(s.time),
		// The longest wait for a lock must be longer than most transactions, but shorter
		// than the time that a caller waits. With the default of Options.UpdateTime it is 5 s.
		"lock_timeout":                        milliseconds(s.time / 2),
		"idle_in_transaction_session_timeout": milliseconds(s.time),
		"default_transaction_isolation":       "read committed",
		// Every statement of this pool uses an index, whatever its arguments are, so one
		// plan is enough. By default PostgreSQL would plan a statement at each execution,
		// because the plan can then skip 15 of the 16 partitions. Planning takes longer than
		// execution: with the default, the server stored 4,400 subscriptions a second instead
		// of 6,200.
		"plan_cache_mode": "force_generic_plan",
	}
	if s.distributed {
		// Distributed tables have no partitions. Citus must know the arguments to plan a statement
		// that mentions a large table twice: with a generic plan, such a statement fails. The default
		// mode keeps a generic plan only for statements that can have one.
		settings["plan_cache_mode"] = "auto"
	}
	return newPool(ctx, s.undamaged(writable(cancelling(config))), size, settings)
}

// readingPool returns a pool for transactions that read. The server has no time limit for
// these transactions, because a stream waits for its client.
func readingPool(ctx context.Context, config *pgxpool.Config, size int) (*pgxpool.Pool, error) {
	return newPool(ctx, cancelling(config), size, map[string]string{
		"default_transaction_read_only": "on",
		"default_transaction_isolation": "repeatable read", // also for a statement without BEGIN
		// The pages of tables are in memory or on an SSD. At the default of 4 the planner
		// prefers a sequential scan to most indexes.
		"random_page_cost": "1.1",
	})
}

// jobPool returns a pool for the job queue. It does not cancel statements on the server: a
// statement of the queue takes jobs, or stores what became of them.
func (s *Store) jobPool(ctx context.Context, config *pgxpool.Config, trace statementTrace) (*pgxpool.Pool, error) {
	config = s.undamaged(writable(config))
	config.ConnConfig.Tracer = trace.with(statementLimit(jobTime))
	return newPool(ctx, config, 8, nil)
}

// statementLimit is the time limit of each statement. With it, a caller that has no time
// limit still gets an error if the server no longer answers.
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

// statementTrace is called with the text of each statement.
type statementTrace func(statement string)

// with returns a tracer that also calls t.
func (t statementTrace) with(other pgx.QueryTracer) pgx.QueryTracer {
	switch {
	case t == nil:
		return other
	case other == nil:
		return t
	}
	return multitracer.New(t, other)
}

// TraceQueryStart implements pgx.QueryTracer.
func (t statementTrace) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	t(q.SQL)
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (statementTrace) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer.
func (statementTrace) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (t statementTrace) TraceBatchQuery(_ context.Context, _ *pgx.Conn, q pgx.TraceBatchQueryData) {
	t(q.SQL)
}

// TraceBatchEnd implements pgx.BatchTracer.
func (statementTrace) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// countConnections logs a warning if this process may need more connections than the server
// allows. Without the warning, the operator would notice the problem only when calls fail
// under load.
func (s *Store) countConnections(ctx context.Context, log *slog.Logger) error {
	var wanted, allowed int
	for _, p := range s.pools {
		wanted += int(p.Config().MaxConns)
	}
	err := s.readers.pool.QueryRow(ctx, `SELECT least(
			current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
			nullif(rolconnlimit, -1), nullif(datconnlimit, -1))
		FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`).Scan(&allowed)
	if err == nil && wanted > allowed {
		log.Warn("the server allows too few connections: raise its max_connections (or the limit of the role or the "+
			"database), or lower --db-writers and --db-readers",
			"allowed", allowed, "wanted", wanted)
	}
	return err
}
