package db

import (
	"errors"
	"fmt"
)

// This file decides whether this program can use a database that another version of it has migrated.

// generation is the number of schema versions in a generation. The generation of enlist 1 has the versions 1000 to
// 1999. The schemas before 1.0.0 had versions below 1000.
const generation = 1000

// The errors of CheckVersion.
var (
	ErrOld = errors.New("a version before 1.0.0 made it: stop that version, and copy it into a new database with: " +
		"enlist copy --from OLD --to NEW")
	ErrNewer = errors.New("it was made by a newer enlist; use that version, or a backup from before the update")
)

// CheckVersion returns an error if a program cannot use a database. The argument knows is the version of the last
// migration that the program contains. The argument has is the version of the last migration of the database; it is 0
// for a new database. Migrations of one generation only add tables and columns, so that the previous program can run
// during an upgrade and after it. Only a new generation can remove a column or change its meaning. So a program of an
// older generation must refuse the database.
func CheckVersion(has, knows int64) error {
	switch {
	case has > 0 && has < generation:
		return ErrOld
	case has/generation > knows/generation:
		return ErrNewer
	}
	return nil
}

// SchemaVersion is a query for the version of a database's last migration.
const SchemaVersion = "SELECT max(version_id) FROM goose_db_version"

// oldestCopied is the version of the oldest schema that dbcopy reads. Later ones before 1.0.0 only added to it.
const oldestCopied = 58

// CheckCopied returns an error if dbcopy cannot read a database.
func CheckCopied(has int64) error {
	if has < oldestCopied {
		return fmt.Errorf("its tables have version %d, and only those from version %d on can be copied: start the last "+
			"version before 1.0.0 on it once, and try again", has, oldestCopied)
	}
	return nil
}
