package db

import (
	"context"
	"database/sql/driver"
	"errors"
)

// This file has the connection of a transaction. The package of an engine (sqlite, postgres) implements it.
//
// A parameter of a statement is written as ?. If a statement uses a parameter twice, all its
// parameters have numbers: ?1, ?2. A Dialect provides the expressions that differ between engines.
// Values from a caller are always parameters and never part of a statement's text.

// Conn is a connection inside a transaction. Arguments and results have the types of driver.Value.
// An engine caches prepared statements by their text. Only one goroutine at a time is allowed to use
// a Conn.
type Conn interface {
	// Exec runs a statement and returns the number of rows that it changed.
	Exec(query string, args ...any) (affected int64, err error)
	// Insert runs an INSERT of one row and returns its ID, or 0 after ON CONFLICT DO NOTHING.
	Insert(query string, args ...any) (id int64, err error)
	// Do runs a statement without a result. The engine is free to delay the statement and to send it
	// together with later statements. If a delayed statement fails, a later statement or the commit
	// returns the error.
	Do(query string, args ...any) error
	// Query runs a statement that returns rows. The engine interrupts the statement when ctx ends.
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	// Search does the same as Query, for the statement of a search.
	Search(ctx context.Context, s Statement) (Rows, error)
	// Lock takes the advisory lock with this name. The transaction holds the lock until it ends. It
	// does nothing on an engine with a single writer.
	Lock(mode LockMode, name string) error
	// LockDefinitions excludes all other transactions that write. If the transaction started without
	// this lock, LockDefinitions panics with RetrySignal. The engine then runs the function again and
	// takes the lock first.
	LockDefinitions() error
	// Dialect returns the engine's SQL expressions.
	Dialect() *Dialect
}

// Statement is the statement of a search.
type Statement struct {
	Text string
	Args []any
	Kind Kind
	Last bool // the last one of its transaction: the engine can end the transaction in the same round trip
}

// Kind says which statements of searches an engine keeps prepared.
type Kind int

// The kinds of statements.
const (
	// Common is the kind of all statements whose text is the same for all Lists.
	Common Kind = iota
	// Once is the kind of a statement whose text contains the ID of a List. Every List needs a separate statement. So
	// SQLite keeps few of them prepared, and PostgreSQL keeps none.
	Once
	// Generic is the kind of a statement whose best plan is the same for all arguments. Its text can contain the ID of a
	// List. PostgreSQL keeps such a statement and its plan if a connection repeats it. SQLite gets none.
	Generic
)

// ErrUnprepared means that the engine cannot prepare a statement of the kind Once. Search or
// the first Rows.Next returns it. The statement has no effect, and the transaction continues.
var ErrUnprepared = errors.New("the statement cannot be prepared")

// LockMode is the mode of an advisory lock.
type LockMode int

// The modes of a lock.
const (
	Exclusive LockMode = iota // no other transaction can have the lock at the same time
	Shared                    // other transactions can have the lock in this mode at the same time
)

// Rows is the result of a query.
type Rows interface {
	// Next returns the next row as one value for each column. After the last row it returns io.EOF.
	// The next call of Next can overwrite the slice.
	Next() ([]driver.Value, error)
	// Close ends the query. In a transaction that only reads, call it before the next statement.
	Close() error
}
