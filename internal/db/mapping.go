package db

import (
	"strconv"
	"strings"
)

// This file derives SELECT, INSERT and UPDATE from one description of a table's columns.

// mapping stores values of a Go struct as rows of a table. NewMapping creates a mapping from one
// function. This function names each column once, with a pointer to the column's value in the struct.
// From this function the mapping derives the statements, their arguments, and how to read the rows:
//
//	func mapPreference(m *db.Mapper, p *enlist.Preference) {
//		m.ID("id", (*int64)(&p.ID))
//		m.Fixed("list_id", (*int64)(&p.ListID))
//		m.Fixed("name", &p.Name)
//	}
//
//	var preferenceTable = db.NewMapping("preference", mapPreference)
type mapping[T any] struct {
	visit     func(*Mapper, *T)
	Columns   string // the expressions of SELECT
	Read      string // SELECT of all rows; a query appends its WHERE clause
	Into      string // "INSERT INTO ", the table and its columns
	Values    string // the values after VALUES: one argument for each column
	Initial   string // like Values, but with constants for the initial values of the state columns
	insert    string // INSERT of all values
	InsertNew string // INSERT that does nothing if the row would violate a unique index
	Upsert    string // INSERT that replaces the row with the same owner and key
	InsertID  string // INSERT with a given ID, which is the first argument
	restore   string // like InsertID; replaces the row with the same ID
	Update    string // UPDATE of the row with the same owner and key
	width     int    // number of columns
}

// NewMapping returns the mapping of a table.
func NewMapping[T any](table string, visit func(*Mapper, *T)) *mapping[T] {
	m := new(Mapper)
	visit(m, new(T))
	b := &mapping[T]{visit: visit, width: len(m.Columns)}
	var read, names, set, replace, rest, where, unique []string
	var all, initial arguments
	withID := arguments{list: []string{"?1"}, count: 1}
	for _, c := range m.Columns {
		if c.in&Selected != 0 {
			read = append(read, c.read)
		}
		if c.in&Updated != 0 {
			set = append(set, c.Name+" = "+c.arg("?"))
			replace = append(replace, c.Name+" = excluded."+c.Name)
		}
		if c.in&identifies != 0 {
			where, unique = append(where, c.Name+" = ?"), append(unique, c.Name)
		}
		if c.in&Inserted != 0 || c.initial != "" {
			names = append(names, c.Name)
			all.add(&c, Inserted)
			initial.add(&c, Unset)
			withID.add(&c, Inserted)
			rest = append(rest, c.Name+" = excluded."+c.Name)
		}
	}
	b.Columns = strings.Join(read, ", ")
	b.Read = "SELECT " + b.Columns + " FROM " + table + " "
	b.Into = "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ") "
	b.Values, b.Initial = strings.Join(all.list, ", "), strings.Join(initial.list, ", ")
	b.insert = b.Into + "VALUES (" + b.Values + ")"
	b.InsertNew = b.insert + " ON CONFLICT DO NOTHING"
	b.Upsert = b.insert + " ON CONFLICT (" + strings.Join(unique, ", ") + ")" +
		" DO UPDATE SET " + strings.Join(replace, ", ")
	b.InsertID = "INSERT INTO " + table + " (id, " + strings.Join(names, ", ") + ") VALUES (" +
		strings.Join(withID.list, ", ") + ")"
	b.restore = b.InsertID + " ON CONFLICT (id) DO UPDATE SET " + strings.Join(rest, ", ")
	b.Update = "UPDATE " + table + " SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(where, " AND ")
	return b
}

// arguments collects the expressions after VALUES.
type arguments struct {
	list  []string
	count int // number of arguments in list
}

func (a *arguments) add(c *column, job Use) {
	if c.in&job == 0 {
		a.list = append(a.list, c.initial)
		return
	}
	a.count++
	a.list = append(a.list, c.arg("?"+strconv.Itoa(a.count)))
}

// All returns the rows that a query finds. where is the end of the query, which follows the name of
// the table.
func (b *mapping[T]) All(t *Tx, where string, args ...any) (found []T, err error) {
	err = b.Each(t, func(x *T) error {
		found = append(found, *x)
		return nil
	}, where, args...)
	return found, err
}

