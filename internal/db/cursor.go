package db

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// This file reads the rows of queries.

// Cursor reads the columns of a query's current row from left to right. The caller must read the
// columns in the order in which the statement names them.
type Cursor struct {
	row  []driver.Value
	next int // index of the column to read
}

// Value returns the next column as the engine returned it. For NULL it returns nil.
func (c *Cursor) Value() driver.Value {
	v := c.row[c.next]
	c.next++
	return v
}

// Int returns the next column as a number. For NULL it returns 0.
func (c *Cursor) Int() int64 { return integer(c.Value()) }

// Text returns the next column as text. For NULL it returns "".
func (c *Cursor) Text() string { return TextOf(c.Value()) }

// Rest returns the columns that the caller has not read yet. When the next row is read, it can
// overwrite the slice.
func (c *Cursor) Rest() []driver.Value {
	rest := c.row[c.next:]
	c.next = len(c.row)
	return rest
}

// Each runs a query and calls fn with every row.
func (t *Tx) Each(fn func(*Cursor) error, query string, args ...any) error {
	rows, err := t.Query(query, args...)
	if err != nil {
		return err
	}
	return EachRow(rows, fn)
}

// EachRow calls fn with every row and then closes rows. It returns an error if fn does not read all
// columns of a row.
func EachRow(rows Rows, fn func(*Cursor) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	c := new(Cursor)
	for {
		c.row, err = rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		c.next = 0
		if err := fn(c); err != nil {
			return err
		}
		if c.next != len(c.row) {
			return fmt.Errorf("the code read only %d of the %d columns of a row", c.next, len(c.row))
		}
	}
}

// Number runs a query that returns one integer, and returns this integer. It returns 0 if the query
// returns NULL or no row.
func (t *Tx) Number(query string, args ...any) (n int64, err error) {
	err = t.Each(func(c *Cursor) error {
		n = c.Int()
		return nil
	}, query, args...)
	return n, err
}

// Row reads the only row of a query into places, which are pointers. Without a row they stay as they are.
func (t *Tx) Row(places []any, query string, args ...any) error {
	m := Mapper{Job: Selected}
	return t.Each(func(row *Cursor) error {
		for _, place := range places {
			m.assign(place, row.Value())
		}
		return m.Err
	}, query, args...)
}

// RowsOf returns what read makes of each row of a query.
func RowsOf[T any](t *Tx, read func(*Cursor) T, query string, args ...any) (all []T, err error) {
	err = t.Each(func(row *Cursor) error {
		all = append(all, read(row))
		return nil
	}, query, args...)
	return all, err
}

// IDsOf returns the IDs that a query with one column returns.
func IDsOf[ID ~int64](t *Tx, query string, args ...any) ([]ID, error) {
	return RowsOf(t, func(row *Cursor) ID { return ID(row.Int()) }, query, args...)
}

// TextOf converts the value of a text column. One engine returns the value as a string, another as
// bytes.
func TextOf(v driver.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// integer converts a number or a truth value. One engine returns truth values as numbers, another as
// bool.
func integer(v driver.Value) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case bool:
		return Bit(v)
	}
	return 0
}

// Bit returns the number that the database stores for a truth value: 1 for true, 0 for false.
func Bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
