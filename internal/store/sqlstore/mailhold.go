package sqlstore

// This file stores the hold of all mails: a table with one row, or none.

import "enlist/internal/audience"

func mapHold(m *mapper, h *audience.Hold) {
	m.value("reason", &h.Reason)
	m.value("time", &h.Time)
}

var holdTable = newMapping("mail_hold", mapHold)

// Hold returns the hold, or nil if none is stored.
func (t *Tx) Hold() (*audience.Hold, error) { return holdTable.one(t, nil, "WHERE id = 1") }

// SetHold stores the hold.
func (t *Tx) SetHold(h *audience.Hold) error {
	return t.conn.Do(`INSERT INTO mail_hold (id, reason, time) VALUES (1, ?, ?)
		ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, time = excluded.time`, h.Reason, h.Time)
}

// DeleteHold removes the hold.
func (t *Tx) DeleteHold() (bool, error) {
	n, err := t.conn.Exec("DELETE FROM mail_hold WHERE id = 1")
	return n > 0, err
}
