package accounts

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the settings: a row for each value that is not the default.

// loadSettings returns all stored settings, in order of Account and name.
func loadSettings(tx *db.Tx) ([]StoredSetting, error) {
	return db.RowsOf(tx, func(row *db.Cursor) StoredSetting {
		return StoredSetting{enlist.AccountID(row.Int()), row.Text(), row.Text()}
	}, "SELECT account_id, name, value FROM setting ORDER BY account_id, name")
}
