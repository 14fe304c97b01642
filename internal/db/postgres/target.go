package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file is the database into which package dbcopy copies another database, table by table. The table copy_progress
// has the names of the tables that are copied. Finish drops it. While it exists, Open refuses the database.

// Target is the database into which another database is copied. It has one connection, so its
// methods must not be called by several goroutines at the same time.
type Target struct {
	conn *pgx.Conn
}

var (
	errUnfinished = errors.New("the copy into it is not finished: " +
		"run enlist copy again, which continues where it stopped")
	errCopying = errors.New("another enlist copy is running: wait until it has finished")
)

// copyLock is the number of the advisory lock of the process that copies: "copy" in
// ASCII.
const copyLock = 0x636f7079

// OpenTarget opens the database at a URL and creates the tables if the database has none. It
// then starts a copy, or continues an interrupted copy. It returns an error if the database has
// rows that are not from such a copy.
func OpenTarget(ctx context.Context, url string) (*Target, error) {
	config, err := parse(url)
	if err != nil {
		return nil, errors.New("it is no URL of a PostgreSQL database: postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	}
	t := new(Target)
	if err := t.open(ctx, config); err != nil {
		return nil, fmt.Errorf("open %s: %w", shown(config), err)
	}
	return t, nil
}

func (t *Target) open(ctx context.Context, config *pgxpool.Config) (err error) {
	if err := migrate(ctx, config, Options{copying: true, Log: slog.New(slog.DiscardHandler)}); err != nil {
		return err
	}
	// This is safe: if a crash of the server loses the rows of a table, it also loses its entry in copy_progress. So the
	// next copy writes these rows again.
	config.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	config.ConnConfig.RuntimeParams["application_name"] = "enlist copy"
	config.ConnConfig.RuntimeParams["statement_timeout"] = "0" // the role's limit could be too short to read a table
	t.conn, err = pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return connectError(err)
	}
	if err := t.begin(ctx); err != nil {
		return errors.Join(err, t.Close())
	}
	return nil
}

// Close closes the connection. An unfinished copy can be continued.
func (t *Target) Close() error { return t.conn.Close(context.Background()) }

// begin creates copy_progress in an empty database, unless the table exists already.
func (t *Target) begin(ctx context.Context) error {
	var locked, begun bool
	err := t.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1), to_regclass('copy_progress') IS NOT NULL",
		copyLock).Scan(&locked, &begun)
	switch {
	case err != nil:
		return err
	case !locked:
		return errCopying
	case begun:
		return nil
	}
	tables, err := t.Tables(ctx)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, t.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockExclusive); err != nil {
			return err
		}
		for _, table := range tables {
			var used bool
			err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+table.Name+")").Scan(&used)
			if err == nil && used && table.Name != db.Catalogue {
				err = fmt.Errorf("table %s is not empty: give an empty database", table.Name)
			}
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "CREATE TABLE copy_progress (name TEXT PRIMARY KEY)")
		return err
	})
}

// Tables returns the tables to copy, including the table with the jobs of the queue.
func (t *Target) Tables(ctx context.Context) ([]db.Table, error) { return copiedTables(ctx, t.conn) }

func copiedTables(ctx context.Context, conn *pgx.Conn) (tables []db.Table, err error) {
	rows, err := conn.Query(ctx, `SELECT relname, attname, CASE WHEN typtype = 'e' THEN 'text' ELSE typname END
		FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid JOIN pg_type ON pg_type.oid = atttypid
		WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace
			AND (relname = 'river_job'
				OR relname !~ '^(river|goose)_' AND relname NOT IN ('contact_delta', 'copy_progress'))
			AND NOT EXISTS (SELECT 1 FROM pg_depend
				WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
			AND attnum > 0 AND NOT attisdropped
		ORDER BY relname COLLATE "C", attnum`)
	if err != nil {
		return nil, err
	}
	var table, column, kind string
	_, err = pgx.ForEachRow(rows, []any{&table, &column, &kind}, func() error {
		form, ok := forms[kind]
		if !ok {
			return fmt.Errorf("%s of %s is a %s, which cannot be copied", column, table, kind)
		}
		if len(tables) == 0 || tables[len(tables)-1].Name != table {
			tables = append(tables, db.Table{Name: table})
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, db.Column{Name: column, Form: form})
		return nil
	})
	return tables, err
}

