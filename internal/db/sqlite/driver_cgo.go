//go:build cgo

package sqlite

import (
	"database/sql/driver"
	"errors"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// This file selects the SQLite driver for builds with cgo.

// Driver is the name of the SQLite driver in this build.
const Driver = "github.com/mattn/go-sqlite3 (cgo)"

func newDriver() driver.Driver { return &sqlite3.SQLiteDriver{} }

// dsnOptions turn off the mutex of a connection, because only one goroutine at a time uses a
// connection. They also turn on the driver's cache of prepared statements. The queue library uses
// this cache. It saves a third of the processor time of a subscription with one notification.
const dsnOptions = "&_mutex=no&_stmt_cache_size=32"

// exclusiveOptions open a connection that locks the file exclusively. They must be in the data
// source name (DSN). Otherwise the first statement of the driver would open the file without the
// exclusive lock.
const exclusiveOptions = "&_mutex=no&_busy_timeout=2000&_locking_mode=EXCLUSIVE"

// isBusy reports whether an error means that another connection has locked the file.
func isBusy(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}

// IsFull reports whether an error means that the disk is full. SQLite reports some writes that find no room, such as
// those of a new -shm file, as I/O errors.
func IsFull(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrFull || e.SystemErrno == syscall.ENOSPC)
}

// isDamaged reports whether an error means that the file is damaged.
func isDamaged(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB)
}
