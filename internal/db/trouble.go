package db

import "errors"

// This file has the troubles of a database that the operator must mend. The engines return them from Ready, and the
// health check and the pages show their texts.

var (
	// ErrFull says that the disk has no room. The service goes on by itself when there is room.
	ErrFull = errors.New("the disk of the database is full, so no change is stored: make room on it; the service then " +
		"goes on by itself")
	// ErrDamaged says that a part of the file cannot be read, or is not what SQLite has written.
	ErrDamaged = errors.New("the database file is damaged, so no change is stored: stop the service, see what is " +
		"damaged with enlist doctor, and restore the last good backup with enlist restore BACKUP --db NEWFILE")
)
