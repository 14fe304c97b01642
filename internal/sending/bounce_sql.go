package sending

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores, for each Contact, the time up to which its bounces are ignored.

// BouncesSince returns the time up to which a Contact's bounces are ignored. It returns 0 if no
// bounce is ignored.
func BouncesSince(tx *db.Tx, list enlist.ListID, id enlist.ContactID) (int64, error) {
	return tx.Number("SELECT bounce_time FROM contact WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// SetBouncesSince sets the time up to which a Contact's bounces are ignored.
func SetBouncesSince(tx *db.Tx, list enlist.ListID, id enlist.ContactID, at int64) error {
	return tx.Do("UPDATE contact SET bounce_time = ? WHERE list_id = ? AND id = ?", at, int64(list), int64(id))
}
