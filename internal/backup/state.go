package backup

import (
	"context"
	"time"

	"enlist/internal/db"
)

// This file decides which process makes the next scheduled backup, and remembers the last good one: a table with one
// row, or none. decisions.md: 86

// State is the last good backup and the schedule. Times are Unix times.
type State struct {
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
func (b *State) IsOverdue(now int64) bool {
	return b != nil && b.Every > 0 && b.Tried > 0 && now-b.Time > 2*b.Every && (b.Time > 0 || b.Error != "")
}

// Last returns the state of the backups, or nil if there was none.
func Last(ctx context.Context, d *db.DB) (*State, error) {
	return db.OwnView(ctx, d, loadState)
}

// claim returns the time of the claim if this process makes a backup now, or 0. Of several processes on one database only
// one gets it, and only if a backup is due.
func claim(ctx context.Context, d *db.DB, every time.Duration) (claimed int64, err error) {
	return db.OwnUpdate(ctx, d, func(tx *db.Tx, now int64) (int64, error) {
		b, err := loadState(tx)
		if err != nil {
			return 0, err
		}
		if b == nil {
			b = new(State)
		}
		wait := int64(every / time.Second)
		if b.Error != "" {
			wait = min(wait, backupRetry)
		}
		last := max(b.Tried, b.Time)
		leased := b.Lease > now && b.Lease <= now+backupLease // a lease that ends later is of a clock that was put back
		if leased || last <= now && now-last < wait {
			return 0, nil
		}
		b.Tried, b.Lease, b.Every = now, now+backupLease, int64(every/time.Second)
		return now, setState(tx, b)
	})
}

// finish stores the result of a claimed backup. failure is "" for a good one, which began at the given time. If the lease
// has ended, and another process makes a backup, its lease stays.
func finish(ctx context.Context, d *db.DB, claimed int64, began time.Time, name, failure string) error {
	return db.OwnChange(ctx, d, func(tx *db.Tx, _ int64) error {
		b, err := loadState(tx)
		if err != nil || b == nil {
			return err
		}
		isLast := b.Tried == claimed
		if isLast {
			b.Lease, b.Error = 0, failure
		}
		if failure == "" && (isLast || began.Unix() > b.Time) {
			b.Time, b.Name = began.Unix(), name
		}
		return setState(tx, b)
	})
}

func mapState(m *db.Mapper, b *State) {
	m.Value("time", &b.Time)
	m.Value("name", &b.Name)
	m.Value("tried_time", &b.Tried)
	m.Value("lease_time", &b.Lease)
	m.Value("every", &b.Every)
	m.Value("error", &b.Error)
}

var stateTable = db.NewMapping("backup", mapState)

// loadState returns the state, or nil if there was no backup. In an Update it locks the state.
func loadState(tx *db.Tx) (*State, error) {
	if err := tx.LockToWrite("backup"); err != nil {
		return nil, err
	}
	return stateTable.One(tx, nil, "WHERE id = 1")
}

// setState stores the state.
func setState(tx *db.Tx, b *State) error {
	return tx.Do(`INSERT INTO backup (id, time, name, tried_time, lease_time, every, error) VALUES (1, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET time = excluded.time, name = excluded.name, tried_time = excluded.tried_time,
			lease_time = excluded.lease_time, every = excluded.every, error = excluded.error`,
		b.Time, b.Name, b.Tried, b.Lease, b.Every, b.Error)
}
