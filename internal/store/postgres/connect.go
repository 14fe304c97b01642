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

const (
	// connectTime is how long a server may take to accept a connection; each of
	// several, so that a caller has time for the next when one's machine is gone.
	connectTime     = 5 * time.Second
	connectTimeEach = 2 * time.Second

	// pingTime is how long a connection that nobody has used for a second may take
	// to show that it is alive, before another one is opened.
	pingTime = time.Second

	// idleTime is how long a connection is kept that nobody uses: other processes
	// may want it, and the server allows so many.
	idleTime = time.Minute

	// A statement that its caller does not wait for any more is cancelled; when
	// the server does not answer to that either, the connection is given up.
	giveUpAfter = 2 * time.Second

	// jobTime is how long a statement of the queue may take: most take milliseconds,
	// its daily housekeeping more.
	jobTime = time.Minute

	// lockTime is how long a statement waits for a lock: longer than transactions
	// take, and shorter than a caller waits.
	lockTime = 5 * time.Second
)

// alive finds a server whose machine has gone within half a minute, for who waits
// for what it has to say: a stream, and the queue for news.
var alive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// parse reads a database's URL. It may name several hosts, of which the one that
// is no standby is taken, whenever a connection is opened: after a failover that is
// another. Its error does not repeat the URL, since a password may be in it.
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
	c.DialFunc = (&net.Dialer{KeepAliveConfig: alive}).DialContext
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

// shown is a database in a message, without the password.
func shown(config *pgxpool.Config) string {
	c := config.ConnConfig
	host := strings.Join(hosts(c), ",")
	u := url.URL{Scheme: "postgres", Host: host, Path: c.Database}
	if c.User != "" {
		u.User = url.User(c.User)
	}
	if host != "" && host[0] == '/' { // a folder with a socket
		return fmt.Sprintf("database %s in %s", c.Database, host)
	}
	return u.String()
}

// hosts are the servers that a connection may be opened to, each once.
func hosts(c *pgx.ConnConfig) (all []string) {
	add := func(host string, port uint16) {
		if port != 0 && (host == "" || host[0] != '/') {
			host += ":" + strconv.Itoa(int(port))
		}
		if !slices.Contains(all, host) {
			all = append(all, host)
		}
	}
	add(c.Host, c.Port)
	for _, other := range c.Fallbacks { // the same one again without TLS is among them
		add(other.Host, other.Port)
	}
	return all
}

// newPool makes a pool of at most size connections, opened when they are needed.
func newPool(ctx context.Context, config *pgxpool.Config, size int, settings map[string]string) (*pgxpool.Pool, error) {
	config = config.Copy()
	config.MaxConns, config.MinConns = int32(min(size, 1<<20)), 0
	config.MaxConnIdleTime = idleTime
	config.PingTimeout = pingTime
	for name, value := range settings {
		config.ConnConfig.RuntimeParams[name] = value
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// cancelling makes a config whose statements are cancelled on the server too when
// nobody waits for them any more.
func cancelling(config *pgxpool.Config) *pgxpool.Config {
	config = config.Copy()
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: giveUpAfter}
	}
	return config
}

// writable is a config for what writes: a server that only lets itself be read is
// as good as none, for whatever reason it does.
func writable(config *pgxpool.Config) *pgxpool.Config {
	config = config.Copy()
	config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	config.ConnConfig.OnNotice = noteStandbyMissing
	return config
}

// noteStandbyMissing notes a COMMIT that was broken off while it waited for the
// standby which the server is told to wait for. The server calls that a success,
// with a warning that has no code of its own; the function that warns is named in it.
func noteStandbyMissing(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		statementsOf(c).onlyHere = true
	}
}

var errOnlyHere = errors.New("the standby has not confirmed in time that it has the change")

// stored returns an error when what was committed just now would be lost with the server.
func (s *statements) stored() error {
	if s.onlyHere {
		return errOnlyHere // the connection is not used again
	}
	return nil
}

// milliseconds is a time as the server's settings have it.
func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// writingPool is for transactions that write. The server ends what takes too
// long, also for a process that does not answer any more and whose locks others
// wait for.
func writingPool(ctx context.Context, config *pgxpool.Config, size int, longest time.Duration) (*pgxpool.Pool, error) {
	return newPool(ctx, writable(cancelling(config)), size, map[string]string{
		"statement_timeout":                   milliseconds(longest),
		"lock_timeout":                        milliseconds(min(lockTime, longest)),
		"idle_in_transaction_session_timeout": milliseconds(longest),
		"default_transaction_isolation":       "read committed",
		// All of its statements find what they are about by an index. To plan one
		// anew for its arguments, as the server would since that spares it a look at
		// 15 partitions, takes longer than to run it: 4,400 subscriptions a second in
		// place of 6,200.
		"plan_cache_mode": "force_generic_plan",
	})
}

// readingPool is for transactions that read. One that streams may be idle for as
// long as its client takes.
func readingPool(ctx context.Context, config *pgxpool.Config, size int) (*pgxpool.Pool, error) {
	return newPool(ctx, cancelling(config), size, map[string]string{
		"default_transaction_read_only": "on",
		"default_transaction_isolation": "repeatable read", // of those without BEGIN
		// Pages are in memory or on a disk without heads: at the default of 4 it takes
		// one index after the other for worse than reading everything.
		"random_page_cost": "1.1",
	})
}

// jobPool is for the queue library, which waits on one connection for news, and
// breaks that off, without anything to cancel, whenever it wants to hear of more.
func jobPool(ctx context.Context, config *pgxpool.Config) (*pgxpool.Pool, error) {
	config = writable(config)
	config.ConnConfig.Tracer = limiter(jobTime)
	return newPool(ctx, config, 8, nil)
}

// limiter gives each statement a time limit where callers have none, so that they
// come to know of a server that has gone without a word. Waiting for news is no
// statement.
type limiter time.Duration

type limiterKey struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (l limiter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(l))
	return context.WithValue(ctx, limiterKey{}, cancel)
}

// TraceQueryEnd implements pgx.QueryTracer.
func (limiter) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	ctx.Value(limiterKey{}).(context.CancelFunc)()
}
