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

// This file reads the complete database for a backup or a copy, in one transaction.

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
	var version int64
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
	default:
		err = s.conn.QueryRow(ctx, db.SchemaVersion).Scan(&version)
	}
	if err == nil {
		err = db.CheckCopied(version)
	}
	if err != nil {
		s.Close()
	}
	return err
}

// Close ends the transaction and closes the connection.
func (s *Snapshot) Close() error { return s.conn.Close(context.Background()) }

// IsServed reports whether a server or a command uses the database. It does not see those of other roles, unless the own
// role is a superuser or a member of pg_read_all_stats.
func (s *Snapshot) IsServed(ctx context.Context) (is bool, err error) {
	err = s.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
		AND pid <> pg_backend_pid() AND application_name LIKE 'enlist%')`).Scan(&is)
	return is, err
}

// Tables returns the tables to copy.
func (s *Snapshot) Tables(ctx context.Context) ([]db.Table, error) { return copiedTables(ctx, s.conn) }

// Count returns the number of rows of a table, for progress.
func (s *Snapshot) Count(ctx context.Context, table *db.Table) (n int64, err error) {
	err = s.conn.QueryRow(ctx, "SELECT count(*) FROM "+table.Name).Scan(&n)
	return n, err
}

// Each calls fn with every row of a table. The next call can overwrite the slice.
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

// lastIDs selects the last number of each sequence, with the table that has it.
const lastIDs = `SELECT t.relname, coalesce(pg_sequence_last_value(d.objid::regclass), 0)
	FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S' JOIN pg_class t ON t.oid = d.refobjid
	WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
		AND t.relnamespace = current_schema()::regnamespace
	UNION ALL SELECT 'contact', coalesce(pg_sequence_last_value('contact_id'), 0)
	UNION ALL SELECT 'consent', coalesce(pg_sequence_last_value('consent_number'), 0)`

// LastIDs returns the last ID that each table has used. Sequences belong to no snapshot, so call LastIDs after the rows
// are read: then the IDs are at least those of the rows.
func (s *Snapshot) LastIDs(ctx context.Context) (map[string]int64, error) {
	rows, err := s.conn.Query(ctx, lastIDs)
	if err != nil {
		return nil, err
	}
	last := make(map[string]int64)
	var table string
	var id int64
	_, err = pgx.ForEachRow(rows, []any{&table, &id}, func() error {
		last[table] = id
		return nil
	})
	return last, err
}
