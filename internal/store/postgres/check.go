package postgres

import (
	"context"
	"fmt"
	"strings"
)

// Check says what is wrong with the database, one sentence each, and nothing when
// all is well. It changes nothing.
func (s *Store) Check(ctx context.Context) (problems []string, err error) {
	for _, c := range checks {
		found, err := s.check(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.about, err)
		}
		problems = append(problems, found...)
	}
	return problems, nil
}

// check is a query whose rows are problems, and how a row is said.
type check struct {
	about, query, say string
}

var checks = []check{
	{"look at the settings", `SELECT name, 0 FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'
			OR name = 'synchronous_commit' AND setting = 'off'`,
		"the server's setting %s is off: what was answered is lost when its machine fails: turn it on"},
	{"count the Contacts of Lists", `SELECT list.id, contact_count FROM list
			LEFT JOIN (SELECT list_id, count(*) AS n FROM contact GROUP BY list_id) c ON c.list_id = list.id
			LEFT JOIN (SELECT list_id, sum(n) AS n FROM contact_delta GROUP BY list_id) d ON d.list_id = list.id
		WHERE contact_count + coalesce(d.n, 0) <> coalesce(c.n, 0)`,
		"List %s counts %d Contacts and has another number of them"},
	{"count the Contacts of Accounts", `SELECT account.id, contact_count FROM account
			LEFT JOIN (SELECT account_id, sum(contact_count) AS n FROM list GROUP BY account_id) l ON l.account_id = account.id
		WHERE contact_count <> coalesce(l.n, 0)`,
		"Account %s counts %d Contacts and its Lists have another number of them"},
	{"look for indexes", `SELECT indexrelid::regclass::text, 0 FROM pg_index WHERE NOT indisvalid
		AND indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)`,
		"the index %s is not complete, and not used: REINDEX INDEX CONCURRENTLY makes it good"},
	{"look for jobs", `SELECT kind, count(*) FROM river_job WHERE state IN ('discarded', 'cancelled') GROUP BY kind`,
		"jobs of kind %s that were given up on: %d; enlist jobs list --state failed shows them"},
	{"look for webhooks", `SELECT webhook.id, (SELECT count(*) FROM webhook_event WHERE target_id = webhook_target.id)
		FROM webhook_target JOIN webhook ON target_id = webhook_target.id WHERE is_failing = 1`,
		"webhook %s was given up on, and %d events wait for it and those of the same URL: edit it, or retry its job"},
}

func (s *Store) check(ctx context.Context, c check) (problems []string, err error) {
	rows, err := s.jobs.Query(ctx, "SELECT what::text, n::bigint FROM ("+c.query+") AS found (what, n)")
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
