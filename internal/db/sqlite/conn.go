package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"net/url"
	"slices"
	"time"
)

// This file opens connections, sets their pragmas and starts transactions on them.

// dbConn is one SQLite connection. The queue library uses it through database/sql. Readers and the
// writer call the connection's session directly, because a small statement needs a third less time
// without database/sql. The session caches prepared statements.
type dbConn struct {
	driver.Conn
	session *session

	// If the busy timeout is on, SQLite sleeps up to 100 ms between attempts to get the write lock.
	// Another process that writes often would then nearly always get the lock first. So the writer
	// turns the busy timeout off for transactions, and the method begin tries to get the lock every
	// 0.5 ms. The queue library also runs single statements outside transactions. For these
	// statements the busy timeout is on.
	writer      bool
	busyTimeout bool // SQLite's busy timeout is on
	inTx        bool // the writer has an open transaction

	files    *files // nil: the connection does not check its files
	damage   *damage
	walBytes int64 // size of the write-ahead log at the last check
}

// connector opens connections to one file and sets their pragmas.
type connector struct {
	path   string
	files  *files  // nil: connections accept any file
	damage *damage // nil: connections do not look for damage
	writer bool
	source bool // opens the file with an exclusive lock, to copy it

	ownFile  bool // a file of another program is refused before a pragma changes it
	external bool // the writer never copies the write-ahead log into the file
	unsynced bool // the writer does not wait for the disk
	trace    func(statement string)
}

const (
	busyTimeoutOn  = "PRAGMA busy_timeout = 5000" // ms
	busyTimeoutOff = "PRAGMA busy_timeout = 0"
	walMode        = "PRAGMA journal_mode = WAL"
	cellCheck      = "PRAGMA cell_size_check = ON" // checks the structure of each page that is read from the disk
)

var writerPragmas = []string{
	busyTimeoutOn,
	"PRAGMA synchronous = FULL",  // SQLite waits until a commit is on the disk, so the server replies only after that
	"PRAGMA cache_size = -16384", // KiB: enough for the inner pages of the indexes and many leaf pages
	// 16,000 pages are 64 MB. While a checkpoint copies pages, the writer waits. A WAL of 64 MB
	// contains many versions of most pages, and a checkpoint copies only the newest version of each
	// page. So the p99 of a write is 9 ms. With a WAL of 16 MB it is 12 ms.
	"PRAGMA wal_autocheckpoint = 16000",
	"PRAGMA journal_size_limit = 67108864",
	"PRAGMA temp_store = MEMORY",
	cellCheck,
	"PRAGMA secure_delete = ON", // deleted rows become zeros, so that an erased person is not in the file
	"PRAGMA user_version",       // reads the file, so that SQLite opens the write-ahead log of a new database
}

var readerPragmas = []string{
	busyTimeoutOn,
	cellCheck,
	"PRAGMA query_only = ON",
	"PRAGMA cache_size = -2048",
}

// Connect opens a connection.
func (c *connector) Connect(context.Context) (driver.Conn, error) { return c.connect() }

// Driver returns the SQLite driver.
func (c *connector) Driver() driver.Driver { return newDriver() }

func (c *connector) connect() (_ *dbConn, err error) {
	defer func() { c.damage.note(err) }()
	if _, err := c.files.check(); err != nil {
		return nil, err
	}
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: c.path}).EscapedPath()}
	mode, options := "?mode=rwc", dsnOptions
	if c.files != nil {
		mode = "?mode=rw" // do not create a file if the database was deleted
	}
	if c.source {
		options = exclusiveOptions
	}
	base, err := newDriver().Open(file.String() + mode + options)
	if err != nil {
		return nil, err
	}
	conn := &dbConn{Conn: base, writer: c.writer, busyTimeout: true, files: c.files, damage: c.damage}
	conn.session = newSession(base)
	conn.session.damage, conn.session.trace = c.damage, c.trace
	if c.ownFile {
		if err := errors.Join(conn.exec(busyTimeoutOn), conn.refuseForeign()); err != nil {
			return nil, errors.Join(err, base.Close())
		}
	}
	if c.writer {
		// While another process writes to a new file, this pragma fails at once: the busy timeout has no effect on it.
		if err := untilFree(context.Background(), func() error { return conn.exec(walMode) }); err != nil {
			return nil, errors.Join(err, base.Close())
		}
	}
	for _, pragma := range c.pragmas() {
		if err := conn.exec(pragma); err != nil {
			return nil, errors.Join(err, base.Close())
		}
	}
	if c.writer && c.files != nil {
		if err := c.files.opened(); err != nil {
			return nil, errors.Join(err, base.Close())
		}
	}
	return conn, nil
}

