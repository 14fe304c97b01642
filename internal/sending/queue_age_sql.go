package sending

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file finds the oldest mail of each Account in the queue, and stores its age.

// agedMails is the number of jobs of a kind and state among which the oldest are looked for: those that run next.
const agedMails = 10_000

// oldestMail says since when the oldest mail of an Account has been due.
type oldestMail struct {
	account enlist.AccountID
	due     int64
}

// oldestMails returns the Accounts with a job of one of the kinds that has been due since a time or longer, in the order
// of their IDs. A new attempt does not change since when a job is due. It leaves out jobs of deleted Lists, which send
// nothing. As for the figures (package app), each kind has a queue of the same name and a statement of its own.
func oldestMails(tx *db.Tx, kinds []string, since int64) ([]oldestMail, error) {
	var rows []string
	for _, state := range []string{"available", "retryable", "scheduled"} {
		rows = append(rows, fmt.Sprintf(`SELECT * FROM (SELECT %s AS created, %s AS due, coalesce(%s, 0) AS list_id,
			%s AS account_id FROM river_job WHERE state = '%s' AND queue = ?1
			ORDER BY priority, scheduled_at, id LIMIT %d) %s`, tx.SQL.JobCreated, tx.SQL.JobDue,
			tx.SQL.JobNumber("list_id"), tx.SQL.JobNumber("account_id"), state, agedMails, state))
	}
	query := `SELECT coalesce(list.account_id, job.account_id) AS owner,
			min(CASE WHEN due > created THEN due ELSE created END) AS oldest
		FROM (` + strings.Join(rows, " UNION ALL ") + `) job
		LEFT JOIN list ON list.id = job.list_id AND list.hidden = 0
		WHERE created <= ?2 AND due <= ?2 AND (job.list_id = 0 OR list.id IS NOT NULL)
		GROUP BY coalesce(list.account_id, job.account_id)`
	oldest := make(map[enlist.AccountID]int64)
	for _, kind := range kinds {
		err := tx.Each(func(row *db.Cursor) error {
			account, due := enlist.AccountID(row.Int()), row.Int()
			if known, ok := oldest[account]; !ok || due < known {
				oldest[account] = due
			}
			return nil
		}, query, kind, since)
		if err != nil {
			return nil, err
		}
	}
	sorted := make([]oldestMail, 0, len(oldest))
	for _, account := range slices.Sorted(maps.Keys(oldest)) { // one order, so that no two processes lock each other out
		sorted = append(sorted, oldestMail{account, oldest[account]})
	}
	return sorted, nil
}

// PutQueueAge stores an age of an Account for the agePeriod of its time, unless a larger one is stored. Jobs of a removed
// Account can be left, so the Account may not exist.
func PutQueueAge(tx *db.Tx, account enlist.AccountID, a QueueAge) error {
	return tx.Do(`INSERT INTO queue_age (account_id, time, age)
		SELECT id, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM account WHERE id = ?
		ON CONFLICT (account_id, time) DO UPDATE SET age = excluded.age WHERE excluded.age > queue_age.age`,
		periodOf(a.Time), a.Age, int64(account))
}

// queueAges returns the stored ages of an Account from a time on, by time.
func queueAges(tx *db.Tx, account enlist.AccountID, from int64) (map[int64]int64, error) {
	ages := make(map[int64]int64)
	return ages, tx.Each(func(row *db.Cursor) error {
		at := row.Int()
		ages[at] = row.Int()
		return nil
	}, "SELECT time, age FROM queue_age WHERE account_id = ? AND time >= ?", int64(account), from)
}

// RemoveQueueAges removes the ages of an Account.
func RemoveQueueAges(tx *db.Tx, account enlist.AccountID) error {
	return tx.Do("DELETE FROM queue_age WHERE account_id = ?", int64(account))
}
