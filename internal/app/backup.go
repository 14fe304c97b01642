package app

import (
	"context"
	"time"

	"enlist/internal/db"
	"enlist/internal/webhooks"
)

// This file decides which process makes the next scheduled backup, and remembers the last good one. Package backup makes
// the backups. decisions.md: 86

// Backup describes the last good backup and the schedule. Times are Unix times.
type Backup struct {
	Time  int64  // when the last good backup began; 0: there is none
	Name  string // name of its file
	Tried int64  // when a process last began a scheduled backup
	Lease int64  // until then no other process begins one
	Every int64  // seconds between two scheduled backups; 0: no server makes backups
	Error string // why the last scheduled backup failed; "" if it did not
}

const (
	// backupLease is how many seconds a backup may take. If its process dies, another process makes the next backup
	// after this time.
	backupLease = 60 * 60
	// backupRetry is the number of seconds between two attempts after a failure.
	backupRetry = 10 * 60
)

// IsOverdue reports whether a server makes backups, and has made none for twice the time between two backups.
func (b *Backup) IsOverdue(now int64) bool {
	return b != nil && b.Every > 0 && b.Tried > 0 && now-b.Time > 2*b.Every && (b.Time > 0 || b.Error != "")
}

// LastBackup returns the state of the backups, or nil if there was none.
func (s *App) LastBackup(ctx context.Context) (*Backup, error) {
	return db.OwnView(ctx, s.DB, LoadBackup)
}

// ClaimBackup reports whether this process makes a backup now. Of several processes on one database only one gets true,
// and only if a backup is due.
func (s *App) ClaimBackup(ctx context.Context, every time.Duration) (claimed bool, err error) {
	return db.OwnUpdate(ctx, s.DB, func(tx *db.Tx, now int64) (bool, error) {
		b, err := LoadBackup(tx)
		if err != nil {
			return false, err
		}
		if b == nil {
			b = new(Backup)
		}
		wait := int64(every / time.Second)
		if b.Error != "" {
			wait = min(wait, backupRetry)
		}
		last := max(b.Tried, b.Time)
		if webhooks.IsWithin(b.Lease, now, backupLease) || last <= now && now-last < wait {
			return false, nil
		}
		b.Tried, b.Lease, b.Every = now, now+backupLease, int64(every/time.Second)
		return true, SetBackup(tx, b)
	})
}

// FinishBackup stores the result of a claimed backup. failure is "" for a good one, which began at the given time.
func (s *App) FinishBackup(ctx context.Context, began time.Time, name, failure string) error {
	_, err := db.OwnUpdate(ctx, s.DB, func(tx *db.Tx, _ int64) (bool, error) {
		b, err := LoadBackup(tx)
		if err != nil || b == nil {
			return false, err
		}
		b.Lease, b.Error = 0, failure
		if failure == "" {
			b.Time, b.Name = began.Unix(), name
		}
		return true, SetBackup(tx, b)
	})
	return err
}
