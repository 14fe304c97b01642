package audience

import (
	"strconv"
	"strings"
)

// This file derives SELECT, INSERT and UPDATE from one description of a table's columns.

// mapping stores values of a Go struct as rows of a table. newMapping creates a mapping from one
// function. This function names each column once, with a pointer to the column's value in the struct.
// From this function the mapping derives the statements, their arguments, and how to read the rows:
//
//	func mapPreference(m *mapper, p *audience.Preference) {
//		m.id("id", (*int64)(&p.ID))
//		m.fixed("list_id", (*int64)(&p.ListID))
//		m.fixed("name", &p.Name)
//	}
//
//	var preferenceTable = newMapping("preference", mapPreference)
type mapping[T any] struct {
	visit     func(*mapper, *T)
	columns   string // the expressions of SELECT
	read      string // SELECT of all rows; a query appends its WHERE clause
	into      string // "INSERT INTO ", the table and its columns
	values    string // the values after VALUES: one argument for each column
	initial   string // like values, but with constants for the initial values of the state columns
	insert    string // INSERT of all values
	insertNew string // INSERT that does nothing if the row would violate a unique index
	upsert    string // INSERT that replaces the row with the same owner and key
	insertID  string // INSERT with a given ID, which is the first argument
	restore   string // like insertID; replaces the row with the same ID
	update    string // UPDATE of the row with the same owner and key
	width     int    // number of columns
}

// newMapping returns the mapping of a table.
func newMapping[T any](table string, visit func(*mapper, *T)) *mapping[T] {
	m := new(mapper)
	visit(m, new(T))
	b := &mapping[T]{visit: visit, width: len(m.columns)}
	var read, names, set, replace, rest, where, unique []string
	var all, initial arguments
	withID := arguments{list: []string{"?1"}, count: 1}
	for _, c := range m.columns {
		if c.in&selected != 0 {
			read = append(read, c.read)
		}
		if c.in&updated != 0 {
			set = append(set, c.name+" = "+c.arg("?"))
			replace = append(replace, c.name+" = excluded."+c.name)
		}
		if c.in&identifies != 0 {
			where, unique = append(where, c.name+" = ?"), append(unique, c.name)
		}
		if c.in&inserted != 0 || c.initial != "" {
			names = append(names, c.name)
			all.add(&c, inserted)
			initial.add(&c, unset)
			withID.add(&c, inserted)
			rest = append(rest, c.name+" = excluded."+c.name)
		}
	}
	b.columns = strings.Join(read, ", ")
	b.read = "SELECT " + b.columns + " FROM " + table + " "
	b.into = "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") "
	b.values, b.initial = strings.Join(all.list, ", "), strings.Join(initial.list, ", ")
	b.insert = b.into + "VALUES (" + b.values + ")"
	b.insertNew = b.insert + " ON CONFLICT DO NOTHING"
	b.upsert = b.insert + " ON CONFLICT (" + strings.Join(unique, ", ") + ")" +
		" DO UPDATE SET " + strings.Join(replace, ", ")
	b.insertID = "INSERT INTO " + table + " (id, " + strings.Join(names, ", ") + ") VALUES (" +
		strings.Join(withID.list, ", ") + ")"
	b.restore = b.insertID + " ON CONFLICT (id) DO UPDATE SET " + strings.Join(rest, ", ")
	b.update = "UPDATE " + table + " SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(where, " AND ")
	return b
}

// arguments collects the expressions after VALUES.
type arguments struct {
	list  []string
	count int // number of arguments in list
}

func (a *arguments) add(c *column, job use) {
	if c.in&job == 0 {
		a.list = append(a.list, c.initial)
		return
	}
	a.count++
	a.list = append(a.list, c.arg("?"+strconv.Itoa(a.count)))
}

// all returns the rows that a query finds. where is the end of the query, which follows the name of
// the table.
func (b *mapping[T]) all(t *Tx, where string, args ...any) (found []T, err error) {
	err = b.each(t, func(x *T) error {
		found = append(found, *x)
		return nil
	}, where, args...)
	return found, err
}

// one returns the row that a query finds. If the query finds no row, it returns the error missing.
func (b *mapping[T]) one(t *Tx, missing error, where string, args ...any) (found *T, err error) {
	err = b.each(t, func(x *T) error {
		found = x
		return nil
	}, where, args...)
	if err == nil && found == nil {
		err = missing
	}
	return found, err
}

// each calls fn with each row that a query finds. Each call gets a new value, so fn can keep it.
func (b *mapping[T]) each(t *Tx, fn func(*T) error, where string, args ...any) error {
	m := mapper{job: selected}
	return t.each(func(row *Cursor) error {
		x := new(T)
		m.cursor = row
		b.visit(&m, x)
		if m.err != nil {
			return m.err
		}
		return fn(x)
	}, b.read+where, args...)
}

// arguments returns the arguments of a statement, in the order of the statement.
func (b *mapping[T]) arguments(t *Tx, job use, x *T) ([]any, error) {
	t.mapper = mapper{job: job, args: make([]any, 0, b.width)}
	b.visit(&t.mapper, x)
	return append(t.mapper.args, t.mapper.keys...), t.mapper.err
}

// add inserts a row and sets the ID in x.
func (b *mapping[T]) add(t *Tx, x *T) error {
	_, err := b.insertAs(t, b.insert, x)
	return err
}

// addNew inserts a row like add. If the row would violate a unique index, addNew inserts nothing and
// returns the ID 0.
func (b *mapping[T]) addNew(t *Tx, x *T) (id int64, err error) { return b.insertAs(t, b.insertNew, x) }

func (b *mapping[T]) insertAs(t *Tx, statement string, x *T) (id int64, err error) {
	args, err := b.arguments(t, inserted, x)
	if err != nil {
		return 0, err
	}
	id, err = t.Insert(statement, args...)
	if t.mapper.newID != nil {
		*t.mapper.newID = id
	}
	return id, err
}

// addDefinition inserts a row like add, and raises the catalogue's version.
func (b *mapping[T]) addDefinition(t *Tx, x *T) error {
	if err := t.changed(); err != nil {
		return err
	}
	return b.add(t, x)
}

// saveDefinition updates a row like save, and raises the catalogue's version.
func (b *mapping[T]) saveDefinition(t *Tx, x *T) error {
	if err := t.changed(); err != nil {
		return err
	}
	return b.save(t, x)
}

// queue inserts a row whose ID the caller does not need. The engine is free to delay the statement.
func (b *mapping[T]) queue(t *Tx, x *T) error { return b.do(t, b.insert, inserted, x) }

// restoreDefinition inserts a row with the ID that x has, or replaces the row with this ID. Later rows get higher IDs.
func (b *mapping[T]) restoreDefinition(t *Tx, table string, x *T) error {
	if err := t.changed(); err != nil {
		return err
	}
	args, err := b.arguments(t, inserted, x)
	if err != nil {
		return err
	}
	id := *t.mapper.newID
	if err := t.Do(b.restore, append([]any{id}, args...)...); err != nil {
		return err
	}
	return t.skipIDs("pg_get_serial_sequence('"+table+"', 'id')", id)
}

// put inserts a row, or replaces the row with the same natural key.
func (b *mapping[T]) put(t *Tx, x *T) error { return b.do(t, b.upsert, inserted, x) }

// save updates the row with the same key as x.
func (b *mapping[T]) save(t *Tx, x *T) error { return b.do(t, b.update, updated, x) }

func (b *mapping[T]) do(t *Tx, statement string, job use, x *T) error {
	args, err := b.arguments(t, job, x)
	if err != nil {
		return err
	}
	return t.Do(statement, args...)
}
