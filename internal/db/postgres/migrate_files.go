package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"

	"enlist/internal/db"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// This file applies migrations: first the SQL files, then the migrations of the job
// queue.
//
// Migrations run while the previous version of the program serves calls, on tables of
// any size. A migration must not break that version, and no call may wait long for a
// migration.
//
// By default a file is one transaction. Its statements lock a table exclusively, but
// finish at once. They add a column with a constant default, a constraint NOT VALID, or
// an index ON ONLY the partitioned table. While a statement waits for such a lock, all
// later calls that use the table wait too. So the statement waits only for a short time. If
// it does not get the lock, the transaction is repeated (retryOnLockTimeout).
//
// A file with NO TRANSACTION may run for hours, because its locks block neither reads
// nor writes. Examples are CREATE INDEX CONCURRENTLY on each partition, and VALIDATE
// CONSTRAINT. An interrupted file runs again from its start, so it must drop each index
// before it creates the index. TestMigrationsTakeNoLongLocks has the list of allowed
// statements.

//go:embed migrations/*.sql
var migrations embed.FS

// migrator applies the migrations in files that the database does not have yet.
type migrator struct {
	config *pgxpool.Config
	files  fs.FS
	log    *slog.Logger
	goose  *goose.Provider                 // reads which migrations are applied; apply makes others
	pools  map[time.Duration]*pgxpool.Pool // of withPool, by the longest time that a statement waits for a lock
}

// provider returns a goose provider. It records applied files in the table
// goose_db_version.
func (m *migrator) provider(db *sql.DB) (*goose.Provider, error) {
	return goose.NewProvider(goose.DialectPostgres, db, m.files, goose.WithSlog(m.log))
}

// queue returns the migrator of the queue library. If the caller uses it only to read the
// library's versions, pool can be nil.
func (m *migrator) queue(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	return rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: m.log})
}

// done reports whether the database has all migrations. It changes nothing.
func (m *migrator) done(ctx context.Context, conn *pgxpool.Conn) (bool, error) {
	var ours, queues bool
	err := conn.QueryRow(ctx, `SELECT to_regclass('goose_db_version') IS NOT NULL,
		to_regclass('river_migration') IS NOT NULL`).Scan(&ours, &queues)
	if err != nil || !ours || !queues {
		return false, err
	}
	var has, river int64
	err = conn.QueryRow(ctx, `SELECT (SELECT coalesce(max(version_id), 0) FROM goose_db_version),
		(SELECT coalesce(max(version), 0) FROM river_migration)`).Scan(&has, &river)
	if err != nil {
		return false, err
	}
	queue, err := m.queue(nil)
	if err != nil {
		return false, err
	}
	sources, steps := m.goose.ListSources(), queue.AllVersions()
	knows := sources[len(sources)-1].Version
	if err := db.CheckVersion(has, knows); err != nil {
		return false, err
	}
	return has >= knows && river >= int64(steps[len(steps)-1].Version), nil
}

