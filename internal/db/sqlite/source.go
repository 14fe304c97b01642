package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"

	"enlist/internal/db"
)

// This file reads complete tables of a SQLite file, for package dbcopy.

// Source reads the tables of a SQLite file that is copied into another database. A Source locks the file exclusively.
// Otherwise a server could store a change that the copy would not contain.
type Source struct {
	conn *dbConn
}

var errServed = errors.New("another process has it open: stop the service, and try again")

// OpenSource opens an existing database and locks the file exclusively until Close. It applies pending migrations, but
// not to a file of a version before 1.0.0.
func OpenSource(ctx context.Context, path string) (*Source, error) {
	err := prepare(ctx, path)
	if errors.Is(err, db.ErrOld) {
		err = nil
	}
	conn, err := bareConnection(path, err)
	switch {
	case isBusy(err): // another Source has locked the file
		return nil, openError(path, err)
	case err != nil:
		return nil, err
	}
	s := &Source{conn}
	// SQLite takes the exclusive lock at the first read. In WAL mode each open connection has a shared
	// lock. So this read fails if another process has the file open.
	if err := s.checkVersion(ctx); err != nil {
		return nil, errors.Join(openError(path, err), s.Close())
	}
	return s, nil
}

// checkVersion returns an error for a file that is too old to be copied.
func (s *Source) checkVersion(ctx context.Context) error {
	var version int64
	err := s.each(ctx, func(row *db.Cursor) error {
		version = row.Int()
		return nil
	}, db.SchemaVersion)
	if err != nil {
		return err
	}
	return db.CheckCopied(version)
}

// prepare creates the file at path or applies pending migrations.
func prepare(ctx context.Context, path string) error {
	store, err := Open(ctx, path, Options{})
	if err != nil {
		return err
	}
	return store.Close()
}

// bareConnection returns the only connection to a file, which it locks exclusively at its first read. It returns err if
// that is an error.
func bareConnection(path string, err error) (*dbConn, error) {
	if err != nil {
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

// Tables returns the tables to copy: the tables of enlist, and the table of the queue's jobs. The other tables of
// SQLite, goose and River are not copied, because the target database has its own. The tables of Litestream are not
// copied either; their names begin with an underscore.
func (s *Source) Tables(ctx context.Context) (tables []db.Table, err error) {
	err = s.each(ctx, func(row *db.Cursor) error {
		if table := row.Text(); len(tables) == 0 || tables[len(tables)-1].Name != table {
			tables = append(tables, db.Table{Name: table})
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, db.Column{Name: row.Text()})
		return nil
	}, `SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND (m.name = 'river_job'
			OR substr(m.name, 1, instr(m.name, '_')) NOT IN ('sqlite_', 'goose_', 'river_', '_'))
		ORDER BY m.name, c.cid`)
	return tables, err
}

// Count returns the number of rows of a table.
func (s *Source) Count(ctx context.Context, t *db.Table) (n int64, err error) {
	err = s.each(ctx, func(row *db.Cursor) error {
		n = row.Int()
		return nil
	}, "SELECT count(*) FROM "+t.Name)
	return n, err
}

// Each calls fn with every row of a table. The next call can overwrite the slice.
func (s *Source) Each(ctx context.Context, t *db.Table, fn func(row []driver.Value) error) error {
	return s.each(ctx, func(c *db.Cursor) error { return fn(c.Rest()) }, "SELECT "+t.List(readExpr)+" FROM "+t.Name)
}

// readExpr returns the SQL expression that reads a column as Normalise expects it for c.Form.
func readExpr(c db.Column) string {
	switch c.Form {
	case db.Unknown:
		return "+" + c.Name // without the declared type, by which a driver would convert the value
	case db.Document, db.Documents, db.Texts:
		return "json(" + c.Name + ")"
	case db.Time: // the column is a text; for an invalid time the result is 'no time', which Normalise refuses
		return "CASE WHEN " + c.Name + " IS NOT NULL THEN " +
			"coalesce(CAST(round(unixepoch(" + c.Name + ", 'subsec') * 1000) AS INTEGER), 'no time') END"
	}
	return c.Name
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

// CountChanges returns no changes: SQLite stores the numbers of Contacts at once.
func (s *Source) CountChanges(context.Context) ([]db.CountChange, error) { return nil, nil }

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
