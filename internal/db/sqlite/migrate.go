package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"log/slog"

	"enlist/internal/db"

	"github.com/pressly/goose/v3"
)

// This file applies the migrations of enlist, which are SQL files. Then it applies the migrations
// of the job queue.

//go:embed migrations/*.sql
var migrations embed.FS

var errForeign = errors.New("it is a database of another program; choose another file with --db")

// migrate applies pending migrations. Several processes can start on one file at the same time and
// apply the same migration. Only one of them succeeds. Each of the other processes tries again, as
// long as the number of applied migrations grows.
func migrate(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	return migrateTo(ctx, db, files, log)
}

// migrateTo applies the pending migrations in files.
func migrateTo(ctx context.Context, db *sql.DB, files fs.FS, log *slog.Logger) error {
	for before := -1; ; {
		err := tryMigrate(ctx, db, files, log)
		if err == nil || ctx.Err() != nil {
			return err
		}
		now := applied(ctx, db)
		if now == before {
			return err
		}
		before = now
	}
}

// applied returns the number of applied migrations of enlist and of the job queue.
func applied(ctx context.Context, db *sql.DB) (all int) {
	for _, table := range []string{"goose_db_version", "river_migration"} {
		var n int
		// An error means that the table does not exist, so no migration is applied.
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n); err == nil {
			all += n
		}
	}
	return all
}

// tryMigrate applies pending migrations. It fails if another process applies one of them first.
func tryMigrate(ctx context.Context, database *sql.DB, files fs.FS, log *slog.Logger) error {
	provider, err := goose.NewProvider(goose.DialectSQLite3, database, files, goose.WithSlog(log))
	if err != nil {
		return err
	}
	current, latest, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	if err := db.CheckVersion(current, latest); err != nil {
		return err
	}
	if current < latest {
		// This index prevents a second application of a migration: the process that tries this gets
		// an error, and its transaction is rolled back.
		_, err := database.ExecContext(ctx,
			"CREATE UNIQUE INDEX IF NOT EXISTS goose_db_version_once ON goose_db_version (version_id)")
		if err != nil {
			return err
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return err
	}
	return migrateJobs(ctx, database, log)
}

// countForeign counts the tables of a file in which there is no table goose_db_version.
const countForeign = `SELECT CASE WHEN count(*) FILTER (WHERE name = 'goose_db_version') = 0 THEN count(*) ELSE 0 END
	FROM sqlite_schema WHERE type = 'table'`