// run applies the missing migrations: file by file, then those of the queue library.
// After an interruption the next run continues with the file that was interrupted.
func (m *migrator) run(ctx context.Context, conn *pgxpool.Conn) error {
	has, knows, err := m.goose.GetVersions(ctx)
	if err != nil {
		return err
	}
	if err := db.CheckVersion(has, knows); err != nil {
		return err
	}
	for _, source := range m.goose.ListSources() {
		if source.Version <= has {
			continue
		}
		if err := conn.Ping(ctx); err != nil { // PostgreSQL releases the advisory lock if the connection is lost
			return err
		}
		if err := m.apply(ctx, conn, source); err != nil {
			return err
		}
	}
	return m.retryOnLockTimeout(ctx, conn, "migrations of the job queue", func(pool *pgxpool.Pool) error {
		queue, err := m.queue(pool)
		if err != nil {
			return err
		}
		_, err = queue.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
}

// apply applies one file.
func (m *migrator) apply(ctx context.Context, conn *pgxpool.Conn, source *goose.Source) error {
	text, err := fs.ReadFile(m.files, source.Path)
	if err != nil {
		return err
	}
	do := func(pool *pgxpool.Pool) error {
		db := stdlib.OpenDBFromPool(pool)
		defer db.Close()
		provider, err := m.provider(db)
		if err != nil {
			return err
		}
		_, err = provider.ApplyVersion(ctx, source.Version, true)
		return err
	}
	if strings.Contains(string(text), "+goose NO TRANSACTION") {
		return m.withPool(ctx, 0, do) // no limit: CREATE INDEX CONCURRENTLY waits for all older transactions
	}
	return m.retryOnLockTimeout(ctx, conn, path.Base(source.Path), do)
}

const (
	// While a migration waits for a lock, all later calls wait too. So most attempts wait for
	// shortLock at most. Every tenth attempt (longEvery) may wait for longLock. This is longer
	// than deadlock_timeout (1 s), after which PostgreSQL cancels an autovacuum that holds the
	// lock.
	shortLock = 200 * time.Millisecond
	longLock  = 1500 * time.Millisecond
	longEvery = 10
	lockPause = time.Second // between attempts
)

// retryOnLockTimeout repeats do until it gets its locks. The parameter what is the name of
// the migration in the log.
func (m *migrator) retryOnLockTimeout(ctx context.Context, conn *pgxpool.Conn, what string,
	do func(*pgxpool.Pool) error) error {
	for attempt := 1; ; attempt++ {
		lock := shortLock
		if attempt%longEvery == 0 {
			lock = longLock
		}
		err := m.withPool(ctx, lock, do)
		if !lockTimedOut(err) {
			return err
		}
		level := slog.LevelDebug
		if attempt%longEvery == 1 {
			level = slog.LevelWarn
		}
		m.log.Log(ctx, level, "tables are in use by a transaction; the migration is repeated until it has ended",
			"migration", what, "oldest", oldestTransaction(ctx, conn))
		if err := sleep(ctx, lockPause); err != nil {
			return err
		}
	}
}

// withPool runs do with a pool for migrations. The parameter lock is the longest time that a
// statement waits for a lock; 0 means no limit. The pool stays open for further migrations.
func (m *migrator) withPool(ctx context.Context, lock time.Duration, do func(*pgxpool.Pool) error) error {
	if m.pools[lock] == nil {
		pool, err := migratingPool(ctx, m.config, lock)
		if err != nil {
			return err
		}
		m.pools[lock] = pool
	}
	return do(m.pools[lock])
}

// close closes the pools.
func (m *migrator) close() {
	for _, pool := range m.pools {
		pool.Close()
	}
}

// lockTimedOut reports whether a statement did not get a lock: 55P03 timeout, 40P01
// deadlock.
func lockTimedOut(err error) bool { return slices.Contains([]string{"55P03", "40P01"}, sqlState(err)) }

// oldestTransaction describes the oldest transaction for the log, because that
// transaction most probably holds the lock.
func oldestTransaction(ctx context.Context, conn *pgxpool.Conn) string {
	var pid int
	var program string
	var since time.Time
	err := conn.QueryRow(ctx, `SELECT pid, coalesce(nullif(application_name, ''), backend_type, ''), xact_start
		FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
		ORDER BY xact_start LIMIT 1`).Scan(&pid, &program, &since)
	if err != nil { // no transaction is left, or the query failed
		return ""
	}
	return fmt.Sprintf("process %d, %s, since %s", pid, program, since.UTC().Format(time.RFC3339))
}

// migratingPool returns a pool for migrations and for search indexes. Its settings
// override the time limits of the role.
func migratingPool(ctx context.Context, config *pgxpool.Config, lock time.Duration) (*pgxpool.Pool, error) {
	return newPool(ctx, writable(cancelling(config)), 4, map[string]string{
		"lock_timeout":                        milliseconds(lock),
		"statement_timeout":                   "0",
		"idle_in_transaction_session_timeout": "0",
		"idle_session_timeout":                "0", // the connection with the advisory lock is idle
	})
}
