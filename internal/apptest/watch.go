package apptest

import (
	"context"
	"database/sql/driver"
	"reflect"
	"strings"

	"enlist/internal/db"
)

// This file lets a test watch the statements of a transaction.

// Watch calls functions for what a transaction does. A nil function is not called.
type Watch struct {
	Statement func(query string, args []any) error // before a statement; its error replaces the result
	Row       func(query string) error             // before a row of a query is returned; its error ends the query
	Effect    func(db.Effect)                      // before an effect is stored
}

// Run returns fn with a Tx that is watched.
func (w Watch) Run(fn func(*db.Tx) error) func(*db.Tx) error {
	return func(tx *db.Tx) error {
		return fn(tx.Watched(func(c db.Conn) db.Conn { return watchedConn{c, w} }, func(e db.Effect) {
			if w.Effect != nil {
				w.Effect(e)
			}
		}))
	}
}

type watchedConn struct {
	db.Conn
	watch Watch
}

func (c watchedConn) statement(query string, args []any) error {
	if c.watch.Statement == nil {
		return nil
	}
	return c.watch.Statement(query, args)
}

func (c watchedConn) Exec(query string, args ...any) (int64, error) {
	if err := c.statement(query, args); err != nil {
		return 0, err
	}
	return c.Conn.Exec(query, args...)
}

func (c watchedConn) Insert(query string, args ...any) (int64, error) {
	if err := c.statement(query, args); err != nil {
		return 0, err
	}
	return c.Conn.Insert(query, args...)
}

func (c watchedConn) Do(query string, args ...any) error {
	if err := c.statement(query, args); err != nil {
		return err
	}
	return c.Conn.Do(query, args...)
}

func (c watchedConn) Query(ctx context.Context, query string, args ...any) (db.Rows, error) {
	if err := c.statement(query, args); err != nil {
		return nil, err
	}
	return c.rows(query)(c.Conn.Query(ctx, query, args...))
}

func (c watchedConn) Search(ctx context.Context, s db.Statement) (db.Rows, error) {
	if err := c.statement(s.Text, s.Args); err != nil {
		return nil, err
	}
	return c.rows(s.Text)(c.Conn.Search(ctx, s))
}

func (c watchedConn) rows(query string) func(db.Rows, error) (db.Rows, error) {
	return func(rows db.Rows, err error) (db.Rows, error) {
		if err != nil || c.watch.Row == nil {
			return rows, err
		}
		return watchedRows{rows, func() error { return c.watch.Row(query) }}, nil
	}
}

type watchedRows struct {
	db.Rows
	next func() error
}

func (r watchedRows) Next() ([]driver.Value, error) {
	row, err := r.Rows.Next()
	if err == nil {
		err = r.next()
	}
	return row, err
}

// writtenContacts returns how many Contacts a statement stores, or 0 if it stores none. PostgreSQL gets the Contacts
// of a statement as arrays. SQLite stores one Contact with a statement, except that it gets IDs as JSON.
func writtenContacts(query string, args []any) int {
	if !strings.HasPrefix(query, "INSERT INTO contact (") && !strings.HasPrefix(query, "UPDATE contact SET ") {
		return 0
	}
	most := 1
	for _, arg := range args {
		if v := reflect.ValueOf(arg); v.Kind() == reflect.Slice {
			most = max(most, v.Len())
		}
		if s, ok := arg.(string); ok && strings.HasPrefix(s, "[") {
			most = max(most, 1+strings.Count(s, ","))
		}
	}
	return most
}
