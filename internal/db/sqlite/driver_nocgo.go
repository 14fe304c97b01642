//go:build !cgo

package sqlite

import (
	"database/sql/driver"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// This file selects the SQLite driver for builds without cgo. The comments in driver_cgo.go explain the
// options.

// Driver is the name of the SQLite driver in this build.
const Driver = "modernc.org/sqlite"

func newDriver() driver.Driver { return &sqlite.Driver{} }

const (
	dsnOptions       = ""
	exclusiveOptions = "&_pragma=busy_timeout(2000)&_pragma=locking_mode(EXCLUSIVE)"
)

// isBusy reports whether an error means that another connection has locked the file.
func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code()&0xff == sqlite3.SQLITE_BUSY || e.Code()&0xff == sqlite3.SQLITE_LOCKED)
}

// IsFull reports whether an error means that the disk is full.
func IsFull(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code()&0xff == sqlite3.SQLITE_FULL || e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE)
}

// isDamaged reports whether an error means that the file is damaged.
func isDamaged(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code()&0xff == sqlite3.SQLITE_CORRUPT || e.Code()&0xff == sqlite3.SQLITE_NOTADB)
}
