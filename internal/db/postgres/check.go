package postgres

import (
	"context"
	"fmt"

	"enlist/internal/db"
)

// This file finds inconsistent data and risky server settings. The command enlist doctor prints them.

// Check returns a sentence for each problem that it finds. It changes nothing.
func (s *Store) Check(ctx context.Context) (problems []string, err error) {
	for _, c := range checks {
		found, err := s.check(ctx, c)
		if damaged := s.damage.Check(); damaged != nil {
			return append(problems, c.About+": "+damaged.Error()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.About, err)
		}
		problems = append(problems, found...)
	}
	return problems, nil
}

var checks = db.Checks(
	db.Check{About: "read the settings", Query: `SELECT name, 0 FROM pg_settings
			WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'`,
		Say: "the PostgreSQL setting %s is off: turn it on, or a crash of its machine loses confirmed changes"},
	db.Check{About: "count the Contacts of Lists", Query: `SELECT list.id, contact_count FROM list
			LEFT JOIN (SELECT list_id, count(*) AS n FROM contact GROUP BY list_id) c ON c.list_id = list.id
			LEFT JOIN (SELECT list_id, sum(n) AS n FROM contact_delta GROUP BY list_id) d ON d.list_id = list.id
		WHERE contact_count + coalesce(d.n, 0) <> coalesce(c.n, 0)`,
		Say: "the stored Contact count of List %s is %d, but the List has another number of Contacts"},
	db.Check{About: "count the Contacts of Accounts", Query: `SELECT account.id, contact_count FROM account
			LEFT JOIN (SELECT account_id, sum(contact_count) AS n FROM list GROUP BY account_id) l
				ON l.account_id = account.id
		WHERE contact_count <> coalesce(l.n, 0)`,
		Say: "the stored Contact count of Account %s is %d, but the counts of its Lists have another sum"},
	// This check leaves out search indexes, because enlist itself drops or rebuilds those that are
	// invalid.
	db.Check{About: "look for invalid indexes", Query: `SELECT indexrelid::regclass::text, 0 FROM pg_index
		WHERE NOT indisvalid AND indexrelid::regclass::text !~ '^search_[0-9]+$'
		AND indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)`,
		Say: "the index %s is invalid, so PostgreSQL does not use it: rebuild it with REINDEX INDEX CONCURRENTLY"},
)

func (s *Store) check(ctx context.Context, c db.Check) ([]string, error) {
	rows, err := s.jobs.Query(ctx, "SELECT what::text, n::bigint FROM ("+c.Query+") AS found (what, n)")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return c.Problems(rows)
}

// FreeSpace implements db.Engine. A client of PostgreSQL cannot ask for the space on the server's disk.
func (s *Store) FreeSpace() (bytes int64, known bool) { return 0, false }
