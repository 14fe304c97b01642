package events

import (
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file says what an event of a Contact causes: notifications to the List's addresses and autoresponders. The
// transaction of the event stores a job for each of these (jobs.go). Webhooks are in webhook.go.

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
