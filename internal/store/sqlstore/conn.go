// Package sqlstore holds all SQL, once, for every engine. A Tx carries out
// audience.Tx on a Conn, which an engine's package (sqlite, postgres) provides together
// with the transaction around it.
//
// Statements are written with ? for arguments, or ?1, ?2 where one is used
// twice, and what the engines have different words for comes from their Dialect.
// Whatever comes from outside
// goes in as an argument, never into the text.
package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
)

// Conn is a connection inside a transaction. Arguments and results are of the
// types of driver.Value; an engine keeps prepared statements by their text.
type Conn interface {
	// Exec runs a statement and says how many rows it changed.
	Exec(query string, args ...any) (affected int64, err error)
	// Insert runs an INSERT of one row and returns its ID, 0 when a conflict kept it out.
	Insert(query string, args ...any) (id int64, err error)
	// Do runs a statement whose result nobody looks at. It may be sent together
	// with later ones; the error, if there is one, is then theirs, or the commit's.
	Do(query string, args ...any) error
	// Query runs a statement that returns rows; it stops when ctx ends.
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	// QueryLast is Query for a statement that no other follows in the transaction,
	// which an engine may end together with it.
	QueryLast(ctx context.Context, query string, args ...any) (Rows, error)
	// Lock waits until no other transaction holds a name, and holds it until this
	// one ends. Where there is one writer there is nothing to wait for.
	Lock(mode LockMode, name string) error
	// Alone sees to it that no other transaction that writes runs beside this
	// one. If some may, the function is left with RetrySignal, and runs again, alone.
	Alone() error
	// Dialect says how the engine wants its SQL.
	Dialect() *Dialect
}

// Once begins a statement that has a List's ID in its text: there are too many of
// them for an engine to keep them all prepared.
const Once = "/* once */ "

// ErrUnprepared says that an engine does not know how to carry out such a
// statement, at once or instead of the first row. Nothing has happened, and the
// transaction goes on.
var ErrUnprepared = errors.New("the statement cannot be prepared")

// LockMode says who else may hold a name.
type LockMode int

// The modes.
const (
	Exclusive LockMode = iota // nobody
	Shared                    // those who share it
)

// Rows are a query's result.
type Rows interface {
	// Next returns the next row, one value for each column, or io.EOF after the last
	// row. The engine may overwrite the slice when Next is called again.
	Next() ([]driver.Value, error)
	// Close ends the query. It must be called before the next statement of a
	// transaction that only reads.
	Close() error
}