func (c *connector) pragmas() []string {
	pragmas := readerPragmas
	switch {
	case c.writer:
		pragmas = writerPragmas
	case c.source:
		pragmas = sourcePragmas
	}
	if c.external {
		pragmas = append(slices.Clone(pragmas), "PRAGMA wal_autocheckpoint = 0")
	}
	if c.unsynced {
		pragmas = append(slices.Clone(pragmas), "PRAGMA synchronous = OFF")
	}
	return pragmas
}

// refuseForeign returns errForeign if the file has tables but not the table goose_db_version.
func (c *dbConn) refuseForeign() error {
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(context.Background(), countForeign, nil)
	if err != nil {
		return err
	}
	foreign := make([]driver.Value, 1)
	err = errors.Join(rows.Next(foreign), rows.Close())
	if n, _ := foreign[0].(int64); err == nil && n > 0 {
		err = errForeign
	}
	return err
}

// unmoved returns ErrMoved if the files of the connection are not at their paths.
func (c *dbConn) unmoved() (err error) {
	c.walBytes, err = c.files.check()
	return err
}

func (c *dbConn) exec(query string) error {
	_, err := c.Conn.(driver.ExecerContext).ExecContext(context.Background(), query, nil)
	return err
}

// Close closes the prepared statements and the connection.
func (c *dbConn) Close() error { return errors.Join(c.session.close(), c.Conn.Close()) }

// BeginTx begins a transaction for database/sql. In a transaction of the writer, it returns a part of this transaction:
// the writer commits it.
func (c *dbConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	if c.inTx {
		return joinedTx{}, nil
	}
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	return dbTx{c}, nil
}

// lockWait is the longest time that a writer waits for another process to release the write lock.
const lockWait = 10 * time.Second

// begin begins a transaction. A writer takes the write lock at once (BEGIN IMMEDIATE). Otherwise a
// transaction that first reads and then writes would fail if another process commits between the
// read and the write.
func (c *dbConn) begin(ctx context.Context) error {
	if !c.writer {
		_, err := c.session.Exec("BEGIN")
		return err
	}
	if err := cmp.Or(c.damage.check(), c.unmoved()); err != nil {
		return err
	}
	if c.busyTimeout {
		if err := c.exec(busyTimeoutOff); err != nil {
			return err
		}
		c.busyTimeout = false
	}
	err := untilFree(ctx, func() error {
		_, err := c.session.Exec("BEGIN IMMEDIATE")
		return err
	})
	c.inTx = err == nil
	return err
}

// untilFree runs fn again and again while another connection has locked the file, for at most lockWait.
func untilFree(ctx context.Context, fn func() error) error {
	err := fn()
	for start := time.Now(); isBusy(err) && time.Since(start) < lockWait; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Microsecond):
			err = fn()
		}
	}
	return err
}

// end runs COMMIT or ROLLBACK.
func (c *dbConn) end(statement string) error {
	c.inTx = false
	_, err := c.session.Exec(statement)
	return err
}

// dbTx is a transaction that database/sql commits or rolls back.
type dbTx struct{ conn *dbConn }

func (t dbTx) Commit() error   { return t.conn.commit() }
func (t dbTx) Rollback() error { return t.conn.end("ROLLBACK") }

// joinedTx is a transaction of database/sql inside a transaction of the writer.
type joinedTx struct{}

func (joinedTx) Commit() error   { return nil }
func (joinedTx) Rollback() error { return nil }

// commit returns an error after a commit into a file that is no longer the database. So no caller gets a
// result that is lost later.
func (c *dbConn) commit() error {
	if err := c.end("COMMIT"); err != nil {
		return err
	}
	return c.unmoved()
}

// ExecContext executes a statement for database/sql.
func (c *dbConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.session.traced(query)
	if err := c.waitForLock(); err != nil {
		return nil, err
	}
	result, err := c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	return result, c.damage.note(err)
}

// QueryContext runs a query for database/sql.
func (c *dbConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.session.traced(query)
	if err := c.waitForLock(); err != nil {
		return nil, err
	}
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
	return rows, c.damage.note(err)
}

// waitForLock prepares a statement outside a transaction: it checks the files and turns SQLite's busy
// timeout on. It does nothing if the writer has an open transaction.
func (c *dbConn) waitForLock() error {
	if c.inTx {
		return nil
	}
	if err := cmp.Or(c.damage.check(), c.unmoved()); err != nil || c.busyTimeout {
		return err
	}
	c.busyTimeout = true
	return c.exec(busyTimeoutOn)
}
