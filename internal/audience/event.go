package audience

import "strings"

// Event says what happened to a Contact, in the words of an autoresponder's
// event_type.
type Event string

// The events that set mail in motion.
const (
	EventSubscribe     Event = "subscribe"
	EventUnsubscribe   Event = "unsubscribe"
	EventUpdateProfile Event = "update_profile"
	EventConfirm       Event = "confirm"
	EventAPIUpload     Event = "api_upload" // added by addContacts
)

// emit sets in motion what an event of a Contact causes: a message to each
// address of the List that is told of such events, and the autoresponders for
// it. decisions.md: 44
func emit(tx Tx, schema *Schema, id ContactID, event Event, now int64) error {
	if err := enqueueNotifications(tx, schema, id, event, now); err != nil {
		return err
	}
	return enqueueAutoresponders(tx, schema, id, event, now)
}

// enqueueNotifications sets a message to each address that is told of an event in motion.
func enqueueNotifications(tx Tx, schema *Schema, id ContactID, event Event, now int64) error {
	addresses := schema.List.recipients(event)
	if addresses == "" {
		return nil
	}
	for address := range strings.SplitSeq(addresses, ",") {
		if address = strings.TrimSpace(address); address == "" {
			continue
		}
		err := tx.Enqueue(Notify{List: schema.List.ID, Contact: id, Event: event, Address: address, Time: now})
		if err != nil {
			return err
		}
	}
	return nil
}

// recipients returns the addresses, separated by commas, that hear of an event.
func (l *List) recipients(event Event) string {
	switch event {
	case EventSubscribe:
		return l.OnRegister
	case EventUpdateProfile:
		return l.OnUpdate
	case EventUnsubscribe:
		return l.OnUnsubscribe
	}
	return ""
}

// enqueueAutoresponders sets the List's autoresponders for an event in motion.
func enqueueAutoresponders(tx Tx, schema *Schema, id ContactID, event Event, now int64) error {
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

// confirmationInterval is how long nobody is asked a second time to confirm, in
// seconds. decisions.md: 47
const confirmationInterval = 10 * 60

// askToConfirm asks a Contact to confirm, unless that was done a short time ago.
func requestConfirmation(tx Tx, list ListID, id ContactID, now int64) error {
	may, err := tx.MarkConfirmationRequested(list, id, now, now-confirmationInterval)
	if err != nil || !may {
		return err
	}
	return tx.Enqueue(RequestConfirmation{List: list, Contact: id, Time: now})
}

// subscribed sets in motion what follows when a Contact has come to be
// subscribed. Where the List wants subscriptions confirmed, autoresponders wait
// until this one is. specification: Events; decisions.md: 47
func emitSubscribed(tx Tx, schema *Schema, contact *Contact, now int64) error {
	if !schema.List.DoubleOptIn || contact.DoubleOptIn {
		return emit(tx, schema, contact.ID, EventSubscribe, now)
	}
	if err := enqueueNotifications(tx, schema, contact.ID, EventSubscribe, now); err != nil {
		return err
	}
	if err := tx.MarkSubscriptionPending(schema.List.ID, contact.ID); err != nil {
		return err
	}
	return requestConfirmation(tx, schema.List.ID, contact.ID, now)
}
