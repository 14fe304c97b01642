package recipients

import (
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
