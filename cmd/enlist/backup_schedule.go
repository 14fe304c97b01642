package main

import (
	"log/slog"

	"enlist/internal/app"
	"enlist/internal/backup"
	"enlist/internal/config"
)

// This file builds the scheduler of backups from the flags of serve.

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