// forms has the form in which the values of each PostgreSQL type are copied.
var forms = map[string]db.Form{
	"int2": db.Number, "int4": db.Number, "int8": db.Number,
	"text": db.Text, "varchar": db.Text, "_text": db.Texts, "_varchar": db.Texts,
	"jsonb": db.Document, "_jsonb": db.Documents,
	"bytea": db.Bytes, "timestamptz": db.Time, "bit": db.Bits,
}

// IsCopied reports whether an interrupted copy has copied all rows of a table.
func (t *Target) IsCopied(ctx context.Context, table *db.Table) (copied bool, err error) {
	err = t.conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM copy_progress WHERE name = $1)", table.Name).Scan(&copied)
	return copied, err
}

// Write writes a table in one transaction, which records that the table is copied. It calls rows with a function that
// stores one normalised row.
func (t *Target) Write(ctx context.Context, table *db.Table, rows func(write func([]driver.Value) error) error) error {
	return pgx.BeginFunc(ctx, t.conn, func(tx pgx.Tx) error {
		if table.Name == db.Catalogue {
			if _, err := tx.Exec(ctx, "DELETE FROM "+table.Name); err != nil {
				return err
			}
		}
		if err := copyRows(ctx, tx, table, rows); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO copy_progress (name) VALUES ($1)", table.Name)
		return err
	})
}

// Each calls fn with every row of a table. The next call can overwrite the slice.
func (t *Target) Each(ctx context.Context, table *db.Table, fn func(row []driver.Value) error) error {
	return eachRow(ctx, t.conn, table, fn)
}

func eachRow(ctx context.Context, conn *pgx.Conn, table *db.Table, fn func(row []driver.Value) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows, err := conn.Query(ctx, "SELECT "+table.List(readExpression)+" FROM "+table.Name)
	if err != nil {
		return err
	}
	defer rows.Close()
	row, decoder := make([]driver.Value, len(table.Columns)), decoder{conn.TypeMap(), true}
	for rows.Next() {
		err := decoder.decodeRow(row, rows.FieldDescriptions(), rows.RawValues())
		if err == nil {
			err = fn(row)
		}
		if err != nil {
			cancel() // so that Close does not read the remaining rows
			return err
		}
	}
	return rows.Err()
}

// readExpression returns the SQL expression that reads a column in the form c.Form.
func readExpression(c db.Column) string {
	switch c.Form {
	case db.Text, db.Document:
		return "CAST(" + c.Name + " AS TEXT)"
	case db.Documents, db.Texts:
		return "CAST(to_jsonb(" + c.Name + ") AS TEXT)"
	case db.Time:
		return "CAST(extract(epoch FROM " + c.Name + ") * 1000 AS BIGINT)"
	case db.Bits:
		return "CAST(" + c.Name + " AS INTEGER)"
	}
	return c.Name
}

// Finish sets the sequence of each table's IDs to the last ID that the source database has used, and adds changes to the
// numbers of Contacts. It drops copy_progress and waits until all data is on disk. After that, Open accepts the database.
func (t *Target) Finish(ctx context.Context, last map[string]int64, changes []db.CountChange) error {
	// Without statistics the server chooses bad plans for the first searches.
	if _, err := t.conn.Exec(ctx, "ANALYZE"); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, t.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = on"); err != nil {
			return err
		}
		for table, id := range last {
			if id == 0 {
				continue
			}
			_, err := tx.Exec(ctx, `SELECT setval(CASE $1 WHEN 'contact' THEN 'contact_id'
				WHEN 'consent' THEN 'consent_number' ELSE pg_get_serial_sequence($1, 'id') END, $2)`, table, id)
			if err != nil {
				return fmt.Errorf("set the IDs of %s: %w", table, err)
			}
		}
		for _, c := range changes {
			_, err := tx.Exec(ctx, `WITH of_list AS (UPDATE list SET contact_count = contact_count + $3 WHERE id = $1)
				UPDATE account SET contact_count = contact_count + $3 WHERE id = $2`, c.List, c.Account, c.N)
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, "DROP TABLE copy_progress")
		return err
	})
}
