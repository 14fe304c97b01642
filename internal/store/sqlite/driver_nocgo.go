//go:build !cgo

// This file selects the SQLite driver for builds without cgo. driver_cgo.go explains the options.

package sqlite

import (
	"database/sql/driver"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Driver names the SQLite driver that this program was built with.
const Driver = "modernc.org/sqlite"

func newDriver() driver.Driver { return &sqlite.Driver{} }

const (
	dsnOptions       = ""
	exclusiveOptions = "?_pragma=busy_timeout(2000)&_pragma=locking_mode(EXCLUSIVE)"
)

// isBusy reports whether another connection holds the write lock.
func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code()&0xff == sqlite3.SQLITE_BUSY || e.Code()&0xff == sqlite3.SQLITE_LOCKED)
}
