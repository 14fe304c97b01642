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
