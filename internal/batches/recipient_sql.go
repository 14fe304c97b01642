package batches

import (
	"maps"
	"slices"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file stores the recipients of Batches, and finds the Contacts that become recipients. Each
// statement names one List.

func mapRecipient(m *db.Mapper, r *Recipient) {
	m.NaturalKey("list_id", (*int64)(&r.List))
	m.NaturalKey("batch_id", (*int64)(&r.Batch))
	m.NaturalKey("contact_id", (*int64)(&r.Contact))
	m.Fixed("slice", &r.Slice)
	m.Value("status", (*string)(&r.Status))
	m.Value("time", &r.Time)
	m.Value("attempts", &r.Attempts)
	m.Value("address", &r.Address)
	m.Value("detail", &r.Detail)
	m.Value("sent_time", &r.Sent)
	m.Value("unsubscribed_time", &r.Unsubscribed)
	m.Value("deactivated_time", &r.Deactivated)
}

var RecipientTable = db.NewMapping("recipient", mapRecipient)

// LoadRecipient returns a recipient, or ErrNotFound. With concurrent writers it locks the row in a
// transaction that writes.
func LoadRecipient(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, contact enlist.ContactID) (
	*Recipient, error) {
	byKey := "WHERE list_id = ? AND batch_id = ? AND contact_id = ?" + tx.Locking()
	return RecipientTable.One(tx, enlist.ErrNotFound, byKey, int64(list), int64(batch), int64(contact))
}

// SetRecipient stores the columns of a recipient that change.
func SetRecipient(tx *db.Tx, r *Recipient) error { return RecipientTable.Save(tx, r) }

// RecipientsOf returns those recipients of some Batches that are one of some Contacts.
func RecipientsOf(tx *db.Tx, among []enlist.BatchID, list enlist.ListID, ids []enlist.ContactID) (found []Recipient,
	err error) {
	test, args, err := tx.ContactTest("contact_id", ids)
	if err != nil {
		return nil, err
	}
	query, first, err := lookUpInBatches(tx, among, RecipientTable.Columns, "recipient", "list_id = ? AND "+test)
	if err != nil {
		return nil, err
	}
	err = RecipientTable.EachOf(tx, func(r *Recipient) error {
		found = append(found, *r)
		return nil
	}, query, append([]any{first, int64(list)}, args...)...)
	return found, err
}

// batchesOf returns the Batches of recipients, by ID.
func batchesOf(tx *db.Tx, rows []Recipient) (map[enlist.BatchID]*Batch, error) {
	known := make(map[enlist.BatchID]*Batch)
	for i := range rows {
		known[rows[i].Batch] = nil
	}
	test, ids, err := db.OneOfIDs(tx, slices.Collect(maps.Keys(known)))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return known, batchTable.Each(tx, func(b *Batch) error {
		known[b.ID] = b
		return nil
	}, "WHERE id"+test, ids)
}

const readCandidate = `SELECT id, coalesce(dedupe_key, duplicate_key), is_active, is_unsubscribed, double_opt_in
	FROM contact WHERE list_id = ? AND `

// Candidates returns the next Contacts of a List, in order of ID.
func Candidates(tx *db.Tx, list enlist.ListID, after, upto enlist.ContactID, limit int) ([]contacts.Candidate, error) {
	const page = readCandidate + "id > ? AND id <= ? ORDER BY id" + db.Limited
	return readCandidates(tx, page, int64(list), int64(after), int64(upto), int64(limit))
}

// CandidatesByID returns the Contacts of a List with the given IDs, in order of ID.
func CandidatesByID(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) ([]contacts.Candidate, error) {
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return nil, err
	}
	return readCandidates(tx, readCandidate+test+" ORDER BY id", append([]any{int64(list)}, args...)...)
}

func readCandidates(tx *db.Tx, query string, args ...any) (found []contacts.Candidate, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		found = append(found, contacts.Candidate{ID: enlist.ContactID(row.Int()), Key: row.Text(),
			IsActive: row.Int() != 0, IsUnsubscribed: row.Int() != 0, IsDoubleOptIn: row.Int() != 0})
		return nil
	}, query, args...)
	return found, err
}

// writeRecipients inserts the recipients of a slice. address is the expression of their addresses.
func writeRecipients(tx *db.Tx, s *NewSlice, address string, now int64) (added int64, err error) {
	test, args, err := tx.ContactTest("id", s.Contacts)
	if err != nil {
		return 0, err
	}
	return tx.Exec(`INSERT INTO recipient (list_id, batch_id, contact_id, slice, status, time, attempts, address, detail,
			sent_time, unsubscribed_time, deactivated_time)
		SELECT list_id, CAST(? AS BIGINT), id, CAST(? AS BIGINT), 'waiting', CAST(? AS BIGINT), 0, `+address+
		`, '', 0, 0, 0
		FROM contact WHERE list_id = ? AND `+test+" ORDER BY id ON CONFLICT DO NOTHING",
		append([]any{int64(s.Batch), s.Number, now, int64(s.List)}, args...)...)
}

var recipientColumns = []string{"list_id", "batch_id", "contact_id", "slice", "status", "time", "attempts", "address",
	"detail", "sent_time", "unsubscribed_time", "deactivated_time"}

