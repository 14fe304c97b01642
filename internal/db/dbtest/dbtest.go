// Package dbtest opens stores of every engine for the tests of other packages.
// A test that runs with Each shows that both engines behave the same.
//
// A test gets a store in one of three ways. Shared is for a test of one Account: it runs beside the tests of other
// Accounts in one database. Own is for a test of a whole database, such as one that leases slices of any Account. New
// is for a test that opens the store itself.
//
// A package whose tests use dbtest must call Main in its TestMain.
package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/db"
	"enlist/internal/db/jobqueue"
	"enlist/internal/db/pgtest"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
)

// Engine is a database system in which a store keeps its data.
type Engine struct {
	Name string
	// New returns the address of a new store, as the flag --db takes it. The store has its tables, but no
	// rows.
	New func(t testing.TB) string

	own *pool // of the stores of Own; nil: Own opens a new store for each test
}

// SQLite stores all data in a file. A new store is a copy of one migrated file, because migrating an empty
// file takes ten times as long as copying a migrated file.
var SQLite = Engine{Name: "sqlite", New: func(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "enlist.db")
	if err := writeMigrated(path); err != nil {
		t.Fatal(err)
	}
	return path
}}

// writeMigrated makes a SQLite file that has all migrations.
func writeMigrated(path string) error {
	content, err := migratedFile()
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// migratedFile returns the content of a SQLite file that has all migrations. A test binary makes the file
// once.
var migratedFile = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "enlist-template-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "enlist.db")
	store, err := sqlite.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	// Close copies the content of the write-ahead log into the file.
	if err := store.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// Postgres stores all data on a PostgreSQL server. Tests are skipped if there is no server.
var Postgres = Engine{Name: "postgres", own: new(pool), New: func(t testing.TB) string {
	return pgtest.OpenMigrated(t, func(url string) error {
		s, err := postgres.Open(context.Background(), url, postgres.Options{})
		if err != nil {
			return err
		}
		return s.Close()
	})
}}

// Citus stores all data on a cluster of PostgreSQL servers, with the large tables distributed. Tests are
// skipped if ENLIST_TEST_CITUS is not set.
var Citus = Engine{Name: "citus", New: func(t testing.TB) string {
	return pgtest.OpenCluster(t, func(url string) error {
		ctx := context.Background()
		s, err := postgres.Open(ctx, url, postgres.Options{})
		if err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
		d, err := postgres.OpenDistribution(ctx, url)
		if err != nil {
			return err
		}
		defer d.Close(ctx)
		return d.Run(ctx, func(string) {})
	}, "goose_db_version", "river_migration", "catalogue")
}}

// All has all engines.
var All = []Engine{SQLite, Postgres, Citus}

// Each runs a test on each engine.
func Each(t *testing.T, test func(t *testing.T, e Engine)) {
	for _, e := range All {
		t.Run(e.Name, func(t *testing.T) { test(t, e) })
	}
}

// EachParallel is like Each, for a test that mostly waits. The test runs on both engines at the same time,
// and at the same time as other parallel tests.
func EachParallel(t *testing.T, test func(t *testing.T, e Engine)) {
	t.Parallel()
	for _, e := range All {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			test(t, e)
		})
	}
}

// Store is an open store.
type Store struct {
	db.Engine
	Jobs func(*jobqueue.Config) (*jobqueue.Client, error)

	address    string
	ran        *atomic.Int64
	statements *pgtest.Statements // nil: not PostgreSQL
}

// Open opens the store at an address. wait is the longest time that a search waits for a free connection. A change may
// take five minutes, because the default limit of 10 s is too short on a busy machine: with the race detector, twelve
// bulk calls of one List took longer than a minute.
func Open(ctx context.Context, address string, wait time.Duration) (*Store, error) {
	ran := new(atomic.Int64)
	count := func(string) { ran.Add(1) }
	if isPostgres(address) {
		statements := new(pgtest.Statements)
		s, err := postgres.Open(ctx, address, postgres.Options{Wait: wait, UpdateTime: 5 * time.Minute,
			Tracer: statements, Trace: count})
		if err != nil {
			return nil, err
		}
		return &Store{s, s.Jobs, address, ran, statements}, nil
	}
	s, err := sqlite.Open(ctx, address, sqlite.Options{Wait: wait, Trace: count})
	if err != nil {
		return nil, err
	}
	return &Store{s, s.Jobs, address, ran, nil}, nil
}

// Address returns the address of the store, for a process that opens it too.
func (s *Store) Address() string { return s.address }

// Statements returns how many statements the store has run.
func (s *Store) Statements() int64 { return s.ran.Load() }

