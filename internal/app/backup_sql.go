package app

import "enlist/internal/db"

// This file stores the state of the backups: a table with one row, or none.

func mapBackup(m *db.Mapper, b *Backup) {
	m.Value("time", &b.Time)
	m.Value("name", &b.Name)
	m.Value("tried_time", &b.Tried)
	m.Value("lease_time", &b.Lease)
	m.Value("every", &b.Every)
	m.Value("error", &b.Error)
}

var backupTable = db.NewMapping("backup", mapBackup)

// LoadBackup returns the state, or nil if there was no backup. In an Update it locks the state.
func LoadBackup(tx *db.Tx) (*Backup, error) {
	if err := tx.LockToWrite("backup"); err != nil {
		return nil, err
	}
	return backupTable.One(tx, nil, "WHERE id = 1")
}

// SetBackup stores the state.
func SetBackup(tx *db.Tx, b *Backup) error {
	return tx.Do(`INSERT INTO backup (id, time, name, tried_time, lease_time, every, error) VALUES (1, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET time = excluded.time, name = excluded.name, tried_time = excluded.tried_time,
			lease_time = excluded.lease_time, every = excluded.every, error = excluded.error`,
		b.Time, b.Name, b.Tried, b.Lease, b.Every, b.Error)
}
