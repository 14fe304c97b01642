package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Check reads the whole file at path and says what is wrong with it, one
// sentence each, and nothing when all is well. It changes nothing.
func Check(ctx context.Context, path string) (problems []string, err error) {
	db := sql.OpenDB(&connector{path: path, driver: newDriver()})
	defer db.Close()
	for _, check := range checks {
		found, err := check.run(ctx, db)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		if err != nil {
			found = []string{fmt.Sprintf("the file is damaged: %s: %v: restore a backup", check.about, err)}
		}
		problems = append(problems, found...)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		problems = append(problems, fmt.Sprintf("other users of this machine can open the file (mode %04o): chmod 600 it", mode))
	}
	return problems, nil
}

// check is a query whose rows are problems, and how a row is said.
type check struct {
	about, query, say string
}

var checks = []check{
	{"read the file's structure", `SELECT quick_check, 0 FROM pragma_quick_check WHERE quick_check <> 'ok'`,
		"the file is damaged: %s: restore a backup"},
	{"count the Contacts of Lists", `SELECT id, contact_count FROM list
		WHERE contact_count <> (SELECT count(*) FROM contact WHERE list_id = list.id)`,
		"List %s counts %d Contacts and has another number of them"},
	{"count the Contacts of Accounts", `SELECT id, contact_count FROM account
		WHERE contact_count <> (SELECT coalesce(sum(contact_count), 0) FROM list WHERE account_id = account.id)`,
		"Account %s counts %d Contacts and its Lists have another number of them"},
	{"look for jobs", `SELECT kind, count(*) FROM river_job WHERE state IN ('discarded', 'cancelled') GROUP BY kind`,
		"jobs of kind %s that were given up on: %d; enlist jobs list --state failed shows them"},
	{"look for webhooks", `SELECT webhook.id, (SELECT count(*) FROM webhook_event WHERE target_id = webhook_target.id)
		FROM webhook_target JOIN webhook ON target_id = webhook_target.id WHERE is_failing = 1`,
		"webhook %s was given up on, and %d events wait for it and those of the same URL: edit it, or retry its job"},
}

func (c check) run(ctx context.Context, db *sql.DB) (problems []string, err error) {
	rows, err := db.QueryContext(ctx, c.query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var what string
		var n int64
		if err := rows.Scan(&what, &n); err != nil {
			return nil, err
		}
		args := []any{what, n}
		problems = append(problems, fmt.Sprintf(c.say, args[:strings.Count(c.say, "%")]...))
	}
	return problems, rows.Err()
}
