package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

var (
	errForeign  = errors.New("there are tables of another program in it; choose another database with --db")
	errEmpty    = errors.New("there is nothing in it: look at --db, or make it with: enlist serve")
	errNewer    = errors.New("it was made by a newer enlist; use that one, or a backup from before")
	errTooOld   = errors.New("the server is older than PostgreSQL 15")
	errEncoding = errors.New("its encoding is not UTF8; make one with: createdb --encoding UTF8 --template template0")
)

// migrate brings the tables up to date. Of several processes that start at once
// one does so, and the others wait for it.
func migrate(ctx context.Context, config *pgxpool.Config, o Options) error {
	pool, err := newPool(ctx, config, 4, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return connectError(err)
	}
	defer conn.Release()
	if err := suits(ctx, conn); err != nil {
		return err
	}
	if err := awaitTurn(ctx, conn); err != nil {
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", turn) // ends with the connection anyway
	if err := refuseForeign(ctx, conn, o.Existing); err != nil {
		return err
	}
	if err := refuseUnfinished(ctx, conn, o.copying); err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	if err := migrateTables(ctx, db, o.Log); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: o.Log})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

func migrateTables(ctx context.Context, db *sql.DB, log *slog.Logger) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSlog(log))
	if err != nil {
		return err
	}
	has, knows, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	if has > knows {
		return errNewer
	}
	_, err = provider.Up(ctx)
	return err
}

// suits looks whether the server can do what is asked of it.
func suits(ctx context.Context, conn *pgxpool.Conn) error {
	var version int
	var encoding string
	err := conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')").Scan(&version, &encoding)
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

// turn is the number of the lock that migrating goes by: "enlist".
const turn = 0x656e6c697374

// awaitTurn waits for its turn. It asks again and again: a statement that waits
// would hold up one that builds an index beside the running service.
func awaitTurn(ctx context.Context, conn *pgxpool.Conn) error {
	for {
		var mine bool
		if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", turn).Scan(&mine); err != nil || mine {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// refuseForeign looks whether there are tables, but not the one in which the
// migrations are counted. What belongs to an extension is nobody's.
func refuseForeign(ctx context.Context, conn *pgxpool.Conn, existing bool) error {
	var tables int
	var ours bool
	err := conn.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE relname = 'goose_db_version') > 0
		FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
			AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')`).Scan(&tables, &ours)
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

// refuseUnfinished looks whether a copy has begun that is not done.
func refuseUnfinished(ctx context.Context, conn *pgxpool.Conn, copying bool) error {
	var begun bool
	err := conn.QueryRow(ctx, "SELECT to_regclass('copy_progress') IS NOT NULL").Scan(&begun)
	if err == nil && begun && !copying {
		err = errUnfinished
	}
	return err
}
