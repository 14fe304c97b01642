package sending

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file stores the hold of all mails: a table with one row, or none. It also counts and deletes the jobs and
// events that a hold keeps back.

// SetHold stores the hold.
func SetHold(tx *db.Tx, h *events.Hold) error {
	return tx.Do(`INSERT INTO mail_hold (id, reason, time, backup_time) VALUES (1, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, time = excluded.time, backup_time = excluded.backup_time`,
		h.Reason, h.Time, h.BackupTime)
}

// deleteHold removes the hold.
func deleteHold(tx *db.Tx) (bool, error) {
	n, err := tx.Exec("DELETE FROM mail_hold WHERE id = 1")
	return n > 0, err
}

// unfinished is the condition for jobs that the queue will still run.
const unfinished = "state IN ('available', 'pending', 'retryable', 'running', 'scheduled')"

// heldJobs returns, by kind, how many jobs of these kinds are due at now, when the oldest was stored, and how many
// were stored and due at upto.
func heldJobs(tx *db.Tx, kinds []string, now, upto int64) (all []HeldWork, err error) {
	test, arg, err := tx.OneOfTexts(kinds)
	if err != nil {
		return nil, err
	}
	created, due := tx.SQL.JobCreated, tx.SQL.JobDue
	query := "SELECT kind, count(*), min(" + created + "), sum(CASE WHEN " + created + " <= ? AND " + due + ` <= ?
		THEN 1 ELSE 0 END) FROM river_job WHERE ` + unfinished + " AND " + due + " <= ? AND kind" + test +
		" GROUP BY kind ORDER BY kind"
	err = tx.Each(func(c *db.Cursor) error {
		all = append(all, HeldWork{Kind: c.Text(), Count: c.Int(), Oldest: c.Int(), Before: c.Int()})
		return nil
	}, query, upto, upto, now, arg)
	return all, err
}

// discardJobs deletes up to limit jobs of these kinds that were stored and due at upto. It leaves a job that began
// to run after upto.
func discardJobs(tx *db.Tx, kinds []string, upto int64, limit int) (int64, error) {
	test, arg, err := tx.OneOfTexts(kinds)
	if err != nil {
		return 0, err
	}
	return tx.Exec("DELETE FROM river_job WHERE id IN (SELECT id FROM river_job WHERE "+unfinished+
		" AND "+tx.SQL.JobCreated+" <= ? AND "+tx.SQL.JobDue+" <= ? AND kind"+test+
		" AND (state <> 'running' OR "+tx.SQL.JobAttempted+" <= ?) ORDER BY id LIMIT CAST(? AS BIGINT))",
		upto, upto, arg, upto, int64(limit))
}

// posted selects events of targets that are not failing.
const posted = "FROM webhook_event WHERE target_id IN (SELECT id FROM webhook_target WHERE is_failing = 0)"

// heldEvents is heldJobs for the events of webhooks that are not failing.
func heldEvents(tx *db.Tx, upto int64) (w HeldWork, err error) {
	err = tx.Each(func(c *db.Cursor) error {
		w.Count, w.Oldest, w.Before = c.Int(), c.Int(), c.Int()
		return nil
	}, "SELECT count(*), min(time), sum(CASE WHEN time <= ? THEN 1 ELSE 0 END) "+posted, upto)
	return w, err
}

// discardEvents deletes up to limit events of webhooks that are not failing and that happened until upto.
func discardEvents(tx *db.Tx, upto int64, limit int) (int64, error) {
	return tx.Exec("DELETE FROM webhook_event WHERE id IN (SELECT id "+posted+
		" AND time <= ? ORDER BY id LIMIT CAST(? AS BIGINT))", upto, int64(limit))
}

// waitingTargets returns a job for each webhook target that has events.
func waitingTargets(tx *db.Tx) (all []events.DeliverWebhook, err error) {
	err = tx.Each(func(c *db.Cursor) error {
		all = append(all, events.DeliverWebhook{Target: enlist.WebhookTargetID(c.Int()),
			Account: enlist.AccountID(c.Int())})
		return nil
	}, `SELECT id, account_id FROM webhook_target
		WHERE EXISTS (SELECT 1 FROM webhook_event WHERE target_id = webhook_target.id) ORDER BY id`)
	return all, err
}
