package accounts

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the settings: a row for each value that is not the default.

// loadSettings returns all stored settings, in order of Account and name.
func loadSettings(tx *db.Tx) (all []StoredSetting, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		all = append(all, StoredSetting{enlist.AccountID(row.Int()), row.Text(), row.Text()})
		return nil
	}, "SELECT account_id, name, value FROM setting ORDER BY account_id, name")
	return all, err
}

// setSetting stores a value, or replaces the one that is stored.
func setSetting(tx *db.Tx, v StoredSetting) error {
	return tx.Do(`INSERT INTO setting (account_id, name, value) VALUES (?, ?, ?)
		ON CONFLICT (account_id, name) DO UPDATE SET value = excluded.value`, int64(v.Account), v.Name, v.Value)
}

// deleteSetting removes a value, so that the default holds. Without a value it does nothing.
func deleteSetting(tx *db.Tx, account enlist.AccountID, name string) error {
	return tx.Do("DELETE FROM setting WHERE account_id = ? AND name = ?", int64(account), name)
}
