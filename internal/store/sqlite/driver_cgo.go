//go:build cgo

// This file selects the SQLite driver for builds with cgo.

package sqlite

import (
	"database/sql/driver"
	"errors"

	"github.com/mattn/go-sqlite3"
)

// Driver names the SQLite driver that this program was built with.
const Driver = "github.com/mattn/go-sqlite3 (cgo)"

func newDriver() driver.Driver { return &sqlite3.SQLiteDriver{} }

// dsnOptions turn off SQLite's mutex of a connection: only one goroutine at a time uses
// each. They also cache the prepared statements of the queue library, which saves a
// third of the processor time of a subscription with one notification.
const dsnOptions = "?_mutex=no&_stmt_cache_size=32"

// exclusiveOptions open a connection that locks other processes out of the file. The
// DSN has them because the driver's own first statement would open the file shared.
const exclusiveOptions = "?_mutex=no&_busy_timeout=2000&_locking_mode=EXCLUSIVE"

// isBusy reports whether another connection holds the write lock.
func isBusy(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}
