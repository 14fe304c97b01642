package sending

import (
	"enlist/internal/accounts"
	"enlist/internal/db"
)

// This file stores the hold, and counts and deletes the jobs that it keeps back.

// Hold says that no mail is sent.
type Hold struct {
	Reason     string
	Time       int64 // when it began
	BackupTime int64 // when the backup was made that was restored; 0: the operator began the hold, and webhooks are posted
}

// Restored reports whether the hold began with a restore.
func (h *Hold) Restored() bool { return h != nil && h.BackupTime > 0 }

// auditValues returns the values of a hold, or nil if there is none.
func (h *Hold) auditValues() accounts.AuditValues {
	if h == nil {
		return nil
	}
	return accounts.AuditValues{"reason": h.Reason, "time": h.Time, "backup_time": h.BackupTime}
}

func mapHold(m *db.Mapper, h *Hold) {
	m.Value("reason", &h.Reason)
	m.Value("time", &h.Time)
	m.Value("backup_time", &h.BackupTime)
}

var holdTable = db.NewMapping("mail_hold", mapHold)

// LoadHold returns the hold, or nil if none is stored.
func LoadHold(tx *db.Tx) (*Hold, error) { return holdTable.One(tx, nil, "WHERE id = 1") }

// StopsWebhooks reports whether a hold stops webhooks too: one that began with a restore.
func StopsWebhooks(tx *db.Tx) (bool, error) {
	hold, err := LoadHold(tx)
	return hold.Restored(), err
}

func (h *Hold) save(tx *db.Tx) error {
	return tx.Do(`INSERT INTO mail_hold (id, reason, time, backup_time) VALUES (1, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, time = excluded.time, backup_time = excluded.backup_time`,
		h.Reason, h.Time, h.BackupTime)
}

func deleteHold(tx *db.Tx) (bool, error) {
	n, err := tx.Exec("DELETE FROM mail_hold WHERE id = 1")
	return n > 0, err
}

// unfinished is the condition for jobs that the queue will still run.
const unfinished = "state IN ('available', 'pending', 'retryable', 'running', 'scheduled')"

// heldJobs returns, by kind, how many jobs of these kinds are due at now, when the oldest was stored, and how many
// were stored and due at upto.
func heldJobs(tx *db.Tx, kinds []string, now, upto int64) ([]HeldWork, error) {
	test, arg, err := tx.OneOfTexts(kinds)
	if err != nil {
		return nil, err
	}
	created, due := tx.SQL.JobCreated, tx.SQL.JobDue
	query := "SELECT kind, count(*), min(" + created + "), sum(CASE WHEN " + created + " <= ? AND " + due + ` <= ?
		THEN 1 ELSE 0 END) FROM river_job WHERE ` + unfinished + " AND " + due + " <= ? AND kind" + test +
		" GROUP BY kind ORDER BY kind"
	return db.RowsOf(tx, func(c *db.Cursor) HeldWork {
		return HeldWork{Kind: c.Text(), Count: c.Int(), Oldest: c.Int(), Before: c.Int()}
	}, query, upto, upto, now, arg)
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
