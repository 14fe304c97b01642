package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"enlist/internal/db"
)

// This file reads complete tables of a SQLite file, for the command enlist copy.

// Source reads the tables of a SQLite file. The command enlist copy stores these tables in another
// database. A Source locks the file exclusively. Otherwise a server could store a change that the
// copy would not contain.
type Source struct {
	conn *dbConn
}

var errServed = errors.New("another process has it open: stop the service, and try again")

// OpenSource opens an existing database, applies pending migrations, and locks the file exclusively
// until Close.
func OpenSource(ctx context.Context, path string) (*Source, error) {
	conn, err := bareConnection(ctx, path)
	switch {
	case isBusy(err): // another Source has locked the file
		return nil, openError(path, err)
	case err != nil:
		return nil, err
	}
	s := &Source{conn}
	// SQLite takes the exclusive lock at the first read. In WAL mode each open connection has a shared
	// lock. So this read fails if another process has the file open.
	if _, err := s.Tables(ctx); err != nil {
		return nil, errors.Join(openError(path, err), s.Close())
	}
	return s, nil
}

// bareConnection creates the file at path or applies pending migrations. It returns the only connection, which locks
// the file exclusively at its first read.
func bareConnection(ctx context.Context, path string) (*dbConn, error) {
	store, err := Open(ctx, path, Options{})
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	conn, err := (&connector{path: path, source: true}).connect()
	if err != nil {
		return nil, openError(path, err)
	}
	return conn, nil
}

// openError replaces SQLite's busy error by an error that states the reason and what to do.
func openError(path string, err error) error {
	if isBusy(err) {
		err = errServed
	}
	return fmt.Errorf("open %s: %w", path, err)
}

var sourcePragmas = []string{"PRAGMA cache_size = -65536"}

// Close closes the file and releases the lock.
func (s *Source) Close() error { return s.conn.Close() }

// Tables returns the names of the tables to copy: the tables of enlist, and the table of the queue's jobs.
// The other tables of SQLite, goose and River are not copied, because the target database has its own
// tables for these. The tables of Litestream are not copied either; their names begin with an underscore.
func (s *Source) Tables(ctx context.Context) (names []string, err error) {
	err = s.each(ctx, func(row *db.Cursor) error {
		names = append(names, row.Text())
		return nil
	}, `SELECT name FROM sqlite_schema WHERE type = 'table' AND (name = 'river_job'
		OR substr(name, 1, instr(name, '_')) NOT IN ('sqlite_', 'goose_', 'river_', '_')) ORDER BY name`)
	return names, err
}

// Describe sets t.Key to the primary key of the table in this file. It fails if the columns of this
// table are not exactly those of t.
func (s *Source) Describe(ctx context.Context, t *db.Table) error {
	names := make(map[string]int)
	for i, c := range t.Columns {
		names[c.Name] = i
	}
	t.Key = nil
	found := 0
	err := s.each(ctx, func(row *db.Cursor) error {
		name, key := row.Text(), row.Int()
		i, ok := names[name]
		if !ok {
			return fmt.Errorf("PostgreSQL's table %s has no column %s", t.Name, name)
		}
		found++
		if key > 0 {
			t.Key = append(t.Key, i)
		}
		return nil
	}, "SELECT name, pk FROM pragma_table_info(?) ORDER BY pk, cid", t.Name)
	if err == nil && found != len(t.Columns) {
		err = fmt.Errorf("table %s has %d columns in PostgreSQL and %d in the SQLite file", t.Name, len(t.Columns),
			found)
	}
	return err
}

// Count returns the number of rows of a table. If upto is not nil, it is a key, and Count counts
// only the rows whose keys are not greater than upto.
func (s *Source) Count(ctx context.Context, t *db.Table, upto []any) (n int64, err error) {
	query := "SELECT count(*) FROM " + t.Name
	if upto != nil {
		query += " WHERE " + keyCondition(t, "<=")
	}
	err = s.each(ctx, func(row *db.Cursor) error {
		n = row.Int()
		return nil
	}, query, upto...)
	return n, err
}

// Each calls fn with every row of a table in the order of the key. If after is not nil, it is a key, and
// Each leaves out the rows up to and including this key. Each call gets a new slice, so fn can keep the
// row. changed is true if Each has replaced characters that another engine cannot store.
func (s *Source) Each(ctx context.Context, t *db.Table, after []any,
	fn func(row []driver.Value, changed bool) error) error {
	query := "SELECT " + t.List(readExpr) + " FROM " + t.Name
	if after != nil {
		query += " WHERE " + keyCondition(t, ">")
	}
	if len(t.Key) > 0 {
		query += " ORDER BY " + keyColumns(t)
	}
	return s.each(ctx, func(c *db.Cursor) error {
		row := slices.Clone(c.Rest())
		changed, err := t.Normalise(row)
		if err != nil {
			return err
		}
		return fn(row, changed)
	}, query, after...)
}

// readExpr returns the SQL expression that reads a column as Normalise expects it for c.Form.
func readExpr(c db.Column) string {
	switch c.Form {
	case db.Document, db.Documents, db.Texts:
		return "json(" + c.Name + ")"
	case db.Time: // the column is a text; for an invalid time the result is 'no time', which Normalise refuses
		return "CASE WHEN " + c.Name + " IS NOT NULL THEN " +
			"coalesce(CAST(round(unixepoch(" + c.Name + ", 'subsec') * 1000) AS INTEGER), 'no time') END"
	}
	return c.Name
}

// keyColumns returns the columns of a table's key, separated by commas.
func keyColumns(t *db.Table) string {
	names := make([]string, len(t.Key))
	for i, column := range t.Key {
		names[i] = t.Columns[column].Name
	}
	return strings.Join(names, ", ")
}

// keyCondition returns a condition that compares the key of a table with arguments.
func keyCondition(t *db.Table, operator string) string {
	return "(" + keyColumns(t) + ") " + operator + " (?" + strings.Repeat(", ?", len(t.Key)-1) + ")"
}

// LastIDs returns the highest ID that each table has ever used, by the name of the table. This can be the
// ID of a deleted row.
func (s *Source) LastIDs(ctx context.Context) (last map[string]int64, err error) {
	last = make(map[string]int64)
	// webhook_target.holder can contain the ID of a deleted job. A new job must not get this ID.
	err = s.each(ctx, func(row *db.Cursor) error {
		table := row.Text()
		last[table] = row.Int()
		return nil
	}, `SELECT name, seq FROM sqlite_sequence WHERE name NOT LIKE 'goose\_%' ESCAPE '\'
		UNION ALL SELECT 'river_job', max((SELECT coalesce(max(id), 0) FROM river_job),
			(SELECT coalesce(max(holder), 0) FROM webhook_target))
		UNION ALL SELECT 'consent', coalesce(max(number), 0) FROM consent`)
	return last, err
}

// each runs a query and calls fn for each row.
func (s *Source) each(ctx context.Context, fn func(*db.Cursor) error, query string, args ...any) (err error) {
	rows, err := s.conn.session.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	if err := db.EachRow(rows, fn); err != nil {
		return err
	}
	return ctx.Err()
}
