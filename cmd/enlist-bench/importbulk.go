package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file has the comparison of the part "import": the engine's own bulk insert of the same rows into a table with the
// columns and indexes of Contacts, and the engine's own reading of them. There is no ledger, no result of each row, no
// check of a value, and one commit for all rows.

// bulkInsert inserts rows.
func (in *importList) bulkInsert(rows []bulkRow) (o outcome, err error) {
	began := time.Now()
	if isPostgres(in.db) {
		err = in.copyIn(rows)
	} else {
		began, err = in.insertMany(rows)
	}
	return outcome{calls: len(rows), elapsed: time.Since(began)}, err
}

// foreignList is the ID of a List that does not exist. So the server never reads the rows of bulkInsert.
const foreignList = 1_000_000

// bulkCopied are the columns of PostgreSQL's bulk insert.
var bulkCopied = []string{"list_id", "dedupe_key", "creation_time", "last_modified_time", "subscribed_via",
	"double_opt_in", "double_opt_in_time", "is_active", "is_bounce_deactivated", "is_unsubscribed",
	"last_click_time", "last_message_time", "last_open_time", "webform_id", "preference_values", "field_values"}

// copyIn inserts rows with COPY.
func (in *importList) copyIn(rows []bulkRow) error {
	conn, err := in.connect()
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(in.ctx))
	now := time.Now().Unix()
	from := pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		return []any{int64(foreignList), rows[i].key, now, now, "bulk_upload", 0, 0, 1, 0, 0, 0, 0, 0, 0, "", rows[i].doc}, nil
	})
	_, err = conn.CopyFrom(in.ctx, pgx.Identifier{"contact"}, bulkCopied, from)
	return err
}

func (in *importList) connect() (*pgx.Conn, error) {
	conn, err := pgx.Connect(in.ctx, in.db)
	if err != nil {
		return nil, errors.New("connect to the database of --postgres") // pgx would show its password
	}
	return conn, nil
}

// bulkStep is the number of rows of one INSERT on SQLite.
const bulkStep = 100

// insertMany inserts rows into a database of SQLite with prepared statements of several rows. It returns when the
// INSERTs began.
func (in *importList) insertMany(rows []bulkRow) (began time.Time, err error) {
	db, err := in.openBare()
	if err != nil {
		return began, err
	}
	defer db.Close()
	const row = ",(?,?,?,?,'bulk_upload',0,0,1,0,0,0,0,0,0,'',jsonb(?))"
	const into = `INSERT INTO contact (list_id, dedupe_key, creation_time, last_modified_time, subscribed_via,
		double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
		last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values) VALUES `
	began = time.Now()
	tx, err := db.BeginTx(in.ctx, nil)
	if err != nil {
		return began, err
	}
	defer tx.Rollback()
	insert, err := tx.PrepareContext(in.ctx, into+strings.Repeat(row, bulkStep)[1:])
	if err != nil {
		return began, err
	}
	args := make([]any, 0, 5*bulkStep)
	for part := range slices.Chunk(rows, bulkStep) {
		args = args[:0]
		for i := range part {
			args = append(args, foreignList, part[i].key, began.Unix(), began.Unix(), part[i].doc)
		}
		if len(part) < bulkStep {
			_, err = tx.ExecContext(in.ctx, into+strings.Repeat(row, len(part))[1:], args...)
		} else {
			_, err = insert.ExecContext(in.ctx, args...)
		}
		if err != nil {
			return began, err
		}
	}
	return began, tx.Commit()
}

// openBare opens a database that has only the table of Contacts with its indexes. It has the settings of enlist.
func (in *importList) openBare() (*sql.DB, error) {
	bare, err := openSQLite(filepath.Join(in.Dir, "bulk.db"))
	if err != nil {
		return nil, err
	}
	var tables int
	err = bare.QueryRowContext(in.ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	statements := []string{"PRAGMA synchronous = FULL"}
	if err == nil && tables == 0 {
		var definitions []string
		definitions, err = in.definitions()
		statements = append(append(statements, "PRAGMA journal_mode = WAL"), definitions...)
	}
	for n := 0; n < len(statements) && err == nil; n++ {
		_, err = bare.ExecContext(in.ctx, statements[n])
	}
	if err != nil {
		return nil, errors.Join(err, bare.Close())
	}
	return bare, nil
}

// definitions returns the statements that create the table of Contacts and its indexes.
func (in *importList) definitions() (all []string, err error) {
	db, err := openSQLite(in.db)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	found, err := db.QueryContext(in.ctx, `SELECT sql FROM sqlite_schema WHERE tbl_name = 'contact' AND sql <> ''
		ORDER BY type = 'table' DESC`)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var text string
		if err := found.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, found.Err()
}

// openSQLite opens a database file with the driver of this build, on one connection.
func openSQLite(path string) (*sql.DB, error) {
	driver := "sqlite3"
	if !slices.Contains(sql.Drivers(), driver) {
		driver = "sqlite"
	}
	db, err := sql.Open(driver, (&url.URL{Scheme: "file", Opaque: path}).String())
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// bulkRead reads all Contacts of the List as the engine stores them.
func (in *importList) bulkRead() (o outcome, err error) {
	const all = "SELECT * FROM contact WHERE list_id = %d ORDER BY id"
	began, n := time.Now(), int64(0)
	if isPostgres(in.db) {
		n, err = in.copyOut(fmt.Sprintf("COPY ("+all+") TO STDOUT", in.list))
	} else {
		n, err = in.readRows(fmt.Sprintf(all, in.list))
	}
	return outcome{calls: int(n), elapsed: time.Since(began)}, err
}

func (in *importList) copyOut(query string) (int64, error) {
	conn, err := in.connect()
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(in.ctx))
	done, err := conn.PgConn().CopyTo(in.ctx, io.Discard, query)
	return done.RowsAffected(), err
}

// readRows reads the rows of a query on SQLite.
func (in *importList) readRows(query string) (n int64, err error) {
	db, err := openSQLite(in.db)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	rows, err := db.QueryContext(in.ctx, query)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	values, at := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range values {
		at[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			return 0, err
		}
		n++
	}
	return n, rows.Err()
}
