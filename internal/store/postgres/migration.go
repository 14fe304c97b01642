package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"

	"enlist/internal/store/sqlstore"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Migrations run while the version before serves, on tables of any size. So what
// one changes must be no harm to that version, and nobody may wait long for it.
//
// A file with nothing about transactions is one transaction of statements that are
// done at once but need a table to themselves: a column with a constant default, a
// constraint NOT VALID, an index ON ONLY the table that has partitions. Whoever waits
// for a table holds up all who come after, so it does not wait for long, and tries
// again (insist). A file with NO TRANSACTION may take hours, of locks that disturb
// nobody: CREATE INDEX CONCURRENTLY, on each partition, VALIDATE CONSTRAINT. It is run
// again from its start when it breaks off, so it drops each index before making it.
// TestMigrationsTakeNoLongLocks knows what is allowed.

//go:embed migrations/*.sql
var migrations embed.FS

// migrator brings the tables up to date.
type migrator struct {
	config *pgxpool.Config
	files  fs.FS
	log    *slog.Logger
	goose  *goose.Provider
}

func (m *migrator) provider(db *sql.DB) (*goose.Provider, error) {
	return goose.NewProvider(goose.DialectPostgres, db, m.files, goose.WithSlog(m.log))
}

// queue is the migrator of the queue library. To ask what it knows takes no pool.
func (m *migrator) queue(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	return rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: m.log})
}

// done reports whether nothing is to be done, changing nothing.
func (m *migrator) done(ctx context.Context, conn *pgxpool.Conn) (bool, error) {
	var ours, queues bool
	err := conn.QueryRow(ctx, "SELECT to_regclass('goose_db_version') IS NOT NULL, to_regclass('river_migration') IS NOT NULL").Scan(&ours, &queues)
	if err != nil || !ours || !queues {
		return false, err
	}
	var has, river int64
	err = conn.QueryRow(ctx, "SELECT (SELECT coalesce(max(version_id), 0) FROM goose_db_version), (SELECT coalesce(max(version), 0) FROM river_migration)").Scan(&has, &river)
	if err != nil {
		return false, err
	}
	queue, err := m.queue(nil)
	if err != nil {
		return false, err
	}
	sources, steps := m.goose.ListSources(), queue.AllVersions()
	knows := sources[len(sources)-1].Version
	if !sqlstore.SupportsVersion(has, knows) {
		return false, errNewer
	}
	return has >= knows && river >= int64(steps[len(steps)-1].Version), nil
}

// run applies what is not applied yet: file by file, and the queue's own. Whoever
// breaks it off has it taken up where it was.
func (m *migrator) run(ctx context.Context, conn *pgxpool.Conn) error {
	has, knows, err := m.goose.GetVersions(ctx)
	if err != nil {
		return err
	}
	if !sqlstore.SupportsVersion(has, knows) {
		return errNewer
	}
	for _, source := range m.goose.ListSources() {
		if source.Version <= has {
			continue
		}
		if err := conn.Ping(ctx); err != nil { // with the connection the turn is lost
			return err
		}
		if err := m.apply(ctx, conn, source); err != nil {
			return err
		}
	}
	return m.insist(ctx, conn, "those of the queue", func(pool *pgxpool.Pool) error {
		queue, err := m.queue(pool)
		if err != nil {
			return err
		}
		_, err = queue.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
}

// apply applies a file.
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
		return m.once(ctx, 0, do) // an index waits for all transactions of before, which may be long
	}
	return m.insist(ctx, conn, path.Base(source.Path), do)
}

const (
	// A migration that waits for a lock holds up all who come after it, for shortLock
	// at most. Every patientTry it waits for longer than it takes the server
	// (deadlock_timeout, 1 s) to end an autovacuum that is in the way.
	shortLock   = 200 * time.Millisecond
	longLock    = 1500 * time.Millisecond
	patientTry  = 10
	betweenLock = time.Second
)

// insist does something that needs locks, until it has got them.
func (m *migrator) insist(ctx context.Context, conn *pgxpool.Conn, what string, do func(*pgxpool.Pool) error) error {
	for try := 1; ; try++ {
		lock := shortLock
		if try%patientTry == 0 {
			lock = longLock
		}
		err := m.once(ctx, lock, do)
		if !waits(err) {
			return err
		}
		level := slog.LevelDebug
		if try%patientTry == 1 {
			level = slog.LevelWarn
		}
		m.log.Log(ctx, level, "tables are in use by a transaction and cannot be changed yet; it is tried again until that has ended",
			"migration", what, "oldest", oldest(ctx, conn))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(betweenLock):
		}
	}
}

// once does something on connections that wait for a lock so long; 0: for ever.
func (m *migrator) once(ctx context.Context, lock time.Duration, do func(*pgxpool.Pool) error) error {
	pool, err := migratingPool(ctx, m.config, lock)
	if err != nil {
		return err
	}
	defer pool.Close()
	return do(pool)
}

// waits reports whether a lock was not to be had.
func waits(err error) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains([]string{"55P03", "40P01"}, server.Code)
}

// oldest names the oldest transaction, which is most likely to be in the way.
func oldest(ctx context.Context, conn *pgxpool.Conn) string {
	var pid int
	var program string
	var since time.Time
	err := conn.QueryRow(ctx, `SELECT pid, coalesce(nullif(application_name, ''), backend_type, ''), xact_start FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1`).Scan(&pid, &program, &since)
	if err != nil { // it has ended by now
		return ""
	}
	return fmt.Sprintf("process %d, %s, since %s", pid, program, since.UTC().Format(time.RFC3339))
}

// migratingPool is for migrations, whatever the role's own limits are.
func migratingPool(ctx context.Context, config *pgxpool.Config, lock time.Duration) (*pgxpool.Pool, error) {
	return newPool(ctx, writable(cancelling(config)), 4, map[string]string{
		"lock_timeout":                        milliseconds(lock),
		"statement_timeout":                   "0",
		"idle_in_transaction_session_timeout": "0",
		"idle_session_timeout":                "0", // whose turn it is waits on a connection of its own
	})
}
