package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"log/slog"

	"enlist/internal/store/sqlstore"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

var (
	errForeign = errors.New("it is a database of another program; choose another file with --db")
	errNewer   = errors.New("it was made by a newer enlist; use that one, or a backup from before")
)

// migrate brings the tables up to date. Two processes that start at once on one
// file may both try: whoever comes second to a migration looks again, for as long
// as another one gets on.
func migrate(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	return migrateTo(ctx, db, files, log)
}

// migrateTo is migrate with the files given.
func migrateTo(ctx context.Context, db *sql.DB, files fs.FS, log *slog.Logger) error {
	for before := -1; ; {
		err := tryMigrate(ctx, db, files, log)
		if err == nil || errors.Is(err, errNewer) || ctx.Err() != nil {
			return err
		}
		now := applied(ctx, db)
		if now == before {
			return err
		}
		before = now
	}
}

// applied counts the migrations that were applied, the queue's among them.
func applied(ctx context.Context, db *sql.DB) (all int) {
	for _, table := range []string{"goose_db_version", "river_migration"} {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n); err == nil { // else it is not there yet
			all += n
		}
	}
	return all
}

func tryMigrate(ctx context.Context, db *sql.DB, files fs.FS, log *slog.Logger) error {
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithSlog(log))
	if err != nil {
		return err
	}
	has, knows, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	if !sqlstore.SupportsVersion(has, knows) {
		return errNewer
	}
	if has < knows {
		// Whoever applies a migration that another one has just applied fails here,
		// and what he did is undone.
		if _, err := db.ExecContext(ctx, "CREATE UNIQUE INDEX IF NOT EXISTS goose_db_version_once ON goose_db_version (version_id)"); err != nil {
			return err
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return err
	}
	return migrateJobs(ctx, db, log)
}

// refuseForeign looks whether a file has tables, but not the one in which the
// migrations are counted. It does so on a connection that only reads: the
// writer's would leave a mark in the file.
func refuseForeign(ctx context.Context, reading *connector) error {
	db := sql.OpenDB(reading)
	defer db.Close()
	var foreign bool
	err := db.QueryRowContext(ctx, `SELECT count(*) > 0 AND count(*) FILTER (WHERE name = 'goose_db_version') = 0
		FROM sqlite_schema WHERE type = 'table'`).Scan(&foreign)
	if err == nil && foreign {
		err = errForeign
	}
	return err
}
