package audience

import (
	"database/sql/driver"
	"fmt"
)

// This file contains the type mapper. A mapping has a function that describes the columns of a table.
// This function calls the methods of the mapper.

// use is a set of flags. They state which statements contain a column.
type use uint8

const (
	selected   use = 1 << iota
	inserted       // the column has an argument in insert
	unset          // the column has an argument in initial
	updated        // update changes the column
	identifies     // the column is in the WHERE clause of update, and in the ON CONFLICT clause of upsert
)

// mapper visits the columns of a mapping. It has one of three jobs: to list the columns, to read their
// values from a row, or to collect their values as arguments. The order of the columns is the same for
// every job.
type mapper struct {
	job     use      // selected: read a row; 0: list the columns; otherwise: collect the arguments of this statement
	cursor  *Cursor  // the row to read; only for the job selected
	args    []any    // the collected arguments
	keys    []any    // arguments of the WHERE clause; in the statement they follow args
	columns []column // the listed columns; only for the job 0
	newID   *int64   // points to the variable for the ID that the database generates
	err     error    // the first error of a codec

	document string // the column field_values of a Contact, as SELECT returns it or as INSERT and UPDATE need it
}

// column is one column of a mapping.
type column struct {
	name    string
	in      use
	read    string                  // the expression in SELECT
	arg     func(arg string) string // the expression in INSERT and UPDATE, with an argument
	initial string                  // the expression in an INSERT that has no argument for the column
}

// codec is a Go value that the database stores in another form. Values of the types int64,
// string and bool need no codec. Use a pointer as a codec, because Go converts a pointer to an interface
// without an allocation.
type codec interface {
	decode(driver.Value) error
	encode() (any, error)
}

// id describes a key column whose values the database generates. The UPDATE finds the row by this
// key.
func (m *mapper) id(name string, place *int64) {
	m.newID = place
	m.column(name, selected|identifies, place)
}

// naturalKey describes a column of a key that is part of the data.
func (m *mapper) naturalKey(name string, place any) {
	m.column(name, selected|inserted|unset|identifies, place)
}

// owner describes a natural key that is not selected, because the code that reads a row already knows
// the value of this key.
func (m *mapper) owner(name string, place any) { m.column(name, inserted|unset|identifies, place) }

// fixed describes a column that never changes after the INSERT.
func (m *mapper) fixed(name string, place any) { m.column(name, selected|inserted|unset, place) }

// value describes a column that UPDATE changes.
func (m *mapper) value(name string, place any) {
	m.column(name, selected|inserted|unset|updated, place)
}

// state describes a column that UPDATE changes and that has the same initial value in nearly all new
// rows. The text of the INSERT contains this initial value, because each argument costs time.
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

// computed describes an expression that is only in SELECT.
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