// copyRecipients is writeRecipients for several slices, if none of the Contacts is a recipient of the Batch. For
// PostgreSQL, COPY is three times as fast as an INSERT that reads the Contacts.
func copyRecipients(tx *db.Tx, copier db.Copier, all []NewSlice, address string, now int64) (added int64, err error) {
	var ids []enlist.ContactID
	for i := range all {
		ids = append(ids, all[i].Contacts...)
	}
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return 0, err
	}
	list, batch := int64(all[0].List), int64(all[0].Batch)
	rows := make([][]any, 0, len(ids))
	err = tx.Each(func(row *db.Cursor) error {
		id := row.Int()
		for id > int64(all[0].Last) { // the Contacts and the slices are in order of ID
			all = all[1:]
		}
		rows = append(rows, []any{list, batch, id, all[0].Number, "waiting", now, 0, row.Text(), "", 0, 0, 0})
		return nil
	}, "SELECT id, "+address+" FROM contact WHERE list_id = ? AND "+test+" ORDER BY id",
		append([]any{list}, args...)...)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	if err := tx.Do(db.WriteOnWorker, list); err != nil {
		return 0, err
	}
	return int64(len(rows)), copier.Copy("recipient", recipientColumns, rows)
}

// RecipientKeys returns those addresses that a recipient of the Batch in the List has.
func RecipientKeys(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, keys []string) (found []string, err error) {
	test, arg, err := tx.OneOfTexts(keys)
	if err != nil {
		return nil, err
	}
	for _, column := range []string{"dedupe_key", "duplicate_key"} {
		err := tx.Each(func(row *db.Cursor) error {
			found = append(found, row.Text())
			return nil
		}, "SELECT c."+column+" FROM contact c WHERE c.list_id = ? AND c."+column+test+` AND EXISTS (
			SELECT 1 FROM recipient r WHERE r.list_id = ? AND r.batch_id = ? AND r.contact_id = c.id)`,
			int64(list), arg, int64(list), int64(batch))
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// sentBefore returns those Contacts that were sent a Message: by one of the Batches, or because of an event.
func sentBefore(tx *db.Tx, list enlist.ListID, message enlist.MessageID, batches []enlist.BatchID,
	ids []enlist.ContactID) ([]enlist.ContactID, error) {
	sent, err := messages.SentBecauseOfEvents(tx, list, message, ids)
	if err != nil {
		return nil, err
	}
	more, err := SentByBatches(tx, list, batches, ids)
	return append(sent, more...), err
}

// DeleteSome deletes some recipients of a Batch in a List, or some of their events. more is false if none was left.
func DeleteSome(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, limit int) (more bool, err error) {
	for _, table := range []string{"recipient_event", "recipient"} {
		n, err := tx.Exec("DELETE FROM "+table+` WHERE list_id = ? AND batch_id = ? AND contact_id IN (
			SELECT contact_id FROM `+table+" WHERE list_id = ? AND batch_id = ? ORDER BY contact_id"+db.Limited+")",
			int64(list), int64(batch), int64(list), int64(batch), int64(limit))
		if err != nil || n > 0 {
			return true, err
		}
	}
	return false, nil
}

// Recipients returns recipients of a Batch by their IDs.
func Recipients(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID) (
	map[enlist.ContactID]*Recipient, error) {
	test, args, err := RecipientsByID(tx, list, batch, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[enlist.ContactID]*Recipient, len(ids))
	return found, RecipientTable.Each(tx, func(r *Recipient) error {
		found[r.Contact] = r
		return nil
	}, "WHERE "+test, args...)
}

// EraseRecipient removes the address and the reply of the mail server from a recipient of a Batch.
func EraseRecipient(tx *db.Tx, r *Recipient) error {
	return tx.Do("UPDATE recipient SET address = ?, detail = '' WHERE list_id = ? AND batch_id = ? AND contact_id = ?",
		contacts.ErasedAddress, int64(r.List), int64(r.Batch), int64(r.Contact))
}

// Forget removes removed Contacts from some Batches. A recipient whose mail waits stays without its address and detail,
// so that the sender counts it as skipped.
func Forget(tx *db.Tx, among []enlist.BatchID, list enlist.ListID, ids []enlist.ContactID) error {
	test, args, err := tx.ContactTest("contact_id", ids)
	if err != nil {
		return err
	}
	query, first, err := lookUpInBatches(tx, among, "DISTINCT batch_id", "recipient", "list_id = ? AND "+test)
	if err != nil {
		return err
	}
	having, err := db.IDsOf[enlist.BatchID](tx, query+" ORDER BY batch_id", append([]any{first, int64(list)}, args...)...)
	if err != nil {
		return err
	}
	const waiting = "('waiting', 'sending', 'deferred')"
	for _, batch := range having {
		these, args, err := RecipientsByID(tx, list, batch, ids)
		if err != nil {
			return err
		}
		for _, query := range []string{
			"DELETE FROM recipient_event WHERE " + these,
			"DELETE FROM recipient WHERE " + these + " AND status NOT IN " + waiting,
			"UPDATE recipient SET address = '', detail = '' WHERE " + these + " AND status IN " + waiting,
		} {
			if err := tx.Do(query, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// RecipientsByID returns the test that selects recipients of a Batch by their IDs, and its arguments.
func RecipientsByID(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID) (test string,
	args []any, err error) {
	test, args, err = tx.ContactTest("contact_id", ids)
	return "list_id = ? AND batch_id = ? AND " + test, append([]any{int64(list), int64(batch)}, args...), err
}

// lookUpInBatches returns a statement for rows of the table recipient or recipient_event of some Batches that satisfy a
// further test, and its first argument. The keys of both tables begin with List and Batch.
func lookUpInBatches(tx *db.Tx, among []enlist.BatchID, columns, table, further string) (query string, first any,
	err error) {
	first, err = db.ManyValues(tx, db.PlainIDs(among))
	return tx.SQL.LookUp("BIGINT[]", columns, table+" WHERE batch_id", further), first, err
}
