package sqlstore

// This file contains the mapper. The function of a mapping calls its methods to describe the columns of
// a table.

import (
	"database/sql/driver"
	"fmt"
)

// use is a set of statements: those that contain a column.
type use uint8

const (
	selected   use = 1 << iota
	inserted       // the column has an argument in insert
	unset          // the column has an argument in initial
	updated        // update changes the column
	identifies     // the column is in the WHERE of update, and in the ON CONFLICT of upsert
)

// mapper visits the columns of a mapping. Its job is to list the columns, to read them from a row, or to
// collect their values as arguments. The order of the columns is the same for every job.
type mapper struct {
	job     use      // the statement that has or needs the values; 0: list the columns
	cursor  *Cursor  // the row to read, for the job selected
	args    []any    // the values, for the jobs of other statements
	keys    []any    // arguments of the WHERE; they follow args
	columns []column // the result of job 0
	newID   *int64   // where to store the ID that the database generates
	err     error    // the first error of a codec

	document string // field_values of the Contact: as SELECT returns it, or as the argument of INSERT and UPDATE
}

// column is one column of a mapping.
type column struct {
	name    string
	in      use
	read    string                  // the expression in SELECT
	arg     func(arg string) string // the expression in INSERT and UPDATE, with an argument
	initial string                  // the expression in an INSERT that has no argument for the column
}

// codec is a pointer to a Go value that is stored in another form. An int64, a string and a bool need no
// codec. A codec should be a pointer, because Go converts a pointer to an interface without an
// allocation.
type codec interface {
	decode(driver.Value) error
	encode() (any, error)
}

// id describes the key that the database generates. The UPDATE finds the row by this key.
func (m *mapper) id(name string, place *int64) {
	m.newID = place
	m.column(name, selected|identifies, place)
}

// naturalKey describes a column of a key that is part of the data.
func (m *mapper) naturalKey(name string, place any) {
	m.column(name, selected|inserted|unset|identifies, place)
}

// owner describes a natural key that is not selected, because the code that reads a row knows the value.
func (m *mapper) owner(name string, place any) { m.column(name, inserted|unset|identifies, place) }

// fixed describes a column that never changes after the INSERT.
func (m *mapper) fixed(name string, place any) { m.column(name, selected|inserted|unset, place) }

// value describes a column that may change.
func (m *mapper) value(name string, place any) {
	m.column(name, selected|inserted|unset|updated, place)
}

// state describes a column that may change and has the same initial value in nearly all new rows. The
// text of the INSERT contains this value, because each argument costs time.
func (m *mapper) state(name, initial string, place any) {
	m.column(name, selected|inserted|updated, place)
	if m.job == 0 {
		m.last().initial = initial
	}
}

// readAs sets the expression in SELECT for the column that was described last.
func (m *mapper) readAs(expression string) {
	if m.job == 0 {
		m.last().read = expression
	}
}

// converted describes a value that the engine reads with one expression and writes with another.
func (m *mapper) converted(name, read string, write func(arg string) string, place any) {
	m.value(name, place)
	m.readAs(read)
	if m.job == 0 {
		m.last().arg = write
	}
}

// stored describes a column that is inserted and never selected.
func (m *mapper) stored(name string, place any) { m.column(name, inserted|unset, place) }

// generated describes a column whose value is an expression of the INSERT.
func (m *mapper) generated(name, expression string) {
	if m.job == 0 {
		m.columns = append(m.columns, column{name: name, initial: expression})
	}
}

// computed describes an expression that is only selected.
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

// assign stores a column's value at place, which is a pointer.
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

// argument returns the value at place, which is a pointer, as an argument of a statement.
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
