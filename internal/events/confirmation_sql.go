package events

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// MarkConfirmationRequested stores now as the time of a Contact's confirmation mail, and returns whether
// to send the mail. It returns false if the stored time of the Contact is later than the argument before.
// It also returns false if the stored time of the previous Contact with the same address in the List is
// later than before. It ignores a stored time in the future: that time was stored before the clock was
// set back.
func MarkConfirmationRequested(tx *db.Tx, list enlist.ListID, id enlist.ContactID, now, before int64) (
	marked bool, err error) {
	last, err := tx.Number(`SELECT other.confirmation_time FROM contact
		JOIN contact other ON other.list_id = ?1 AND other.id = coalesce(
			(SELECT d.id FROM contact d WHERE d.list_id = ?1 AND d.duplicate_key = contact.duplicate_key
				AND d.id < contact.id ORDER BY d.id DESC LIMIT 1),
			(SELECT d.id FROM contact d WHERE d.list_id = ?1 AND d.dedupe_key = contact.duplicate_key))
		WHERE contact.list_id = ?1 AND contact.id = ?2`, int64(list), int64(id))
	if err != nil {
		return false, err
	}
	at, allowed := now, true
	if last > before && last <= now {
		at, allowed = last, false
	}
	n, err := tx.Exec(`UPDATE contact SET confirmation_time = ?
		WHERE list_id = ? AND id = ? AND (confirmation_time <= ? OR confirmation_time > ?)`,
		at, int64(list), int64(id), before, now)
	return allowed && n > 0, err
}

// forgetConfirmation sets the stored time of a Contact's confirmation mail to 0 and returns the earlier
// value. If started is true, the subscription no longer waits for a confirmation.
func forgetConfirmation(tx *db.Tx, list enlist.ListID, id enlist.ContactID, started bool) (last int64, err error) {
	last, err = tx.Number("SELECT confirmation_time FROM contact WHERE list_id = ? AND id = ?", int64(list), int64(id))
	if err != nil {
		return 0, err
	}
	forget := "UPDATE contact SET confirmation_time = 0"
	if started {
		forget += ", subscription_waits = 0"
	}
	return last, tx.Do(forget+" WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// MarkSubscriptionPending stores that a Contact's subscription waits until the subscriber confirms it.
func MarkSubscriptionPending(tx *db.Tx, list enlist.ListID, id enlist.ContactID) error {
	return tx.Do("UPDATE contact SET subscription_waits = 1 WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// IsSubscriptionPending reports whether MarkSubscriptionPending was ever called for the Contact.
func IsSubscriptionPending(tx *db.Tx, list enlist.ListID, id enlist.ContactID) (bool, error) {
	n, err := tx.Number("SELECT subscription_waits FROM contact WHERE list_id = ? AND id = ?", int64(list), int64(id))
	return n > 0, err
}
