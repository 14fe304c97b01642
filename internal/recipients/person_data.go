package recipients

import (
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file says what this package has of a person, and what of it is old. Package privacy exports, erases and removes it.

// PersonTables returns the tables with the mails to persons, and with the events of these mails. batchesOf returns the
// Batches of a List.
func PersonTables(batchesOf func(*db.Tx, enlist.ListID) ([]enlist.BatchID, error)) (mails, events db.PersonTable) {
	lookUp := func(tx *db.Tx, list enlist.ListID, columns, table, further string) (string, any, error) {
		among, err := batchesOf(tx, list)
		if err != nil {
			return "", nil, err
		}
		return lookUpInBatches(tx, among, columns, table, further)
	}
	mails = db.PersonTable{Name: "recipient", Address: "address", Key: "list_id, batch_id, contact_id",
		Contact: "list_id = ? AND contact_id = ?", LookUp: lookUp, Order: " ORDER BY batch_id",
		Columns: `list_id contact_id batch_id slice status time attempts address detail sent_time unsubscribed_time
			deactivated_time unmeasured`}
	events = db.PersonTable{Name: "recipient_event",
		Contact: "list_id = ? AND contact_id = ?", LookUp: lookUp, Order: " ORDER BY batch_id, kind, link_id",
		Columns: "list_id contact_id batch_id kind link_id time last_time count human_time device mail_client"}
	return mails, events
}

const ofBatch = "list_id = ? AND batch_id = ?"

// OldEvents returns the opens and clicks of mails of a Batch to a List that were sent before a time. Those of an
// autoresponder belong to its last mail to the Contact.
func OldEvents(list enlist.ListID, batch enlist.BatchID, before int64, ended bool) *db.OldRows {
	o := &db.OldRows{Table: "recipient_event", Where: ofBatch, Args: []any{int64(list), int64(batch)}, Time: "time",
		Test: "time < ? AND kind IN ('opened', 'clicked', 'link')", TestArgs: []any{before},
		Remove: "DELETE FROM recipient_event"}
	if !ended {
		o.Test = `kind IN ('opened', 'clicked', 'link') AND EXISTS (SELECT 1 FROM recipient r WHERE r.list_id = ?
			AND r.batch_id = ? AND r.contact_id = recipient_event.contact_id AND r.sent_time < ?)`
		o.TestArgs = []any{int64(list), int64(batch), before}
	}
	return o
}

// OldTexts returns the recipients of a Batch in a List from before a time whose texts can be removed. The rule of
// bounces compares the addresses of bounced mails. An erased address stays marked as such.
func OldTexts(list enlist.ListID, batch enlist.BatchID, before int64) *db.OldRows {
	const sent = "CASE WHEN sent_time <> 0 THEN sent_time ELSE time END"
	return &db.OldRows{Table: "recipient", Where: ofBatch, Args: []any{int64(list), int64(batch)}, Time: sent,
		Test: sent + " < ? AND address <> '" + contacts.ErasedAddress +
			"' AND (detail <> '' OR address <> '' AND status <> 'bounced')",
		TestArgs: []any{before},
		Remove:   "UPDATE recipient SET detail = '', address = CASE WHEN status = 'bounced' THEN address ELSE '' END"}
}
