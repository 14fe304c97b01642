package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// This file decides whether a database can be used and whether its tables must be
// migrated. migrate_files.go applies the migrations.

var (
	errForeign  = errors.New("there are tables of another program in it; choose another database with --db")
	errEmpty    = errors.New("it has no tables of enlist: check --db, or create them with: enlist serve")
	errTooOld   = errors.New("the server is older than PostgreSQL 15")
	errEncoding = errors.New("its encoding is not UTF8; create one with: createdb --encoding UTF8 --template template0")
)

// migrate brings the tables up to date. If several processes start at the same time, one
// process migrates and the others wait. If all migrations of a process are already applied,
// the process does not wait. So a process of the previous version can restart while the next
// version migrates.
func migrate(ctx context.Context, config *pgxpool.Config, o Options) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	err = migrateTo(ctx, config, o, files)
	if sqlState(err) == "42501" { // insufficient privilege
		name := pgx.Identifier{config.ConnConfig.Database}.Sanitize()
		role := pgx.Identifier{config.ConnConfig.User}.Sanitize()
		err = fmt.Errorf("%w: use the role that owns the database and its tables; to make this role the owner of "+
			"an empty one: ALTER DATABASE %s OWNER TO %s", err, name, role)
	}
	return err
}

// migrateTo applies the migrations in files. Tests pass migrations of their own.
func migrateTo(ctx context.Context, config *pgxpool.Config, o Options, files fs.FS) error {
	pool, err := migratingPool(ctx, config, 0)
	if err != nil {
		return err
	}
	defer pool.Close()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return connectError(err)
	}
	defer conn.Release()
	if err := checkServer(ctx, conn); err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	m := &migrator{config: config, files: files, log: o.Log, pools: make(map[time.Duration]*pgxpool.Pool)}
	defer m.close()
	m.goose, err = m.provider(db)
	if err != nil {
		return err
	}
	if done, err := m.done(ctx, conn); err != nil || done {
		return errors.Join(err, refuseUnfinished(ctx, conn, o.copying))
	}
	if err := lockMigration(ctx, conn, o.Log); err != nil {
		return err
	}
	defer unlockMigration(ctx, conn.Conn())
	if err := refuseForeign(ctx, conn, o.Existing); err != nil {
		return err
	}
	if err := refuseUnfinished(ctx, conn, o.copying); err != nil {
		return err
	}
	return m.run(ctx, conn)
}

// checkServer returns an error when the server is too old or the database's encoding
// is not UTF-8.
func checkServer(ctx context.Context, conn *pgxpool.Conn) error {
	var version int
	var encoding string
	err := conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int,
		current_setting('server_encoding')`).Scan(&version, &encoding)
	switch {
	case err != nil:
		return err
	case version < 150000:
		return fmt.Errorf("%w: it is %d.%d", errTooOld, version/10000, version%10000)
	case encoding != "UTF8":
		return errEncoding
	}
	return nil
}

// migrationLock is the number of the advisory lock of the process that migrates:
// "enlist" in ASCII.
const migrationLock = 0x656e6c697374

// lockMigration waits for the advisory lock. It asks for the lock again and again, because a
// statement that waits for a lock has a snapshot. CREATE INDEX CONCURRENTLY in the process
// that migrates would wait until this snapshot ends.
func lockMigration(ctx context.Context, conn *pgxpool.Conn, log *slog.Logger) error {
	for try := 1; ; try++ {
		var mine bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", migrationLock).Scan(&mine); err != nil || mine {
			return err
		}
		if try == 20 {
			log.Warn("another process migrates the tables; waiting for it")
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// unlockMigration releases the advisory lock. Otherwise PostgreSQL would keep the lock until
// it notices that the connection is closed.
func unlockMigration(ctx context.Context, conn *pgx.Conn) {
	conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationLock)
}

// refuseForeign returns errForeign if the database has tables, but not the table
// goose_db_version. It returns errEmpty if the database has no tables and existing is true.
// It ignores the tables of extensions.
func refuseForeign(ctx context.Context, conn *pgxpool.Conn, existing bool) error {
	var tables int
	var ours bool
	err := conn.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE relname = 'goose_db_version') > 0
		FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
			AND NOT EXISTS (SELECT 1 FROM pg_depend
				WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')`).Scan(&tables, &ours)
	switch {
	case err != nil || ours:
		return err
	case tables > 0:
		return errForeign
	case existing:
		return errEmpty
	}
	return nil
}

// refuseUnfinished returns an error if enlist copy has not finished copying into the
// database, unless copying is true.
func refuseUnfinished(ctx context.Context, conn *pgxpool.Conn, copying bool) error {
	var begun bool
	err := conn.QueryRow(ctx, "SELECT to_regclass('copy_progress') IS NOT NULL").Scan(&begun)
	if err == nil && begun && !copying {
		err = errUnfinished
	}
	return err
}
