package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"enlist/internal/db"
)

// This file copies a database into a new file while other connections write to it, and looks for damage in
// such a copy. Package backup uses it.

// CopyFile writes all committed data of the database at path into the file to, which must be empty or
// missing. The copy has one snapshot: everything that was committed before CopyFile was called, and perhaps
// some later transactions. Writers do not wait. The write-ahead log cannot start over until CopyFile
// returns, so it grows.
//
// CopyFile uses VACUUM INTO. SQLite's backup API is faster, but it copies pages, so its copy would also have
// the content of deleted rows. The tables keep the version of their schema: nothing is migrated. The copy is
// not in WAL mode, so it is one file. It is not on the disk before the caller syncs it.
func CopyFile(ctx context.Context, path, to string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	to, err = filepath.Abs(to) // SQLite would read another path as a URI if it begins with "file:"
	if err != nil {
		return err
	}
	db := sql.OpenDB(&connector{path: path, ownFile: true})
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer conn.Close()
	for _, statement := range copyPragmas {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	return nil
}

// copyPragmas let a reader's connection write the copy.
var copyPragmas = []string{"PRAGMA query_only = OFF", "PRAGMA cache_size = -16384"}

// CheckStructure reads the complete file at path, which no other connection uses. It returns an error if the file is
// damaged, was cut off or is no database of enlist.
func CheckStructure(ctx context.Context, path string) error {
	db := sql.OpenDB(&connector{path: path, ownFile: true})
	defer db.Close()
	if err := db.PingContext(ctx); err != nil {
		return err
	}
	found, err := runCheck(ctx, db, structureCheck)
	if err == nil && len(found) > 0 {
		err = errors.New(found[0])
	}
	return err
}

// CheckCounts returns a sentence for each wrong number of Contacts in the file at path. This is a problem of the
// database that was copied.
func CheckCounts(ctx context.Context, path string) (problems []string, err error) {
	db := sql.OpenDB(&connector{path: path})
	defer db.Close()
	for _, check := range countChecks {
		found, err := runCheck(ctx, db, check)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", check.About, err)
		}
		problems = append(problems, found...)
	}
	return problems, nil
}

// MarkCopy stores in the copy at path that it is a backup: when it began, and its name.
func MarkCopy(ctx context.Context, path string, began time.Time, name string) error {
	return editCopy(ctx, path, func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, `INSERT INTO backup (id, time, name, tried_time, lease_time, every, error)
			VALUES (1, ?1, ?2, 0, 0, 0, '') ON CONFLICT (id) DO UPDATE SET time = ?1, name = ?2, lease_time = 0, error = ''`,
			began.Unix(), name)
		return err
	})
}

// IsOld reports whether a version before 1.0.0 made the file at path.
func IsOld(ctx context.Context, path string) (bool, error) {
	file := sql.OpenDB(&connector{path: path, ownFile: true})
	defer file.Close()
	var version int64
	err := file.QueryRowContext(ctx, db.SchemaVersion).Scan(&version)
	return errors.Is(db.CheckVersion(version, version), db.ErrOld), err
}

// editCopy changes a file that no other connection uses and that is not complete yet, so without a journal.
func editCopy(ctx context.Context, path string, edit func(*sql.DB) error) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	db := sql.OpenDB(&connector{path: path, source: true})
	db.SetMaxOpenConns(1)
	defer db.Close()
	for _, pragma := range fillerPragmas {
		if _, err := db.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	return edit(db)
}

// CopyInfo describes a database file for the choice of the IDs that a restore skips.
type CopyInfo struct {
	Backup  time.Time // when the backup began; zero: the file does not say it
	Created time.Time // when the first Account was added; zero: there is none
	LastID  int64     // the highest ID that any table has used
}

// DescribeCopy reads a migrated file that no other connection uses.
func DescribeCopy(ctx context.Context, path string) (i CopyInfo, err error) {
	db := sql.OpenDB(&connector{path: path})
	defer db.Close()
	var backup, created int64
	err = db.QueryRowContext(ctx, `SELECT coalesce((SELECT time FROM backup), 0),
		coalesce((SELECT min(creation_time) FROM account), 0),
		coalesce((SELECT max(seq) FROM sqlite_sequence), 0)`).Scan(&backup, &created, &i.LastID)
	if backup > 0 {
		i.Backup = time.Unix(backup, 0)
	}
	if created > 0 {
		i.Created = time.Unix(created, 0)
	}
	return i, err
}

// SkipIDs makes every table continue n IDs later, also tables that have had no row yet.
func SkipIDs(ctx context.Context, path string, n int64) error {
	return editCopy(ctx, path, func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, `INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM (`+numbered+`)
			WHERE name NOT IN (SELECT name FROM sqlite_sequence)`)
		if err == nil {
			_, err = db.ExecContext(ctx, "UPDATE sqlite_sequence SET seq = seq + ? WHERE name IN (SELECT name FROM ("+
				numbered+"))", n)
		}
		return err
	})
}
