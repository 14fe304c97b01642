package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"enlist/internal/app"
	"enlist/internal/backup"
	"enlist/internal/config"
)

// enlist copy: copies a database into a new one of either engine and verifies each row. Package backup does the work; an
// interrupted copy into PostgreSQL continues with the same command.

type copyCommand struct {
	From string `required:"" placeholder:"DB" help:"Database to copy: path of a SQLite file, or postgres://USER@HOST/DATABASE. Stop the service that uses it first."`
	To   string `required:"" placeholder:"DB" help:"New database: path of a file that does not exist, or URL of an empty PostgreSQL database."`
	format
}

// Help returns the text that --help prints after the usage.
func (copyCommand) Help() string {
	return "It also copies databases of versions before 1.0.0, which other commands refuse. Every user of this machine can " +
		"see the flags of a command. Put a URL with a password into the environment variable ENLIST_FROM or ENLIST_TO instead."
}

// Run copies, or continues an interrupted copy.
func (c *copyCommand) Run(ctx context.Context, out *console) error {
	from, to := config.Database{DB: c.From}, config.Database{DB: c.To}
	if from.Check() != nil || to.Check() != nil {
		return usage("--from and --to must each be the path of a SQLite file, or postgres://USER@HOST/DATABASE")
	}
	if _, err := os.Stat(c.From); err != nil && !from.IsPostgres() {
		return fmt.Errorf("there is no database at %s: give its path with --from", c.From)
	}
	ctx, restore := untilSignal(ctx)
	defer restore()
	start := time.Now()
	result, err := backup.Copy(ctx, from, to, newProgress(out).ofCopy)
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted: run the same command again to continue")
	}
	if err != nil {
		return err
	}
	if result.Changed > 0 {
		fmt.Fprintf(out.stderr, replacedRows, result.Changed)
	}
	err = withService(ctx, to, func(s *app.App) error {
		return s.Accounts.RecordAct(ctx, "Database", map[string]any{"copied_from": from.Shown()})
	})
	if err != nil {
		return fmt.Errorf("the copy is complete, but the audit log has no row: %w", err)
	}
	return c.one(out.stdout, record{{"tables", result.Tables}, {"rows", result.Rows}, {"replaced", result.Changed}},
		"Copied and verified: %d rows in %d tables, in %s. Now give the same --to to enlist serve --db",
		result.Rows, result.Tables, time.Since(start).Round(time.Second/10))
}

// replacedRows is the message about rows that a copy changed, with their number.
const replacedRows = "%d rows had characters that PostgreSQL cannot store (U+0000, or invalid UTF-8). " +
	"These characters were replaced by U+FFFD\n"
