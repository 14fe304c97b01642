package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"net/url"
	"time"
)

// dbConn is one SQLite connection. database/sql uses it for the queue library;
// readers and the writer use its session, which keeps prepared statements and
// goes past database/sql: that alone is a third of the time of a small statement.
type dbConn struct {
	driver.Conn
	session *session

	// A writer's connection has no busy time-out of SQLite's in transactions:
	// its waits grow to 100 ms, in which a busier process starves it. begin
	// tries every half millisecond instead. Single statements outside a
	// transaction, which only the queue library makes, are patient.
	writer  bool
	patient bool
	inTx    bool
}

// connector opens connections to one file, each with its pragmas.
type connector struct {
	path   string
	writer bool
	source bool // to be copied from, by nobody else at the same time
	driver driver.Driver
}

const (
	patience = "PRAGMA busy_timeout = 5000"
	hurry    = "PRAGMA busy_timeout = 0"
)

var writerPragmas = []string{
	patience,
	"PRAGMA journal_mode = WAL",
	"PRAGMA synchronous = FULL",  // what is answered is on the disk
	"PRAGMA cache_size = -16384", // KiB: the inner pages of the indexes, and many leaves
	// A checkpoint stops the writer while it copies pages. In 64 MB most pages
	// are there many times and copied once: p99 9 ms in place of 12 with 16 MB.
	"PRAGMA wal_autocheckpoint = 16000",
	"PRAGMA journal_size_limit = 67108864",
	"PRAGMA temp_store = MEMORY",
}

var readerPragmas = []string{
	patience,
	"PRAGMA query_only = ON",
	"PRAGMA cache_size = -2048",
}

// Connect opens a connection.
func (c *connector) Connect(context.Context) (driver.Conn, error) { return c.connect() }

// Driver returns the driver underneath.
func (c *connector) Driver() driver.Driver { return c.driver }

func (c *connector) connect() (*dbConn, error) {
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: c.path}).EscapedPath()}
	options := dsnOptions
	if c.source {
		options = aloneOptions
	}
	base, err := c.driver.Open(file.String() + options)
	if err != nil {
		return nil, err
	}
	conn := &dbConn{Conn: base, writer: c.writer, patient: true}
	conn.session = newSession(base)
	pragmas := readerPragmas
	switch {
	case c.writer:
		pragmas = writerPragmas
	case c.source:
		pragmas = sourcePragmas
	}
	for _, pragma := range pragmas {
		if err := conn.exec(pragma); err != nil {
			return nil, errors.Join(err, base.Close())
		}
	}
	return conn, nil
}

func (c *dbConn) exec(query string) error {
	_, err := c.Conn.(driver.ExecerContext).ExecContext(context.Background(), query, nil)
	return err
}

// Close closes the connection and its statements.
func (c *dbConn) Close() error { return errors.Join(c.session.close(), c.Conn.Close()) }

// BeginTx begins a transaction. A writer's takes the write lock at once: one
// that reads first and writes later could find its snapshot overtaken.
func (c *dbConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	return dbTx{c}, nil
}

// lockWait is how long a writer tries to get the lock that another process holds.
const lockWait = 10 * time.Second

func (c *dbConn) begin(ctx context.Context) error {
	if !c.writer {
		_, err := c.session.Exec("BEGIN")
		return err
	}
	if c.patient {
		if err := c.exec(hurry); err != nil {
			return err
		}
		c.patient = false
	}
	_, err := c.session.Exec("BEGIN IMMEDIATE")
	for start := time.Now(); isBusy(err) && time.Since(start) < lockWait; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Microsecond):
			_, err = c.session.Exec("BEGIN IMMEDIATE")
		}
	}
	c.inTx = err == nil
	return err
}

func (c *dbConn) end(statement string) error {
	c.inTx = false
	_, err := c.session.Exec(statement)
	return err
}

// dbTx ends a transaction for database/sql.
type dbTx struct{ conn *dbConn }

func (t dbTx) Commit() error   { return t.conn.end("COMMIT") }
func (t dbTx) Rollback() error { return t.conn.end("ROLLBACK") }

// ExecContext runs a statement for database/sql.
func (c *dbConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.wait(); err != nil {
		return nil, err
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

// QueryContext runs a query for database/sql.
func (c *dbConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.wait(); err != nil {
		return nil, err
	}
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

// wait makes a statement outside a transaction wait for the lock.
func (c *dbConn) wait() error {
	if c.inTx || c.patient {
		return nil
	}
	c.patient = true
	return c.exec(patience)
}
