package audience

// This file stores the state of the backups: a table with one row, or none.

func mapBackup(m *mapper, b *Backup) {
	m.value("time", &b.Time)
	m.value("name", &b.Name)
	m.value("tried_time", &b.Tried)
	m.value("lease_time", &b.Lease)
	m.value("every", &b.Every)
	m.value("error", &b.Error)
}

var backupTable = newMapping("backup", mapBackup)

// Backup returns the state, or nil if there was no backup. In an Update it locks the state.
func (t *Tx) Backup() (*Backup, error) {
	if err := t.lockToWrite("backup"); err != nil {
		return nil, err
	}
	return backupTable.one(t, nil, "WHERE id = 1")
}

// SetBackup stores the state.
func (t *Tx) SetBackup(b *Backup) error {
	return t.Do(`INSERT INTO backup (id, time, name, tried_time, lease_time, every, error) VALUES (1, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET time = excluded.time, name = excluded.name, tried_time = excluded.tried_time,
			lease_time = excluded.lease_time, every = excluded.every, error = excluded.error`,
		b.Time, b.Name, b.Tried, b.Lease, b.Every, b.Error)
}
