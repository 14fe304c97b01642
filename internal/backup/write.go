package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"enlist/internal/config"
	"enlist/internal/db/dbcopy"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"
	"enlist/internal/durable"

	"filippo.io/age"
)

// This file makes a backup: a copy under a temporary name, which is checked, encrypted if wanted, synced and renamed.

// Job says what to back up and where to. All files have mode 0600, from the start.
type Job struct {
	From       config.Database
	To         string            // path of the backup
	Force      bool              // replace an existing file
	Recipients []age.Recipient   // encrypt the backup for these; nil: do not encrypt
	Report     func(dbcopy.Step) // gets the progress of a copy from PostgreSQL; nil: no reports
}

// Result describes a backup.
type Result struct {
	Time     time.Time // when the backup began: it has everything that was committed before
	Bytes    int64
	Problems []string // sentences about the database, which the backup has too
}

// Write makes a backup. The file appears under its name when it is complete, checked and on the disk. After an error,
// such as a full disk, nothing is left behind. While an encrypted backup is made, the plain copy is beside it: SQLite
// writes a database in any order, so it cannot be encrypted before it is complete.
func Write(ctx context.Context, j Job) (r Result, err error) {
	if err := j.checkTarget(); err != nil {
		return r, err
	}
	defer func() {
		if sqlite.IsFull(err) || errors.Is(err, syscall.ENOSPC) {
			err = fmt.Errorf("the disk of %s is full, so there is no new backup: make room, or use another folder: %w",
				filepath.Dir(j.To), err)
		}
	}()
	r.Time = time.Now()
	begin := strings.TrimSuffix("."+filepath.Base(j.To)+tempPattern, "*")
	// An error means that an old file stays. If the folder is missing, tempFile says so.
	removeAbandoned(filepath.Dir(j.To), r.Time, func(name string) bool { return strings.HasPrefix(name, begin) })
	plain, err := tempFile(j.To)
	if err != nil {
		return r, err
	}
	defer removeTemp(plain)
	if err := j.copy(ctx, plain); err != nil {
		return r, err
	}
	if err := sqlite.MarkCopy(ctx, plain, r.Time, filepath.Base(j.To)); err != nil {
		return r, err
	}
	if err := sqlite.CheckStructure(ctx, plain); err != nil {
		return r, fmt.Errorf("check the copy: %w", err)
	}
	if r.Problems, err = sqlite.CheckCounts(ctx, plain); err != nil {
		return r, err
	}
	final := plain
	if len(j.Recipients) > 0 {
		final, err = tempFile(j.To)
		if err != nil {
			return r, err
		}
		defer removeTemp(final)
		if err := j.seal(plain, final); err != nil {
			return r, err
		}
	}
	r.Bytes, err = publish(final, j.To)
	return r, err
}

// checkTarget returns an error if the backup would replace a file, or would be taken for a file of the database.
func (j *Job) checkTarget() error {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if !j.From.IsPostgres() && isSamePath(j.From.DB+suffix, j.To) {
			return fmt.Errorf("%s belongs to the database: give another path", j.To)
		}
	}
	target, err := os.Stat(j.To)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !target.Mode().IsRegular() {
		return fmt.Errorf("%s is no file: give the path of a file that does not exist yet", j.To)
	}
	if from, err := os.Stat(j.From.DB); err == nil && os.SameFile(from, target) {
		return fmt.Errorf("%s is the database itself: give another path", j.To)
	}
	if !j.Force {
		return fmt.Errorf("%s exists: give another path, or replace it with --force", j.To)
	}
	return nil
}

// isSamePath reports whether two paths name the same file, which need not exist.
func isSamePath(a, b string) bool {
	dirA, errA := os.Stat(filepath.Dir(a))
	dirB, errB := os.Stat(filepath.Dir(b))
	return filepath.Base(a) == filepath.Base(b) && errA == nil && errB == nil && os.SameFile(dirA, dirB)
}

// copy copies the database into the empty file at path.
func (j *Job) copy(ctx context.Context, path string) error {
	if !j.From.IsPostgres() {
		return sqlite.CopyFile(ctx, j.From.DB, path)
	}
	from, err := postgres.OpenSnapshot(ctx, j.From.DB)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = fill(ctx, from, path, j.Report)
	return err
}

func (j *Job) seal(plain, sealed string) error {
	f, err := os.OpenFile(sealed, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(seal(f, plain, j.Recipients), f.Close())
}

// tempPattern is in the name of a file that is not complete yet.
const tempPattern = ".incomplete-*"

// tempFile creates an empty file with mode 0600 beside the file at path.
func tempFile(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+tempPattern)
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// removeTemp removes a temporary file, with the files that SQLite may have left beside it. It does nothing if the file
// was renamed.
func removeTemp(path string) {
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		os.Remove(path + suffix) // an error means that there is no such file
	}
}

// publish gives the file at temp its name, and returns its size.
func publish(temp, name string) (bytes int64, err error) {
	info, err := os.Stat(temp)
	if err != nil {
		return 0, err
	}
	return info.Size(), durable.Rename(temp, name)
}
