package sending

import "enlist/internal/db"

// This file counts and deletes the jobs that a hold keeps back.

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
