package events

import (
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file says what an event of a Contact causes: notifications to the List's addresses,
// autoresponders, and the request to confirm a subscription. The transaction of the event
// stores a job for each of these (jobs.go). Webhooks are in webhook.go.

// Emit enqueues the mail that an event of a Contact causes: notifications to addresses of the
// List, and the autoresponders for the event. decisions.md: 44
func Emit(tx *db.Tx, schema *enlist.Schema, id enlist.ContactID, event enlist.Event, now int64) error {
	if err := EnqueueNotifications(tx, schema, id, event, now); err != nil {
		return err
	}
	return EnqueueAutoresponders(tx, schema, id, event, now)
}

// EnqueueNotifications enqueues one notification for each recipient of an event.
func EnqueueNotifications(tx *db.Tx, schema *enlist.Schema, id enlist.ContactID, event enlist.Event, now int64) error {
	addresses := schema.List.Recipients(event)
	if addresses == "" {
		return nil
	}
	for address := range strings.SplitSeq(addresses, ",") {
		address = strings.TrimSpace(address)
		if address == "" {
			continue
		}
		err := tx.Enqueue(Notify{List: schema.List.ID, Contact: id, Event: event, Address: address, Time: now})
		if err != nil {
			return err
		}
	}
	return nil
}

// EnqueueAutoresponders enqueues a job for each active autoresponder that the List has for this
// type of event.
// The job runs when the autoresponder is due.
func EnqueueAutoresponders(tx *db.Tx, schema *enlist.Schema, id enlist.ContactID, event enlist.Event, now int64) error {
	for i := range schema.Autoresponders {
		a := &schema.Autoresponders[i]
		if !a.IsActive || a.Event != event {
			continue
		}
		due, ok := a.Due(now, schema.TimeZone)
		if !ok {
			continue
		}
		err := tx.Enqueue(Autorespond{List: schema.List.ID, Contact: id, Autoresponder: a.ID, Time: now, Due: due})
		if err != nil {
			return err
		}
	}
	return nil
}

// AskToConfirm enqueues the request to confirm a subscription, unless TakeMailbox refuses it.
func AskToConfirm(tx *db.Tx, contact *enlist.ByID, now int64) error {
	return askToConfirm(tx, contact, now, now)
}

// askToConfirm is AskToConfirm for an event at a time.
func askToConfirm(tx *db.Tx, c *enlist.ByID, at, now int64) error {
	may, err := TakeMailbox(tx, c.ListID, AskedConfirmation, c.Key, now)
	if err != nil || !may {
		return err
	}
	if err := markConfirmationRequested(tx, c.ListID, c.ID, at); err != nil {
		return err
	}
	return tx.Enqueue(RequestConfirmation{List: c.ListID, Contact: c.ID, Time: at})
}

// ConfirmNewAddress enqueues the request to confirm for a Contact whose address has changed, if the
// List requires confirmation. confirmed says whether the Contact had confirmed with the earlier
// address. Then its subscribe autoresponders have started, and a second confirmation must not start
// them again. The requests to an earlier address of another mailbox do not delay this request. reference.md: event.confirm
func ConfirmNewAddress(tx *db.Tx, schema *enlist.Schema, contact *enlist.ByID, confirmed bool, now int64) error {
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

// EmitSubscribed enqueues the mail that a new subscription causes. If the Contact
// must confirm the subscription first, EmitSubscribed enqueues only the notifications and the
// request to confirm. The confirmation then enqueues the autoresponders.
// reference.md: Events, event.confirm
func EmitSubscribed(tx *db.Tx, schema *enlist.Schema, contact *enlist.ByID, now int64) error {
	if !schema.List.DoubleOptIn || contact.DoubleOptIn {
		return Emit(tx, schema, contact.ID, enlist.EventSubscribe, now)
	}
	if err := EnqueueNotifications(tx, schema, contact.ID, enlist.EventSubscribe, now); err != nil {
		return err
	}
	if err := MarkSubscriptionPending(tx, schema.List.ID, contact.ID); err != nil {
		return err
	}
	return AskToConfirm(tx, contact, now)
}
