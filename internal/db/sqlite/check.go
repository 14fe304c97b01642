package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"runtime"
	"slices"

	"enlist/internal/db"
)

// This file looks for inconsistent data and for damage of the file. The command enlist doctor prints the
// problems that it finds.

// Check reads the complete file at path and returns one sentence for each problem. It does not change the
// file.
func Check(ctx context.Context, path string) (problems []string, err error) {
	db := sql.OpenDB(&connector{path: path})
	defer db.Close()
	for _, check := range checks {
		found, err := runCheck(ctx, db, check)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			found = []string{fmt.Sprintf("the file is damaged: %s: %v: restore a backup", check.About, err)}
		}
		problems = append(problems, found...)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		problems = append(problems,
			fmt.Sprintf("other users of this machine can open the file (mode %04o): run chmod 600 on it", mode))
	}
	return problems, nil
}

var (
	structureCheck = db.Check{About: "read the file's structure",
		Query: `SELECT quick_check, 0 FROM pragma_quick_check WHERE quick_check <> 'ok'`,
		Say:   "the file is damaged: %s: restore a backup"}
	countChecks = []db.Check{
		{About: "count the Contacts of Lists", Query: `SELECT id, contact_count FROM list
			WHERE contact_count <> (SELECT count(*) FROM contact WHERE list_id = list.id)`,
			Say: "the stored Contact count of List %s is %d, but the List has another number of Contacts"},
		{About: "count the Contacts of Accounts", Query: `SELECT id, contact_count FROM account
			WHERE contact_count <> (SELECT coalesce(sum(contact_count), 0) FROM list WHERE account_id = account.id)`,
			Say: "the stored Contact count of Account %s is %d, but the counts of its Lists have another sum"},
	}
	checks = db.Checks(slices.Insert(slices.Clone(countChecks), 0, structureCheck)...)
)

func runCheck(ctx context.Context, db *sql.DB, c db.Check) ([]string, error) {
	rows, err := db.QueryContext(ctx, c.Query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return c.Problems(rows)
}
