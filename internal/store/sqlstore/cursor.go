package sqlstore

// This file reads the rows of queries.

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// Cursor reads the columns of a query's current row from left to right. A statement and the code
// that reads its rows name the columns in the same order.
type Cursor struct {
	row  []driver.Value
	next int // index of the column to read
}

// Value reads the next column as the engine returned it; NULL is nil.
func (c *Cursor) Value() driver.Value {
	v := c.row[c.next]
	c.next++
	return v
}

// Int reads the next column as a number; NULL is 0.
func (c *Cursor) Int() int64 { return integer(c.Value()) }

// Text reads the next column as text; NULL is "".
func (c *Cursor) Text() string { return text(c.Value()) }

// Rest returns the columns that were not read yet. The next row may overwrite the slice.
func (c *Cursor) Rest() []driver.Value {
	rest := c.row[c.next:]
	c.next = len(c.row)
	return rest
}

// each calls fn with every row of a query.
func (t *Tx) each(fn func(*Cursor) error, query string, args ...any) error {
	rows, err := t.conn.Query(t.ctx, query, args...)
	if err != nil {
		return err
	}
	return EachRow(rows, fn)
}

// EachRow calls fn with every row and closes rows. It returns an error if fn does not read all
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
			return fmt.Errorf("%d of a row's %d columns were read", c.next, len(c.row))
		}
	}
}

// number returns a query's only value, an integer. It returns 0 for NULL and without a row.
func (t *Tx) number(query string, args ...any) (n int64, err error) {
	err = t.each(func(c *Cursor) error {
		n = c.Int()
		return nil
	}, query, args...)
	return n, err
}

// idsOf returns the IDs that a query of one column finds.
func idsOf[ID ~int64](t *Tx, query string, args ...any) (ids []ID, err error) {
	err = t.each(func(c *Cursor) error {
		ids = append(ids, ID(c.Int()))
		return nil
	}, query, args...)
	return ids, err
}

// text converts a text column: engines return text as string or as bytes.
func text(v driver.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// integer converts a number: engines return conditions as numbers or as bool.
func integer(v driver.Value) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case bool:
		return bit(v)
	}
	return 0
}

// bit returns the number that is stored for a condition.
func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
