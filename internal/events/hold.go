package events

import (
	"enlist/internal/accounts"
	"enlist/internal/db"
)

// Hold says that no mail is sent.
type Hold struct {
	Reason     string
	Time       int64 // when it began
	BackupTime int64 // when the backup was made that was restored; 0: the operator began the hold, and webhooks are posted
}

// Restored reports whether the hold began with a restore.
func (h *Hold) Restored() bool { return h != nil && h.BackupTime > 0 }

// AuditValues returns the values of a hold, or nil if there is none.
func (h *Hold) AuditValues() accounts.AuditValues {
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

// SetHold stores the hold.
func SetHold(tx *db.Tx, h *Hold) error {
	return tx.Do(`INSERT INTO mail_hold (id, reason, time, backup_time) VALUES (1, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, time = excluded.time, backup_time = excluded.backup_time`,
		h.Reason, h.Time, h.BackupTime)
}

// DeleteHold removes the hold.
func DeleteHold(tx *db.Tx) (bool, error) {
	n, err := tx.Exec("DELETE FROM mail_hold WHERE id = 1")
	return n > 0, err
}
