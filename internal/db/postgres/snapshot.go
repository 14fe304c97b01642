package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// This file reads the complete database for a backup, in one transaction.

// Snapshot reads all tables in one transaction (REPEATABLE READ), so it sees the database at one moment.
// Servers may write meanwhile. Its methods must not be called by several goroutines at the same time.
type Snapshot struct {
	conn *pgx.Conn
}

var errClusterBackup = errors.New("its tables are on several servers (Citus), which have no common snapshot: " +
	"back up each server with pg_basebackup and its WAL, and restore all of them to the same point of " +
	"citus_create_restore_point (doc/postgresql.md)")

// OpenSnapshot starts the transaction. It returns an error for a database without the tables of enlist. Errors do not
// contain the URL's password.
func OpenSnapshot(ctx context.Context, url string) (*Snapshot, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	s := new(Snapshot)
	if err := s.open(ctx, config); err != nil {
		return nil, fmt.Errorf("open %s: %w", shown(config), err)
	}
	return s, nil
}

func (s *Snapshot) open(ctx context.Context, config *pgxpool.Config) (err error) {
	// The limits of the role could be too short to read a table.
	for name, value := range map[string]string{"application_name": "enlist backup", "statement_timeout": "0",
		"idle_in_transaction_session_timeout": "0", "default_transaction_read_only": "on"} {
		config.ConnConfig.RuntimeParams[name] = value
	}
	s.conn, err = pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return connectError(err)
	}
	var ours, copying, cluster bool
	_, err = s.conn.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	if err == nil {
		err = s.conn.QueryRow(ctx, `SELECT to_regclass('goose_db_version') IS NOT NULL,
			to_regclass('copy_progress') IS NOT NULL, to_regclass('two_phase') IS NOT NULL`).Scan(&ours, &copying,
			&cluster)
	}
	switch {
	case err != nil:
	case !ours:
		err = errEmpty
	case copying:
		err = errUnfinished
	case cluster:
		err = errClusterBackup
	}
	if err != nil {
		s.Close()
	}
	return err
}

// Close ends the transaction and closes the connection.
func (s *Snapshot) Close() error { return s.conn.Close(context.Background()) }

// Tables returns the tables to copy, without their keys.
func (s *Snapshot) Tables(ctx context.Context) ([]db.Table, error) {
	return copiedTables(ctx, s.conn)
}

// Count returns about how many rows a table has, for progress.
func (s *Snapshot) Count(ctx context.Context, table *db.Table) (n int64, err error) {
	err = s.conn.QueryRow(ctx, "SELECT count(*) FROM "+table.Name).Scan(&n)
	return n, err
}

// Each calls fn with every row of a table, in no particular order. The next call can overwrite the slice.
func (s *Snapshot) Each(ctx context.Context, table *db.Table, fn func(row []driver.Value) error) error {
	return eachRow(ctx, s.conn, table, fn)
}

// CountChanges returns the changes of the numbers of Contacts that are not added to the stored counts.
func (s *Snapshot) CountChanges(ctx context.Context) ([]db.CountChange, error) {
	rows, err := s.conn.Query(ctx,
		"SELECT list_id, account_id, CAST(sum(n) AS BIGINT) FROM contact_delta GROUP BY list_id, account_id")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[db.CountChange])
}

// LastIDs returns the last ID that each of the tables has used. Sequences belong to no snapshot, so call LastIDs after
// the rows are read: then the IDs are at least those of the rows.
func (s *Snapshot) LastIDs(ctx context.Context, tables []string) (map[string]int64, error) {
	last := make(map[string]int64)
	for _, table := range tables {
		var id int64
		err := s.conn.QueryRow(ctx, `SELECT coalesce(pg_sequence_last_value(CASE $1 WHEN 'contact' THEN 'contact_id'
			ELSE pg_get_serial_sequence($1, 'id') END::regclass), 0)`, table).Scan(&id)
		if err != nil {
			return nil, fmt.Errorf("read the last ID of %s: %w", table, err)
		}
		last[table] = id
	}
	return last, nil
}
