package sqlstore

// This file contains the mapper, with which a mapping describes the columns of a table.

import (
	"database/sql/driver"
	"fmt"
)

// use is a set of the statements that a column is part of.
type use uint8

const (
	selected   use = 1 << iota
	inserted       // an argument of insert
	unset          // an argument of initial
	updated        // changed by update
	identifies     // in the WHERE of update, and in the ON CONFLICT of upsert
)

// mapper visits the columns of a mapping. Its job is to list them, to read them from a row, or
// to collect their values as arguments. The order is the same for every job.
type mapper struct {
	job     use      // the statement; 0: list the columns
	cursor  *Cursor  // the row, for selected
	args    []any    // for the other statements
	keys    []any    // arguments of the WHERE, which come after args
	columns []column // the list of columns
	newID   *int64   // the place of the ID that the database generates
	err     error    // the first error of a codec

	document string // field_values of the Contact, in the form of the statement
}

// column is one column of a mapping.
type column struct {
	name    string
	in      use
	read    string                  // its expression in SELECT
	arg     func(arg string) string // its expression in INSERT and UPDATE
	initial string                  // its expression in an INSERT without an argument for it
}

// codec is the place of a value whose column needs a conversion: an int64, a string and a bool
// need none. It should be a pointer, which becomes a codec without an allocation.
type codec interface {
	decode(driver.Value) error
	encode() (any, error)
}

// id is the key that the database generates. The update finds the row by it.
func (m *mapper) id(name string, place *int64) {
	m.newID = place
	m.column(name, selected|identifies, place)
}

// naturalKey is a key, or one of its columns, that is part of the data.
func (m *mapper) naturalKey(name string, place any) {
	m.column(name, selected|inserted|unset|identifies, place)
}

// owner is a natural key that is not selected, because readers know it.
func (m *mapper) owner(name string, place any) { m.column(name, inserted|unset|identifies, place) }

// fixed is a column that never changes after the INSERT.
func (m *mapper) fixed(name string, place any) { m.column(name, selected|inserted|unset, place) }

// value is a column that may change.
func (m *mapper) value(name string, place any) {
	m.column(name, selected|inserted|unset|updated, place)
}

// state is a column that may change and has the same initial value in nearly all new rows. That
// value is in the text of the INSERT, because each argument costs time.
func (m *mapper) state(name, initial string, place any) {
	m.column(name, selected|inserted|updated, place)
	if m.job == 0 {
		m.last().initial = initial
	}
}

// readAs sets the expression of the last column in SELECT.
func (m *mapper) readAs(expression string) {
	if m.job == 0 {
		m.last().read = expression
	}
}

// converted is a value that the engine reads by one expression and writes by another.
func (m *mapper) converted(name, read string, write func(arg string) string, place any) {
	m.value(name, place)
	m.readAs(read)
	if m.job == 0 {
		m.last().arg = write
	}
}

// stored is a column that is inserted and never selected.
func (m *mapper) stored(name string, place any) { m.column(name, inserted|unset, place) }

// generated is a column whose value is an expression of the INSERT.
func (m *mapper) generated(name, expression string) {
	if m.job == 0 {
		m.columns = append(m.columns, column{name: name, initial: expression})
	}
}

// computed is an expression that is only selected.
func (m *mapper) computed(expression string, place any) { m.column(expression, selected, place) }

func (m *mapper) last() *column { return &m.columns[len(m.columns)-1] }

// column does the mapper's job for one column.
func (m *mapper) column(name string, in use, place any) {
	switch {
	case m.job == 0:
		asIs := func(arg string) string { return arg }
		m.columns = append(m.columns, column{name: name, in: in, read: name, arg: asIs})
	case in&m.job == 0:
		if m.job == updated && in&identifies != 0 {
			m.keys = append(m.keys, m.argument(place))
		}
	case m.job == selected:
		m.assign(place, m.cursor.Value())
	default:
		m.args = append(m.args, m.argument(place))
	}
}

// assign stores a column's value at a place.
func (m *mapper) assign(place any, v driver.Value) {
	switch p := place.(type) {
	case *int64:
		*p = integer(v)
	case *string:
		*p = text(v)
	case *bool:
		*p = integer(v) != 0
	case codec:
		m.fail(p.decode(v))
	default:
		m.fail(fmt.Errorf("a column cannot be read into a %T", place))
	}
}

// argument returns the value at a place as an argument of a statement.
func (m *mapper) argument(place any) any {
	switch p := place.(type) {
	case *int64:
		return *p
	case *string:
		return *p
	case *bool:
		return bit(*p)
	case codec:
		v, err := p.encode()
		m.fail(err)
		return v
	}
	m.fail(fmt.Errorf("a %T cannot be stored in a column", place))
	return nil
}

func (m *mapper) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}
