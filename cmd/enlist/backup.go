package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"enlist/internal/app"
	"enlist/internal/backup"
	"enlist/internal/config"
)

// enlist backup: copies the database into one SQLite file while servers use it.

type backupCommand struct {
	reporting
	File           string   `arg:"" help:"Path of the backup, which must not exist."`
	Force          bool     `help:"Replace an existing file."`
	Recipient      []string `placeholder:"KEY" help:"Encrypt the backup with age for this public key (age1…). Repeat it for several keys."`
	RecipientsFile string   `placeholder:"FILE" help:"Encrypt the backup for the public keys in this file, one on each line."`
}

// Help returns the text that --help prints after the usage.
func (backupCommand) Help() string {
	return "The backup of a SQLite file and of a PostgreSQL database is a SQLite file. " +
		"Restore it with: enlist restore FILE --db PATH|URL"
}

// Run makes the backup. A signal stops it, and nothing is left behind.
func (c *backupCommand) Run(ctx context.Context, out *console) error {
	if err := c.Database.Check(); err != nil {
		return &usageError{err}
	}
	if err := c.Exists(); err != nil {
		return err
	}
	recipients, err := backup.Recipients(c.Recipient, c.RecipientsFile)
	if err != nil {
		return &usageError{err}
	}
	ctx, restore := untilSignal(ctx)
	defer restore()
	start := time.Now()
	result, err := backup.Write(ctx, backup.Job{From: c.Database, To: c.File, Force: c.Force, Recipients: recipients,
		Report: newProgress(out).ofCopy})
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted: there is no backup")
	case err != nil:
		return fmt.Errorf("back up %s to %s: %w", c.Shown(), c.File, err)
	}
	err = withService(ctx, c.Database, func(s *app.App) error {
		return s.Accounts.RecordAct(ctx, "Backup", map[string]any{"file": c.File, "bytes": result.Bytes,
			"encrypted": len(recipients) > 0})
	})
	if err != nil {
		return fmt.Errorf("the backup is complete, but the audit log has no row: %w", err)
	}
	for _, problem := range result.Problems {
		fmt.Fprintf(out.stderr, "the database and its backup have a problem: %s\n", problem)
	}
	r := record{{"file", c.File}, {"time", result.Time.Unix()}, {"bytes", result.Bytes},
		{"encrypted", len(recipients) > 0},
		{"problems", result.Problems}}
	return c.one(out.stdout, r, "Backed up and checked: %s, %d bytes, in %s", c.File, result.Bytes,
		time.Since(start).Round(time.Second/10))
}

// newScheduler returns the scheduler of backups, or nil without --backup-dir. checkBackups has checked the flags.
func newScheduler(c config.Serve, service *app.App, log *slog.Logger) (*backup.Scheduler, error) {
	if !c.MakesBackups() {
		return nil, nil
	}
	keep, err := backup.ParseKeep(c.BackupKeep)
	if err != nil {
		return nil, err
	}
	recipients, err := backup.Recipients(c.BackupRecipient, c.BackupRecipientsFile)
	if err != nil {
		return nil, err
	}
	return &backup.Scheduler{DB: service.DB, From: c.Database, Dir: c.BackupDir, Every: c.BackupEvery, Keep: keep,
		Recipients: recipients, Log: log}, nil
}
