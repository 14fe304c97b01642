package events

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// markConfirmationRequested stores the time of the last request to confirm a Contact's subscription.
func markConfirmationRequested(tx *db.Tx, list enlist.ListID, id enlist.ContactID, at int64) error {
	return tx.Do("UPDATE contact SET confirmation_time = ? WHERE list_id = ? AND id = ?", at, int64(list), int64(id))
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
