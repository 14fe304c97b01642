// Package sqlstore contains the SQL statements for all engines. Tx implements audience.Tx
// on a Conn. An engine's package (sqlite, postgres) provides the Conn and the database
// transaction.
//
// Statements have the parameters ?, or ?1 and ?2 where one occurs twice. A Dialect
// provides the expressions that differ between engines. Values from a caller are always
// parameters and never part of a statement's text.
package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
)

// Conn is a connection inside a transaction. Arguments and results have the types of
// driver.Value. An engine caches prepared statements by their text. One goroutine uses a Conn.
type Conn interface {
	// Exec runs a statement and returns the number of rows that it changed.
	Exec(query string, args ...any) (affected int64, err error)
	// Insert runs an INSERT of one row and returns its ID, or 0 after ON CONFLICT DO NOTHING.
	Insert(query string, args ...any) (id int64, err error)
	// Do runs a statement without a result. The engine may delay it and send it with later
	// statements. A later statement or the commit then returns its error.
	Do(query string, args ...any) error
	// Query runs a statement that returns rows. The engine interrupts it when ctx ends.
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	// QueryLast is Query for the last statement of a transaction. The engine may end the
	// transaction in the same round trip.
	QueryLast(ctx context.Context, query string, args ...any) (Rows, error)
	// Lock takes an advisory lock with a name and holds it until the transaction ends. It
	// does nothing on an engine with a single writer.
	Lock(mode LockMode, name string) error
	// LockDefinitions locks out all other transactions that write. If they may run already, it
	// panics with RetrySignal, and the engine runs the function again with that lock.
	LockDefinitions() error
	// Dialect returns the engine's SQL expressions.
	Dialect() *Dialect
}

// Once is the prefix of a statement that an engine must not keep prepared. Its text contains
// a List's ID, so there can be as many such statements as Lists.
const Once = "/* once */ "

// ErrUnprepared means that the engine cannot prepare a statement with the prefix Once. Query or
// the first Rows.Next returns it. The statement has no effect, and the transaction continues.
var ErrUnprepared = errors.New("the statement cannot be prepared")

// LockMode is the mode of an advisory lock.
type LockMode int

// The modes.
const (
	Exclusive LockMode = iota // no other transaction holds the lock
	Shared                    // other transactions may hold it in this mode
)

// Rows is the result of a query.
type Rows interface {
	// Next returns the next row, one value for each column, or io.EOF after the last
	// row. The engine may overwrite the slice when Next is called again.
	Next() ([]driver.Value, error)
	// Close ends the query. It must be called before the next statement of a
	// transaction that only reads.
	Close() error
}
