//go:build cgo

package sqlite

import (
	"database/sql/driver"
	"errors"

	"github.com/mattn/go-sqlite3"
)

// Driver names the SQLite driver that this program was built with.
const Driver = "github.com/mattn/go-sqlite3 (cgo)"

func newDriver() driver.Driver { return &sqlite3.SQLiteDriver{} }

// dsnOptions leave out SQLite's own locking of a connection, each being used by
// one goroutine at a time, and keep the statements of the queue library prepared:
// a third of the processor time of a subscription with one notification.
const dsnOptions = "?_mutex=no&_stmt_cache_size=32"

// aloneOptions are those of a connection that lets nobody else at the file. They
// are here since the driver's own first statement would open it for all.
const aloneOptions = "?_mutex=no&_busy_timeout=2000&_locking_mode=EXCLUSIVE"

// isBusy reports whether another connection holds the write lock.
func isBusy(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}
