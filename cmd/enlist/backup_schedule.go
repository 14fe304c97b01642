package main

import (
	"fmt"
	"log/slog"
	"os"

	"enlist/internal/app"
	"enlist/internal/backup"
	"enlist/internal/config"
)

// This file builds the scheduler of backups from the flags of serve.

// newScheduler returns the scheduler of backups, or nil without --backup-dir.
func newScheduler(c config.Serve, service *app.App, log *slog.Logger) (*backup.Scheduler, error) {
	if !c.MakesBackups() {
		return nil, nil
	}
	keep, err := backup.ParseKeep(c.BackupKeep)
	if err != nil {
		return nil, usage("--backup-keep: %v", err)
	}
	recipients, err := backup.Recipients(c.BackupRecipient, c.BackupRecipientsFile)
	if err != nil {
		return nil, usage("--backup-recipient: %v", err)
	}
	dir, err := os.Stat(c.BackupDir)
	if err == nil && !dir.IsDir() {
		err = fmt.Errorf("%s is no folder", c.BackupDir)
	}
	if err != nil {
		return nil, usage("--backup-dir: %v: create the folder", err)
	}
	return &backup.Scheduler{DB: service.DB, From: c.Database, Dir: c.BackupDir, Every: c.BackupEvery, Keep: keep,
		Recipients: recipients, Log: log}, nil
}
