package recipients

import (
	"maps"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the events of recipients.

func mapRecipientEvent(m *db.Mapper, e *Event) {
	m.NaturalKey("list_id", (*int64)(&e.List))
	m.NaturalKey("batch_id", (*int64)(&e.Batch))
	m.NaturalKey("contact_id", (*int64)(&e.Contact))
	m.NaturalKey("kind", (*string)(&e.Kind))
	m.NaturalKey("link_id", (*int64)(&e.Link))
	m.Value("time", &e.Time)
	m.Value("last_time", &e.LastTime)
	m.Value("count", &e.Count)
	m.Value("human_time", &e.Human)
	m.Value("device", (*string)(&e.Device))
	m.Value("mail_client", &e.Client)
}

var eventTable = db.NewMapping("recipient_event", mapRecipientEvent)

// Events returns the events of a recipient, in order of link.
func Events(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, contact enlist.ContactID) (
	[]Event, error) {
	return eventTable.All(tx, "WHERE list_id = ? AND batch_id = ? AND contact_id = ? ORDER BY link_id",
		int64(list), int64(batch), int64(contact))
}

// EventsByBatch returns the events of a Contact in some Batches, those of a Batch in order of link.
func EventsByBatch(tx *db.Tx, among []enlist.BatchID, list enlist.ListID, contact enlist.ContactID) (
	map[enlist.BatchID][]Event, error) {
	query, first, err := lookUpInBatches(tx, among, eventTable.Columns, "recipient_event",
		"list_id = ? AND contact_id = ?")
	if err != nil {
		return nil, err
	}
	events := make(map[enlist.BatchID][]Event)
	return events, eventTable.EachOf(tx, func(e *Event) error {
		events[e.Batch] = append(events[e.Batch], *e)
		return nil
	}, query+" ORDER BY link_id, kind", first, int64(list), int64(contact))
}

// Put stores an event of a recipient.
func (e *Event) Put(tx *db.Tx) error {
	return eventTable.Put(tx, e)
}

// ForgetAccesses removes the opens and clicks of a Contact that were recorded between two times. An event that began
// before keeps its first time. It returns the times of the last open and the last click that are left. The sums of the
// Batches stay, because they name no person.
func ForgetAccesses(tx *db.Tx, among []enlist.BatchID, list enlist.ListID, contact enlist.ContactID, since,
	until int64) (opened, clicked int64, err error) {
	stored, err := EventsByBatch(tx, among, list, contact)
	if err != nil {
		return 0, 0, err
	}
	for _, batch := range slices.Sorted(maps.Keys(stored)) {
		for i := range stored[batch] {
			e := &stored[batch][i]
			if !e.isAccess() {
				continue
			}
			left, err := e.forget(tx, since, until)
			switch {
			case err != nil:
				return 0, 0, err
			case left && e.Kind == EventOpened:
				opened = max(opened, e.LastTime)
			case left:
				clicked = max(clicked, e.LastTime)
			}
		}
	}
	return opened, clicked, nil
}

// isAccess reports whether the event is recorded only if the person does not refuse it.
func (e *Event) isAccess() bool {
	return e.Kind == EventOpened || e.Kind == EventClicked || e.Kind == EventLink
}

// forget removes what the event has between two times. left is false if it was deleted.
func (e *Event) forget(tx *db.Tx, since, until int64) (left bool, err error) {
	switch {
	case e.LastTime < since || e.Time >= until:
		return true, nil
	case e.Time >= since:
		return false, tx.Do(`DELETE FROM recipient_event WHERE list_id = ? AND batch_id = ? AND contact_id = ? AND kind = ?
			AND link_id = ?`, int64(e.List), int64(e.Batch), int64(e.Contact), string(e.Kind), int64(e.Link))
	case e.LastTime >= until: // only the number of events tells of those between
		return true, nil
	}
	if e.Human >= since {
		e.Human = 0
	}
	e.LastTime, e.Count = max(e.Time, e.Human), 1
	return true, e.Put(tx)
}
