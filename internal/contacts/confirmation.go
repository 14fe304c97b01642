package contacts

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file has the double opt-in: which subscriptions wait for a confirmation, and when a request to confirm is sent.

// AskToConfirm enqueues the request to confirm a subscription, unless TakeMailbox refuses it.
func AskToConfirm(tx *db.Tx, contact *enlist.Contact, now int64) error {
	return askToConfirm(tx, contact, now, now)
}

// askToConfirm is AskToConfirm for an event at a time.
func askToConfirm(tx *db.Tx, c *enlist.Contact, at, now int64) error {
	may, err := TakeMailbox(tx, c.ListID, AskedConfirmation, c.Key, now)
	if err != nil || !may {
		return err
	}
	const asked = "UPDATE contact SET confirmation_time = ? WHERE list_id = ? AND id = ?"
	if err := tx.Do(asked, at, int64(c.ListID), int64(c.ID)); err != nil {
		return err
	}
	return tx.Enqueue(RequestConfirmation{List: c.ListID, Contact: c.ID, Time: at})
}

// confirmNewAddress enqueues the request to confirm for a Contact whose address has changed, if the
// List requires confirmation. confirmed says whether the Contact had confirmed with the earlier
// address. Then its subscribe autoresponders have started, and a second confirmation must not start
// them again. The requests to an earlier address of another mailbox do not delay this request. reference.md:
// event.confirm
func confirmNewAddress(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, confirmed bool, now int64) error {
	if !schema.List.DoubleOptIn && !confirmed {
		return nil
	}
	last, err := forgetConfirmation(tx, contact.ListID, contact.ID, confirmed)
	if err != nil || !schema.List.DoubleOptIn || contact.IsUnsubscribed {
		return err
	}
	// A later time than that of the last request gives this request another DeliveryKey, also in
	// the same second. Otherwise the link to the earlier address could confirm the new one.
	return askToConfirm(tx, contact, max(now, last+1), now)
}

// emitSubscribed enqueues the mail that a new subscription causes. If the Contact
// must confirm the subscription first, emitSubscribed enqueues only the notifications and the
// request to confirm. The confirmation then enqueues the autoresponders.
// reference.md: Events, event.confirm
func emitSubscribed(tx *db.Tx, schema *enlist.Schema, contact *enlist.Contact, now int64) error {
	if !schema.List.DoubleOptIn || contact.DoubleOptIn {
		return events.Emit(tx, schema, contact.ID, enlist.EventSubscribe, now)
	}
	if err := events.EnqueueNotifications(tx, schema, contact.ID, enlist.EventSubscribe, now); err != nil {
		return err
	}
	if err := MarkSubscriptionPending(tx, schema.List.ID, contact.ID); err != nil {
		return err
	}
	return AskToConfirm(tx, contact, now)
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
