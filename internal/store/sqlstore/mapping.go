package sqlstore

// This file derives SELECT, INSERT and UPDATE from one description of a table's columns.

import (
	"strconv"
	"strings"
)

// mapping says how values of a Go struct are stored as rows of a table. It is made
// from one function that names each column once, with the place of its value in the
// struct. SELECT, INSERT and UPDATE, the reading of rows and the arguments of the
// statements all follow from that function:
//
//	func mapPreference(m *mapper, p *audience.Preference) {
//		m.id("id", (*int64)(&p.ID))
//		m.fixed("list_id", (*int64)(&p.ListID))
//		m.fixed("name", &p.Name)
//	}
type mapping[T any] struct {
	visit   func(*mapper, *T)
	columns string // for SELECT
	from    string // " FROM " and the table
	into    string // "INSERT INTO ", the table and its columns
	values  string // what is inserted into them: an argument each
	initial string // the same for a row whose state columns have their initial values
	insert  string // INSERT of all values
	upsert  string // INSERT that replaces the row with the same owner and key
	update  string // UPDATE of the row with the same owner and key
	width   int    // number of columns
}

// newMapping makes a mapping to a table.
func newMapping[T any](table string, visit func(*mapper, *T)) *mapping[T] {
	m := new(mapper)
	visit(m, new(T))
	b := &mapping[T]{visit: visit, from: " FROM " + table, width: len(m.columns)}
	var read, names, set, replace, where, unique []string
	var all, initial arguments
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
		}
	}
	b.columns = strings.Join(read, ", ")
	b.into = "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") "
	b.values, b.initial = strings.Join(all.list, ", "), strings.Join(initial.list, ", ")
	b.insert = b.into + "VALUES (" + b.values + ")"
	b.upsert = b.insert + " ON CONFLICT (" + strings.Join(unique, ", ") + ") DO UPDATE SET " + strings.Join(replace, ", ")
	b.update = "UPDATE " + table + " SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(where, " AND ")
	return b
}

// arguments are the expressions after VALUES.
type arguments struct {
	list  []string
	count int // arguments among them
}

func (a *arguments) add(c *column, job use) {
	if c.in&job == 0 {
		a.list = append(a.list, c.initial)
		return
	}
	a.count++
	a.list = append(a.list, c.arg("?"+strconv.Itoa(a.count)))
}

// all returns the rows that a query finds; rest is what comes after the table's name.
func (b *mapping[T]) all(t *Tx, rest string, args ...any) (found []T, err error) {
	err = b.each(t, func(x *T) error {
		found = append(found, *x)
		return nil
	}, rest, args...)
	return found, err
}

// one returns the row that a query finds, or the error missing if there is none.
func (b *mapping[T]) one(t *Tx, missing error, rest string, args ...any) (found *T, err error) {
	err = b.each(t, func(x *T) error {
		found = x
		return nil
	}, rest, args...)
	if err == nil && found == nil {
		err = missing
	}
	return found, err
}

// each calls fn with each row that a query finds, which fn may keep.
func (b *mapping[T]) each(t *Tx, fn func(*T) error, rest string, args ...any) error {
	m := mapper{job: selected}
	return t.each(func(row *Cursor) error {
		x := new(T)
		m.cursor = row
		if b.visit(&m, x); m.err != nil {
			return m.err
		}
		return fn(x)
	}, "SELECT "+b.columns+b.from+" "+rest, args...)
}

// arguments returns the arguments of a statement, in its order.
func (b *mapping[T]) arguments(job use, x *T) ([]any, error) {
	m := mapper{job: job, args: make([]any, 0, b.width)}
	b.visit(&m, x)
	return append(m.args, m.keys...), m.err
}

// add inserts a row and returns its ID.
func (b *mapping[T]) add(t *Tx, x *T) (id int64, err error) {
	args, err := b.arguments(inserted, x)
	if err != nil {
		return 0, err
	}
	return t.conn.Insert(b.insert, args...)
}

// addNew inserts a row unless a unique index has one like it; then the ID is 0.
func (b *mapping[T]) addNew(t *Tx, x *T) (id int64, err error) {
	args, err := b.arguments(inserted, x)
	if err != nil {
		return 0, err
	}
	return t.conn.Insert(b.insert+" ON CONFLICT DO NOTHING", args...)
}

// queue inserts a row whose ID the caller does not need, without waiting for it.
func (b *mapping[T]) queue(t *Tx, x *T) error { return b.do(t, b.insert, inserted, x) }

// put inserts a row or replaces the one with the same natural key.
func (b *mapping[T]) put(t *Tx, x *T) error { return b.do(t, b.upsert, inserted, x) }

// save updates a row.
func (b *mapping[T]) save(t *Tx, x *T) error { return b.do(t, b.update, updated, x) }

func (b *mapping[T]) do(t *Tx, statement string, job use, x *T) error {
	args, err := b.arguments(job, x)
	if err != nil {
		return err
	}
	return t.conn.Do(statement, args...)
}