// One returns the row that a query finds. If the query finds no row, it returns the error missing.
func (b *mapping[T]) One(t *Tx, missing error, where string, args ...any) (found *T, err error) {
	err = b.Each(t, func(x *T) error {
		found = x
		return nil
	}, where, args...)
	if err == nil && found == nil {
		err = missing
	}
	return found, err
}

// Each calls fn with each row that a query finds. Each call gets a new value, so fn can keep it.
func (b *mapping[T]) Each(t *Tx, fn func(*T) error, where string, args ...any) error {
	return b.EachOf(t, fn, b.Read+where, args...)
}

// EachOf is Each for a whole query, which selects Columns.
func (b *mapping[T]) EachOf(t *Tx, fn func(*T) error, query string, args ...any) error {
	m := Mapper{Job: Selected}
	return t.Each(func(row *Cursor) error {
		x := new(T)
		m.Cursor = row
		b.visit(&m, x)
		if m.Err != nil {
			return m.Err
		}
		return fn(x)
	}, query, args...)
}

// arguments returns the arguments of a statement, in the order of the statement.
func (b *mapping[T]) arguments(t *Tx, job Use, x *T) ([]any, error) {
	t.Mapper = Mapper{Job: job, Args: make([]any, 0, b.width)}
	b.visit(&t.Mapper, x)
	return append(t.Mapper.Args, t.Mapper.Keys...), t.Mapper.Err
}

// Add inserts a row and sets the ID in x.
func (b *mapping[T]) Add(t *Tx, x *T) error {
	_, err := b.insertAs(t, b.insert, x)
	return err
}

// AddNew inserts a row like Add. If the row would violate a unique index, AddNew inserts nothing and
// returns the ID 0.
func (b *mapping[T]) AddNew(t *Tx, x *T) (id int64, err error) { return b.insertAs(t, b.InsertNew, x) }

func (b *mapping[T]) insertAs(t *Tx, statement string, x *T) (id int64, err error) {
	args, err := b.arguments(t, Inserted, x)
	if err != nil {
		return 0, err
	}
	id, err = t.Insert(statement, args...)
	if t.Mapper.newID != nil {
		*t.Mapper.newID = id
	}
	return id, err
}

// AddDefinition inserts a row like Add, and raises the catalogue's version.
func (b *mapping[T]) AddDefinition(t *Tx, x *T) error {
	if err := t.Changed(); err != nil {
		return err
	}
	return b.Add(t, x)
}

// SaveDefinition updates a row like Save, and raises the catalogue's version.
func (b *mapping[T]) SaveDefinition(t *Tx, x *T) error {
	if err := t.Changed(); err != nil {
		return err
	}
	return b.Save(t, x)
}

// Queue inserts a row whose ID the caller does not need. The engine is free to delay the statement.
func (b *mapping[T]) Queue(t *Tx, x *T) error { return b.Do(t, b.insert, Inserted, x) }

// RestoreDefinition inserts a row with the ID that x has, or replaces the row with this ID. Later rows get higher IDs.
func (b *mapping[T]) RestoreDefinition(t *Tx, table string, x *T) error {
	if err := t.Changed(); err != nil {
		return err
	}
	args, err := b.arguments(t, Inserted, x)
	if err != nil {
		return err
	}
	id := *t.Mapper.newID
	if err := t.Do(b.restore, append([]any{id}, args...)...); err != nil {
		return err
	}
	return t.SkipIDs("pg_get_serial_sequence('"+table+"', 'id')", id)
}

// Put inserts a row, or replaces the row with the same natural key.
func (b *mapping[T]) Put(t *Tx, x *T) error { return b.Do(t, b.Upsert, Inserted, x) }

// Save updates the row with the same key as x.
func (b *mapping[T]) Save(t *Tx, x *T) error { return b.Do(t, b.Update, Updated, x) }

func (b *mapping[T]) Do(t *Tx, statement string, job Use, x *T) error {
	args, err := b.arguments(t, job, x)
	if err != nil {
		return err
	}
	return t.Do(statement, args...)
}

// SkipIDs makes a sequence continue after an ID. SQLite does so by itself.
func (t *Tx) SkipIDs(sequence string, id int64) error {
	if !t.SQL.ConcurrentWriters {
		return nil
	}
	_, err := t.Number("SELECT setval(name, greatest(CAST(? AS BIGINT), coalesce(pg_sequence_last_value(name), 1)))"+
		" FROM (SELECT CAST("+sequence+" AS regclass) AS name) sequence", id)
	return err
}
