package contacts

import (
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores what the mails of a Contact change of it: their times, and the time up to which bounces are ignored.

// RaiseTimes sets the times of a Contact's last message, open and click. If a time is earlier
// than the stored time, the stored time stays.
func RaiseTimes(tx *db.Tx, list enlist.ListID, id enlist.ContactID, message, open, click int64) error {
	return tx.Do(`UPDATE contact SET
			last_message_time = CASE WHEN last_message_time < ?1 THEN ?1 ELSE last_message_time END,
			last_open_time = CASE WHEN last_open_time < ?2 THEN ?2 ELSE last_open_time END,
			last_click_time = CASE WHEN last_click_time < ?3 THEN ?3 ELSE last_click_time END
		WHERE list_id = ?4 AND id = ?5`, message, open, click, int64(list), int64(id))
}

// Sent stores when Contacts were sent a mail, unless a later time is stored.
func Sent(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID, now int64) error {
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return err
	}
	return tx.Do("UPDATE contact SET last_message_time = ? WHERE list_id = ? AND "+test+" AND last_message_time < ?",
		slices.Concat([]any{now, int64(list)}, args, []any{now})...)
}

// BouncesSince returns the time up to which a Contact's bounces are ignored. It returns 0 if no
// bounce is ignored.
func BouncesSince(tx *db.Tx, list enlist.ListID, id enlist.ContactID) (int64, error) {
	return tx.Number("SELECT bounce_time FROM contact WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// SetBouncesSince sets the time up to which a Contact's bounces are ignored.
func SetBouncesSince(tx *db.Tx, list enlist.ListID, id enlist.ContactID, at int64) error {
	return tx.Do("UPDATE contact SET bounce_time = ? WHERE list_id = ? AND id = ?", at, int64(list), int64(id))
}
