package db

import (
	"database/sql/driver"
	"fmt"
)

// This file contains the type Mapper. A mapping has a function that describes the columns of a table.
// This function calls the methods of the Mapper.

// Use is a set of flags. They state which statements contain a column.
type Use uint8

const (
	Selected   Use = 1 << iota
	Inserted       // the column has an argument in insert
	Unset          // the column has an argument in initial
	Updated        // update changes the column
	identifies     // the column is in the WHERE clause of update, and in the ON CONFLICT clause of upsert
)

// Mapper visits the columns of a mapping. It has one of three jobs: to list the columns, to read their
// values from a row, or to collect their values as arguments. The order of the columns is the same for
// every job.
type Mapper struct {
	Job     Use      // Selected: read a row; 0: list the columns; otherwise: collect the arguments of this statement
	Cursor  *Cursor  // the row to read; only for the job Selected
	Args    []any    // the collected arguments
	Keys    []any    // arguments of the WHERE clause; in the statement they follow Args
	Columns []column // the listed columns; only for the job 0
	newID   *int64   // points to the variable for the ID that the database generates
	Err     error    // the first error of a codec

	Document string // the column field_values of a Contact, as SELECT returns it or as INSERT and UPDATE need it
}

// column is one column of a mapping.
type column struct {
	Name    string
	in      Use
	read    string                  // the expression in SELECT
	arg     func(arg string) string // the expression in INSERT and UPDATE, with an argument
	initial string                  // the expression in an INSERT that has no argument for the column
}

// codec is a Go value that the database stores in another form. Values of the types int64,
// string and bool need no codec. Use a pointer as a codec, because Go converts a pointer to an interface
// without an allocation.
type codec interface {
	Decode(driver.Value) error
	Encode() (any, error)
}

// ID describes a key column whose values the database generates. The UPDATE finds the row by this
// key.
func (m *Mapper) ID(name string, place *int64) {
	m.newID = place
	m.column(name, Selected|identifies, place)
}

// NaturalKey describes a column of a key that is part of the data.
func (m *Mapper) NaturalKey(name string, place any) {
	m.column(name, Selected|Inserted|Unset|identifies, place)
}

// Owner describes a natural key that is not selected, because the code that reads a row already knows
// the value of this key.
func (m *Mapper) Owner(name string, place any) { m.column(name, Inserted|Unset|identifies, place) }

// Fixed describes a column that never changes after the INSERT.
func (m *Mapper) Fixed(name string, place any) { m.column(name, Selected|Inserted|Unset, place) }

// Value describes a column that UPDATE changes.
func (m *Mapper) Value(name string, place any) {
	m.column(name, Selected|Inserted|Unset|Updated, place)
}

// State describes a column that UPDATE changes and that has the same initial value in nearly all new
// rows. The text of the INSERT contains this initial value, because each argument costs time.
func (m *Mapper) State(name, initial string, place any) {
	m.column(name, Selected|Inserted|Updated, place)
	if m.Job == 0 {
		m.last().initial = initial
	}
}

// ReadAs sets the expression in SELECT for the column that was described last.
func (m *Mapper) ReadAs(expression string) {
	if m.Job == 0 {
		m.last().read = expression
	}
}

// Converted describes a value that the engine reads with one expression and writes with another.
func (m *Mapper) Converted(name, read string, write func(arg string) string, place any) {
	m.Value(name, place)
	m.ReadAs(read)
	if m.Job == 0 {
		m.last().arg = write
	}
}

// Stored describes a column that is inserted and never selected.
func (m *Mapper) Stored(name string, place any) { m.column(name, Inserted|Unset, place) }

// Generated describes a column whose value is an expression of the INSERT.
func (m *Mapper) Generated(name, expression string) {
	if m.Job == 0 {
		m.Columns = append(m.Columns, column{Name: name, initial: expression})
	}
}

// Computed describes an expression that is only in SELECT.
func (m *Mapper) Computed(expression string, place any) { m.column(expression, Selected, place) }

func (m *Mapper) last() *column { return &m.Columns[len(m.Columns)-1] }

// column does the mapper's job for one column.
func (m *Mapper) column(name string, in Use, place any) {
	switch {
	case m.Job == 0:
		asIs := func(arg string) string { return arg }
		m.Columns = append(m.Columns, column{Name: name, in: in, read: name, arg: asIs})
	case in&m.Job == 0:
		if m.Job == Updated && in&identifies != 0 {
			m.Keys = append(m.Keys, m.argument(place))
		}
	case m.Job == Selected:
		m.assign(place, m.Cursor.Value())
	default:
		m.Args = append(m.Args, m.argument(place))
	}
}

// assign stores a column's value at place, which is a pointer.
func (m *Mapper) assign(place any, v driver.Value) {
	switch p := place.(type) {
	case *int64:
		*p = integer(v)
	case *string:
		*p = TextOf(v)
	case *bool:
		*p = integer(v) != 0
	case codec:
		m.fail(p.Decode(v))
	default:
		m.fail(fmt.Errorf("a column cannot be read into a %T", place))
	}
}

// argument returns the value at place, which is a pointer, as an argument of a statement.
func (m *Mapper) argument(place any) any {
	switch p := place.(type) {
	case *int64:
		return *p
	case *string:
		return *p
	case *bool:
		return Bit(*p)
	case codec:
		v, err := p.Encode()
		m.fail(err)
		return v
	}
	m.fail(fmt.Errorf("a %T cannot be stored in a column", place))
	return nil
}

func (m *Mapper) fail(err error) {
	if m.Err == nil {
		m.Err = err
	}
}