// check fails a test that made the store prepare a statement that cannot run on a Citus cluster.
func (s *Store) check(t testing.TB) {
	t.Helper()
	if s.statements != nil {
		s.statements.Check(t)
	}
}

// Waiting returns how many jobs of a kind wait in the queue.
func (s *Store) Waiting(t testing.TB, kind string) (n int) {
	t.Helper()
	count := "SELECT count(*) FROM river_job WHERE state = 'available' AND kind = '" + kind + "'"
	err := query(t.Context(), s.address, count, func(scan func(...any) error) error { return scan(&n) })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// WaitingArgs returns the JSON of the jobs of a kind that wait in the queue, the oldest first.
func (s *Store) WaitingArgs(t testing.TB, kind string) (all []string) {
	t.Helper()
	args := "SELECT CAST(args AS TEXT) FROM river_job WHERE state = 'available' AND kind = '" + kind + "' ORDER BY id"
	err := query(t.Context(), s.address, args, func(scan func(...any) error) error {
		all = append(all, "")
		return scan(&all[len(all)-1])
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Analyze collects the statistics of the tables, as PostgreSQL does by itself within a minute. Without them it may
// choose plans that are quick only for a few rows.
func (s *Store) Analyze(t testing.TB) {
	t.Helper()
	if err := execute(t.Context(), s.address, "ANALYZE"); err != nil {
		t.Fatal(err)
	}
}

// Columns returns the names of the columns of each table, by the name of the table.
func (s *Store) Columns(t testing.TB) map[string][]string {
	t.Helper()
	all := "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'"
	if isPostgres(s.address) {
		all = `SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid WHERE relkind IN ('r', 'p')
			AND NOT relispartition AND attnum > 0 AND NOT attisdropped AND relnamespace = current_schema()::regnamespace`
	}
	columns := make(map[string][]string)
	err := query(t.Context(), s.address, all, func(scan func(...any) error) error {
		var table, column string
		err := scan(&table, &column)
		columns[table] = append(columns[table], column)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return columns
}

func isPostgres(address string) bool { return strings.HasPrefix(address, "postgres:") }

// AgeKilledJobs changes a database as if the process that ran its jobs had been killed an hour ago. So a test
// does not wait until the jobs are resumed. Jobs that failed are due too: after four attempts, they would wait for
// minutes.
func AgeKilledJobs(ctx context.Context, address string) error {
	earlier := func(column string) string {
		if isPostgres(address) {
			return column + " = " + column + " - INTERVAL '1 hour'"
		}
		return column + " = strftime('%Y-%m-%d %H:%M:%f', " + column + ", '-1 hour')"
	}
	return executeAll(ctx, address,
		"UPDATE river_job SET "+earlier("attempted_at")+" WHERE state = 'running'",
		"UPDATE river_job SET "+earlier("scheduled_at")+" WHERE state = 'retryable'")
}

// EndLeases ends the leases of slices of Batches and of imports, as if the processes that had them had been killed
// minutes ago.
func EndLeases(ctx context.Context, address string) error {
	return executeAll(ctx, address, "UPDATE batch_slice SET lease_time = 0 WHERE done = 0",
		"UPDATE import SET lease_until = 0 WHERE lease_until > 0")
}

// executeAll runs statements one after another.
func executeAll(ctx context.Context, address string, statements ...string) error {
	for _, statement := range statements {
		if err := execute(ctx, address, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// execute runs a statement on a connection of its own.
func execute(ctx context.Context, address, statement string) error {
	if isPostgres(address) {
		conn, err := pgx.Connect(ctx, address)
		if err != nil {
			return err
		}
		defer conn.Close(context.WithoutCancel(ctx))
		_, err = conn.Exec(ctx, statement)
		return err
	}
	db, err := OpenSQLiteFile(address)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, statement)
	return err
}

// query reads rows on a connection of its own. each reads the columns of a row.
func query(ctx context.Context, address, statement string, each func(scan func(...any) error) error) error {
	open := OpenSQLiteFile
	if isPostgres(address) {
		open = func(url string) (*sql.DB, error) { return sql.Open("pgx", url) }
	}
	db, err := open(address)
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Opened opens the store at an address until the test ends.
func Opened(t testing.TB, address string) *Store {
	t.Helper()
	s, err := Open(t.Context(), address, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// OpenSQLiteFile opens a SQLite file with the driver of this build. A store may have the file open at the
// same time.
func OpenSQLiteFile(path string) (*sql.DB, error) {
	driver := "sqlite"
	if slices.Contains(sql.Drivers(), "sqlite3") {
		driver = "sqlite3"
	}
	return sql.Open(driver, path)
}
