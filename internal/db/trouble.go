package db

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
)

// This file has the troubles of a database that the operator must mend. The engines return them from Ready, and the
// health check and the pages show their texts.

var (
	// ErrFull says that the disk has no room. The service goes on by itself when there is room.
	ErrFull = errors.New("the disk of the database is full, so no change is stored: make room on it; the service then " +
		"goes on by itself")
	// ErrDamaged says that a part of the database cannot be read, or is not what the engine has written.
	ErrDamaged = errors.New("the database is damaged, so no change is stored: stop the service, see what is damaged with " +
		"enlist doctor or in the log of PostgreSQL, and restore the last good backup with enlist restore BACKUP --db NEW")
)

// Damage is the first sign of damage that a store has seen. It stays until the process ends, because each further change
// could spread the damage.
type Damage struct {
	seen atomic.Pointer[error]
	Log  *slog.Logger
}

// Found stores and logs the first sign of damage.
func (d *Damage) Found(err error) {
	err = fmt.Errorf("%w (%w)", ErrDamaged, err)
	if d.seen.CompareAndSwap(nil, &err) {
		d.Log.Error("the database is damaged", "error", err)
	}
}

// Check returns an error that wraps ErrDamaged after a sign of damage.
func (d *Damage) Check() error {
	if err := d.seen.Load(); err != nil {
		return *err
	}
	return nil
}
