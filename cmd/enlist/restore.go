package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"enlist/internal/backup"
)

// enlist restore: stores a backup in a new database of either engine.

type restoreCommand struct {
	reporting
	File     string `arg:"" help:"Path of the backup."`
	Identity string `placeholder:"FILE" help:"File with the private key of age, for an encrypted backup."`
	Skip     int64  `default:"-1" placeholder:"N" help:"Number of IDs to skip, because they may have been given out after the backup (-1: chosen by the age of the backup, at least 1,000,000)."`
}

// Help returns the text that --help prints after the usage.
func (restoreCommand) Help() string {
	return "The target is a SQLite file that does not exist, or an empty PostgreSQL database. After the restore all mails " +
		"and webhooks are held, because some of them were sent after the backup. Send or discard them with: enlist release"
}

// Run restores the backup.
func (c *restoreCommand) Run(ctx context.Context, out *console) error {
	if err := c.Database.Check(); err != nil {
		return &usageError{err}
	}
	if c.Skip < -1 {
		return usage("--skip must be 0 or more")
	}
	job := backup.RestoreJob{From: c.File, To: c.Database, Skip: c.Skip}
	if c.Identity != "" {
		var err error
		job.Identities, err = backup.Identities(c.Identity)
		if err != nil {
			return &usageError{err}
		}
	}
	ctx, restore := untilSignal(ctx)
	defer restore()
	job.Report = newProgress(out).ofCopy
	start := time.Now()
	r, err := backup.Restore(ctx, job)
	switch {
	case err != nil && ctx.Err() != nil && c.IsPostgres():
		return errors.New("interrupted: drop the database, create an empty one and try again")
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted: there is no restored database")
	case err != nil:
		return fmt.Errorf("restore %s to %s: %w", c.File, c.Shown(), err)
	}
	return c.print(out, r, time.Since(start))
}

func (c *restoreCommand) print(out *console, r backup.Restored, took time.Duration) error {
	for _, problem := range r.Problems {
		fmt.Fprintf(out.stderr, "the backup has a problem, which the database had before: %s\n", problem)
	}
	if r.Changed > 0 {
		fmt.Fprintf(out.stderr, replacedRows, r.Changed)
	}
	if r.Guessed {
		fmt.Fprintln(out.stderr, "the backup does not say when it was made; the time of the file was used")
	}
	fields := record{{"database", c.Shown()}, {"backup_time", r.Backup.Unix()}, {"skipped", r.Skipped},
		{"last_id", r.LastID}}
	return c.one(out.stdout, fields, "Restored the backup of %s UTC to %s, in %s.\n"+
		"%d IDs are skipped, because they may have been given out after the backup (the last one in it is %d).\n"+
		"All mails and webhooks are held. Start the service, check the data, and then run: enlist release --db %s",
		r.Backup.UTC().Format(time.DateTime), c.Shown(), took.Round(time.Second/10), r.Skipped, r.LastID, c.Shown())
}
