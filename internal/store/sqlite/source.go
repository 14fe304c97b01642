package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"enlist/internal/store/sqlstore"
)

// Source is a file whose tables are read whole, to be copied. Nobody else has the
// file open as long as it is: nothing in it changes, and no server that is up
// goes on taking changes that the copy would not have.
type Source struct {
	conn *dbConn
}

var errServed = errors.New("another process has it open: stop the service, and try again")

// OpenSource opens a database that is there, bringing its tables up to date, and
// shuts everybody else out.
func OpenSource(ctx context.Context, path string) (*Source, error) {
	store, err := Open(ctx, path, Options{})
	switch {
	case err != nil && isBusy(err): // another copy is at it
		return nil, openError(path, err)
	case err != nil:
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	s := new(Source)
	if s.conn, err = (&connector{path: path, source: true, driver: newDriver()}).connect(); err != nil {
		return nil, openError(path, err)
	}
	// The first read locks the file, which every connection to a file with a WAL
	// shares for as long as it is open.
	if _, err := s.Tables(ctx); err != nil {
		return nil, errors.Join(openError(path, err), s.Close())
	}
	return s, nil
}

func openError(path string, err error) error {
	if isBusy(err) {
		err = errServed
	}
	return fmt.Errorf("open %s: %w", path, err)
}

var sourcePragmas = []string{"PRAGMA cache_size = -65536"}

// Close lets others at the file again.
func (s *Source) Close() error { return s.conn.Close() }

// Tables are the names of the tables that hold something of ours, with the queue's jobs.
func (s *Source) Tables(ctx context.Context) (names []string, err error) {
	err = s.each(ctx, func(row *sqlstore.Cursor) error {
		names = append(names, row.Text())
		return nil
	}, `SELECT name FROM sqlite_schema WHERE type = 'table' AND (name = 'river_job'
		OR name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE 'goose\_%' ESCAPE '\' AND name NOT LIKE 'river\_%' ESCAPE '\') ORDER BY name`)
	return names, err
}

// Describe puts the key of the table here into t, whose columns must be the same here.
func (s *Source) Describe(ctx context.Context, t *sqlstore.Table) error {
	names := make(map[string]int)
	for i, c := range t.Columns {
		names[c.Name] = i
	}
	t.Key = nil
	found := 0
	err := s.each(ctx, func(row *sqlstore.Cursor) error {
		name, key := row.Text(), row.Int()
		i, ok := names[name]
		if !ok {
			return fmt.Errorf("table %s has no place for %s", t.Name, name)
		}
		found++
		if key > 0 {
			t.Key = append(t.Key, i)
		}
		return nil
	}, "SELECT name, pk FROM pragma_table_info(?) ORDER BY pk, cid", t.Name)
	if err == nil && found != len(t.Columns) {
		err = fmt.Errorf("table %s has %d columns, and %d here", t.Name, len(t.Columns), found)
	}
	return err
}

// Count is the number of rows in a table, or of those up to and including a key.
func (s *Source) Count(ctx context.Context, t *sqlstore.Table, upto []driver.Value) (int64, error) {
	query, args := "SELECT count(*) FROM "+t.Name, []any(nil)
	if upto != nil {
		query, args = query+" WHERE "+keyOf(t, "<="), values(upto)
	}
	return s.number(ctx, query, args...)
}

// Each calls fn with every row of a table by its key, after one if that is not
// nil. The row is fn's to keep. changed is whether the row had characters that
// another engine cannot hold.
func (s *Source) Each(ctx context.Context, t *sqlstore.Table, after []driver.Value, fn func(row []driver.Value, changed bool) error) error {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = reading(c)
	}
	query, args := "SELECT "+strings.Join(columns, ", ")+" FROM "+t.Name, []any(nil)
	if after != nil {
		query, args = query+" WHERE "+keyOf(t, ">"), values(after)
	}
	if len(t.Key) > 0 {
		query += " ORDER BY " + keyColumns(t)
	}
	return s.each(ctx, func(c *sqlstore.Cursor) error {
		row := slices.Clone(c.Rest())
		changed, err := t.Normalise(row)
		if err != nil {
			return err
		}
		return fn(row, changed)
	}, query, args...)
}

// reading is the expression that reads a column in its form.
func reading(c sqlstore.Column) string {
	switch c.Form {
	case sqlstore.Document, sqlstore.Documents, sqlstore.Texts:
		return "json(" + c.Name + ")"
	case sqlstore.Time: // as text; one that cannot be read is left for the caller to refuse
		return "CASE WHEN " + c.Name + " IS NOT NULL THEN coalesce(CAST(round(unixepoch(" + c.Name + ", 'subsec') * 1000) AS INTEGER), 'no time') END"
	}
	return c.Name
}

func keyColumns(t *sqlstore.Table) string {
	names := make([]string, len(t.Key))
	for i, column := range t.Key {
		names[i] = t.Columns[column].Name
	}
	return strings.Join(names, ", ")
}

func keyOf(t *sqlstore.Table, compared string) string {
	return "(" + keyColumns(t) + ") " + compared + " (" + strings.TrimSuffix(strings.Repeat("?, ", len(t.Key)), ", ") + ")"
}

// LastIDs are the last IDs given out, by table: rows may have gone since.
func (s *Source) LastIDs(ctx context.Context) (last map[string]int64, err error) {
	last = make(map[string]int64)
	// A target of webhooks remembers the job that was last at it.
	err = s.each(ctx, func(row *sqlstore.Cursor) error {
		table := row.Text()
		last[table] = row.Int()
		return nil
	}, `SELECT name, seq FROM sqlite_sequence WHERE name NOT LIKE 'goose\_%' ESCAPE '\'
		UNION ALL SELECT 'river_job', max((SELECT coalesce(max(id), 0) FROM river_job), (SELECT coalesce(max(holder), 0) FROM webhook_target))
		UNION ALL SELECT 'consent', coalesce(max(number), 0) FROM consent`)
	return last, err
}

func (s *Source) number(ctx context.Context, query string, args ...any) (n int64, err error) {
	err = s.each(ctx, func(row *sqlstore.Cursor) error {
		n = row.Int()
		return nil
	}, query, args...)
	return n, err
}

func (s *Source) each(ctx context.Context, fn func(*sqlstore.Cursor) error, query string, args ...any) (err error) {
	rows, err := s.conn.session.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	if err := sqlstore.EachRow(rows, fn); err != nil {
		return err
	}
	return ctx.Err()
}

func values(key []driver.Value) []any {
	args := make([]any, len(key))
	for i, v := range key {
		args[i] = v
	}
	return args
}
