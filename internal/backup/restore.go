package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/dbcopy"
	"enlist/internal/db/sqlite"
	"enlist/internal/durable"

	"filippo.io/age"
)

// This file stores a backup in a new database. All work is done on a temporary SQLite file, which is then renamed, or
// copied to PostgreSQL.

// RestoreJob says which backup to restore, and where to.
type RestoreJob struct {
	From       string          // path of the backup
	To         config.Database // a file that does not exist, or an empty PostgreSQL database
	Identities []age.Identity  // private keys, for an encrypted backup
	Skip       int64           // number of IDs to skip; -1: as many as Skip says
	Report     func(dbcopy.Step)
}

// Restored describes a restore.
type Restored struct {
	Backup   time.Time // when the backup was made
	Guessed  bool      // the backup does not say when it was made: Backup is the time of the file
	Skipped  int64     // number of skipped IDs
	LastID   int64     // the highest ID of the backup
	Changed  int64     // rows with characters that PostgreSQL cannot store
	Problems []string  // sentences about the database that was backed up
}

// Restore stores a backup in a new database. IDs that may have been given out after the backup are skipped, and all
// mails and webhooks are held. The database appears at its path when it is complete. A PostgreSQL database cannot be
// opened by a server before.
func Restore(ctx context.Context, j RestoreJob) (r Restored, err error) {
	dir := os.TempDir()
	if !j.To.IsPostgres() {
		if err := checkAbsent(j.To.DB); err != nil {
			return r, err
		}
		dir = filepath.Dir(j.To.DB)
	}
	temp, err := tempFile(filepath.Join(dir, filepath.Base(j.From)))
	if err != nil {
		return r, err
	}
	defer removeTemp(temp)
	if err := j.unpack(temp); err != nil {
		return r, fmt.Errorf("read %s: %w", j.From, err)
	}
	if err := sqlite.CheckStructure(ctx, temp); err != nil {
		return r, fmt.Errorf("read %s: %w (%w)", j.From, errCutOff, err)
	}
	if err := j.renew(ctx, temp); err != nil {
		return r, fmt.Errorf("read %s: %w", j.From, err)
	}
	if err := j.prepare(ctx, temp, &r); err != nil {
		return r, err
	}
	if r.Problems, err = sqlite.CheckCounts(ctx, temp); err != nil {
		return r, err
	}
	if j.To.IsPostgres() {
		copied, err := Copy(ctx, config.Database{DB: temp}, j.To, j.Report)
		r.Changed = copied.Changed
		if err != nil {
			err = fmt.Errorf("%w: drop the database, create an empty one and try again", err)
		}
		return r, err
	}
	_, err = publish(temp, j.To.DB)
	return r, err
}

// checkAbsent returns an error if there is a file at the path of a new database. SQLite would use an old write-ahead
// log.
func checkAbsent(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		_, err := os.Lstat(path + suffix)
		switch {
		case err == nil:
			return fmt.Errorf("%s%s exists: stop the service and move its files away, or give another path", path,
				suffix)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// unpack writes the plain content of the backup into the file at path.
func (j *RestoreJob) unpack(path string) error {
	from, err := os.Open(j.From)
	if err != nil {
		return err
	}
	defer from.Close()
	plain, err := unseal(from, j.Identities)
	if err != nil {
		return err
	}
	to, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, plain)
	return errors.Join(err, to.Close())
}

// renew replaces a file of a version before 1.0.0 by a copy with the tables of this version.
func (j *RestoreJob) renew(ctx context.Context, path string) error {
	isOld, err := sqlite.IsOld(ctx, path)
	if err != nil || !isOld {
		return err
	}
	renewed := path + ".renewed"
	defer removeTemp(renewed)
	if _, err := Copy(ctx, config.Database{DB: path}, config.Database{DB: renewed}, j.Report); err != nil {
		return err
	}
	return durable.Rename(renewed, path)
}

// prepare migrates the file, begins the hold and skips IDs.
func (j *RestoreJob) prepare(ctx context.Context, path string, r *Restored) error {
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return renamed(err, path, j.From)
	}
	info, err := sqlite.DescribeCopy(ctx, path)
	if err == nil && info.Backup.IsZero() {
		r.Guessed = true
		info.Backup, err = modified(j.From)
	}
	r.Backup, r.LastID, r.Skipped = info.Backup, info.LastID, j.Skip
	if j.Skip < 0 {
		r.Skipped = Skip(info.LastID, info.Created, info.Backup, time.Now())
	}
	if err == nil {
		err = app.New(store, time.Now).Sending.HoldRestored(ctx, info.Backup)
	}
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	held := time.Now()
	if err := sqlite.SkipIDs(ctx, path, r.Skipped); err != nil {
		return err
	}
	return awaitNextSecond(ctx, held)
}

// awaitNextSecond waits until the clock shows a later second than at held. A release tells jobs of the backup from
// later jobs by the second in which they were stored.
func awaitNextSecond(ctx context.Context, held time.Time) error {
	timer := time.NewTimer(time.Until(held.Truncate(time.Second).Add(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// renamed returns an error with the path that the operator knows.
func renamed(err error, temp, path string) error {
	return errors.New(strings.ReplaceAll(err.Error(), temp, path))
}

func modified(path string) (time.Time, error) {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

const (
	leastSkip = 1_000_000
	mostSkip  = 1_000_000_000_000
)

// Skip returns how many IDs a restore skips: ten times as many as the table that has used most of them would have
// used since the backup, at its mean rate since the first Account was added, and at least 1,000,000. decisions.md: 85
func Skip(lastID int64, created, backup, now time.Time) int64 {
	life, age := max(backup.Sub(created), 24*time.Hour), max(now.Sub(backup), 0)
	if created.IsZero() {
		return leastSkip
	}
	n := 10 * float64(lastID) * float64(age) / float64(life)
	return int64(min(max(n, leastSkip), mostSkip))
}
