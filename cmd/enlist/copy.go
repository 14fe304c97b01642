package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/dbcopy"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"
)

// enlist copy: copies a SQLite database to an empty PostgreSQL database and verifies each row.
// Package dbcopy does the work; an interrupted copy continues with the same command.

type copyCommand struct {
	From string `required:"" placeholder:"PATH" help:"SQLite file to copy. Stop the service that uses it first."`
	To   string `required:"" placeholder:"URL" help:"Empty PostgreSQL database, postgres://USER@HOST/DATABASE."`
	format
}

// Help returns the text that --help prints after the usage.
func (copyCommand) Help() string {
	return "Every user of this machine can see the flags of a command. Put a URL with a password into the " +
		"environment variable ENLIST_TO instead."
}

// Run copies, or continues an interrupted copy.
func (c *copyCommand) Run(ctx context.Context, out *console) error {
	from, to := config.Database{DB: c.From}, config.Database{DB: c.To}
	switch {
	case c.From == "" || from.IsPostgres():
		return usage("--from must be the path of a SQLite file")
	case !to.IsPostgres():
		return usage("--to must be the URL of a PostgreSQL database: postgres://USER@HOST/DATABASE")
	}
	if _, err := os.Stat(c.From); err != nil {
		return fmt.Errorf("there is no database at %s: give its path with --from", c.From)
	}
	ctx, restore := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer restore()
	start := time.Now()
	result, err := c.copy(ctx, out)
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
		return s.Accounts.RecordAct(ctx, "Database", map[string]any{"copied_from": c.From})
	})
	if err != nil {
		return fmt.Errorf("the copy is complete, but the audit log has no row: %w", err)
	}
	return c.one(out.stdout, record{{"tables", result.Tables}, {"rows", result.Rows}, {"replaced", result.Changed}},
		"Copied and verified: %d rows in %d tables, in %s. Now give the same URL to enlist serve --db",
		result.Rows, result.Tables, time.Since(start).Round(time.Second/10))
}

// replacedRows is the message about rows that a copy changed, with their number.
const replacedRows = "%d rows had characters that PostgreSQL cannot store (U+0000, or invalid UTF-8). " +
	"These characters were replaced by U+FFFD\n"

// copy opens both databases and copies the rows. It changes the source only if the source has an older schema: it
// migrates the source first.
func (c *copyCommand) copy(ctx context.Context, out *console) (result dbcopy.Result, err error) {
	from, err := sqlite.OpenSource(ctx, c.From)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := postgres.OpenTarget(ctx, c.To)
	if err != nil {
		return result, err
	}
	defer to.Close() // its error is ignored: Run has verified the rows
	p := progress{out: out}
	return (&dbcopy.Copier{From: from, To: to, Report: p.report}).Run(ctx)
}

// progress prints a line when a table is finished. While a table is copied, it prints a line every progressEvery.
type progress struct {
	out  *console
	last time.Time // time of the last line
}

// progressEvery is the shortest time between two lines about an unfinished table.
const progressEvery = 2 * time.Second

// report implements the Report of dbcopy.Copier. Progress goes to standard error, so that --json
// has only the result on standard output.
func (p *progress) report(s dbcopy.Step) {
	if !s.Done && time.Since(p.last) < progressEvery {
		return
	}
	p.last = time.Now()
	what := "copied"
	if s.Verify {
		what = "verified"
	}
	fmt.Fprintf(p.out.stderr, "%s: %s %d of %d rows\n", s.Table, what, s.Rows, s.Of)
}
