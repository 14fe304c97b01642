package recipients

import (
	"slices"
	"strconv"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file stores the recipients of Batches. Each statement names one List.

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
	m.Value("unmeasured", (*int64)(&r.Unmeasured))
}

var table = db.NewMapping("recipient", mapRecipient)

// Load returns a recipient, or ErrNotFound. With concurrent writers it locks the row in a
// transaction that writes.
func Load(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, contact enlist.ContactID) (
	*Recipient, error) {
	byKey := "WHERE list_id = ? AND batch_id = ? AND contact_id = ?" + tx.Locking()
	return table.One(tx, enlist.ErrNotFound, byKey, int64(list), int64(batch), int64(contact))
}

// Save stores the columns of a recipient that change.
func (r *Recipient) Save(tx *db.Tx) error { return table.Save(tx, r) }

// move stores a new address of a recipient, unless the stored one has changed: an erasure has removed it.
func (r *Recipient) move(tx *db.Tx, to string) error {
	return tx.Do(`UPDATE recipient SET address = ?
		WHERE list_id = ? AND batch_id = ? AND contact_id = ? AND address = ?`,
		to, int64(r.List), int64(r.Batch), int64(r.Contact), r.Address)
}

// Erase removes the address and the reply of the mail server from a recipient of a Batch.
func (r *Recipient) Erase(tx *db.Tx) error {
	return tx.Do("UPDATE recipient SET address = ?, detail = '' WHERE list_id = ? AND batch_id = ? AND contact_id = ?",
		contacts.ErasedAddress, int64(r.List), int64(r.Batch), int64(r.Contact))
}

// ByID returns recipients of a Batch by their IDs.
func ByID(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID) (
	map[enlist.ContactID]*Recipient, error) {
	test, args, err := testByID(tx, list, batch, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[enlist.ContactID]*Recipient, len(ids))
	return byID, table.Each(tx, func(r *Recipient) error {
		byID[r.Contact] = r
		return nil
	}, "WHERE "+test, args...)
}

// testByID returns the test that selects recipients of a Batch by their IDs, and its arguments.
func testByID(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID) (test string,
	args []any, err error) {
	test, args, err = tx.ContactTest("contact_id", ids)
	return "list_id = ? AND batch_id = ? AND " + test, append([]any{int64(list), int64(batch)}, args...), err
}

// OfContacts returns those recipients of some Batches that are one of some Contacts.
func OfContacts(tx *db.Tx, among []enlist.BatchID, list enlist.ListID, ids []enlist.ContactID) (recipients []Recipient,
	err error) {
	test, args, err := tx.ContactTest("contact_id", ids)
	if err != nil {
		return nil, err
	}
	query, first, err := lookUpInBatches(tx, among, table.Columns, "recipient", "list_id = ? AND "+test)
	if err != nil {
		return nil, err
	}
	err = table.EachOf(tx, func(r *Recipient) error {
		recipients = append(recipients, *r)
		return nil
	}, query, append([]any{first, int64(list)}, args...)...)
	return recipients, err
}

// lookUpInBatches returns a statement for rows of the table recipient or recipient_event of some Batches that satisfy a
// further test, and its first argument. The keys of both tables begin with List and Batch.
func lookUpInBatches(tx *db.Tx, among []enlist.BatchID, columns, table, further string) (query string, first any,
	err error) {
	first, err = db.ManyValues(tx, db.PlainIDs(among))
	return tx.SQL.LookUp("BIGINT[]", columns, table+" WHERE batch_id", further), first, err
}

// ofContacts returns the test that the column contact_id has one of the IDs, and its arguments, for a statement about
// many Batches. Contacts that a step prepares or removes mostly follow one another. Then the engine reads their range in
// each Batch, instead of looking up each ID in each Batch.
func ofContacts(tx *db.Tx, ids []enlist.ContactID) (test string, args []any, err error) {
	first, last := int64(slices.Min(ids)), int64(slices.Max(ids))
	if last-first >= 4*int64(len(ids)) {
		return tx.ContactTest("contact_id", ids)
	}
	test, all, err := db.OneOfIDs(tx, ids)
	return "contact_id BETWEEN ? AND ? AND +contact_id" + test, []any{first, last, all}, err // "+": without the index
}

// SentBy returns those Contacts that are recipients of one of the Batches and were sent its mail, or may have
// been sent it.
func SentBy(tx *db.Tx, list enlist.ListID, batches []enlist.BatchID, ids []enlist.ContactID) (
	sent []enlist.ContactID, err error) {
	if len(ids) == 0 || len(batches) == 0 {
		return nil, nil
	}
	these, args, err := ofContactsInBatches(tx, list, batches, ids)
	if err != nil {
		return nil, err
	}
	return db.IDsOf[enlist.ContactID](tx, "SELECT contact_id FROM recipient WHERE "+these+
		" AND status IN ('sending', 'sent', 'bounced', 'complained', 'doubtful')", args...)
}

// ofContactsInBatches returns the test that selects Contacts in some Batches, and its arguments.
func ofContactsInBatches(tx *db.Tx, list enlist.ListID, batches []enlist.BatchID, ids []enlist.ContactID) (test string,
	args []any, err error) {
	inBatches, arg, err := db.OneOfIDs(tx, batches)
	if err != nil {
		return "", nil, err
	}
	test, args, err = ofContacts(tx, ids)
	return "list_id = ? AND batch_id" + inBatches + " AND " + test, append([]any{int64(list), arg}, args...), err
}

// Keys returns those addresses that a recipient of the Batch in the List has.
func Keys(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, keys []string) (used []string, err error) {
	test, arg, err := tx.OneOfTexts(keys)
	if err != nil {
		return nil, err
	}
	for _, column := range []string{"dedupe_key", "duplicate_key"} {
		err := tx.Each(func(row *db.Cursor) error {
			used = append(used, row.Text())
			return nil
		}, "SELECT c."+column+" FROM contact c WHERE c.list_id = ? AND c."+column+test+` AND EXISTS (
			SELECT 1 FROM recipient r WHERE r.list_id = ? AND r.batch_id = ? AND r.contact_id = c.id)`,
			int64(list), arg, int64(list), int64(batch))
		if err != nil {
			return nil, err
		}
	}
	return used, nil
}

// MarkSending stores that recipients are being sent.
func MarkSending(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID, now int64) error {
	return mark(tx, "status = 'sending', time = ?", "", list, batch, ids, now)
}

// MarkDeferred stores that recipients wait for a time.
func MarkDeferred(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID, at int64) error {
	return mark(tx, "status = 'deferred', time = ?", "", list, batch, ids, at)
}

// MarkSent stores that mails were accepted, of which the same is not measured, and returns the recipients that it has changed. A report about a mail can
// arrive before. Then its status stays.
func MarkSent(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID, u enlist.Unmeasured,
	now int64) (stored []enlist.ContactID, err error) {
	query, args, err := marking(tx, markSent[u], " AND status = 'sending' RETURNING contact_id", list, batch, ids, now)
	if err != nil {
		return nil, err
	}
	return db.IDsOf[enlist.ContactID](tx, query, args...)
}

// markSent has what MarkSent sets, by what is not measured.
var markSent = func() (set [everything + 1]string) {
	for u := range set {
		set[u] = "status = 'sent', detail = '', sent_time = CAST(? AS BIGINT), time = CAST(? AS BIGINT)"
		if u != 0 {
			set[u] += ", unmeasured = " + strconv.Itoa(u)
		}
	}
	return set
}()

// everything is what a mail without tracking lacks.
const everything = enlist.UnmeasuredOpens | enlist.UnmeasuredClicks

func mark(tx *db.Tx, set, where string, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID,
	now int64) error {
	query, args, err := marking(tx, set, where, list, batch, ids, now)
	if err != nil {
		return err
	}
	return tx.Do(query, args...)
}

// marking returns the statement that changes the status of some recipients, and its arguments.
func marking(tx *db.Tx, set, where string, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID,
	now int64) (query string, args []any, err error) {
	test, key, err := testByID(tx, list, batch, ids)
	args = slices.Repeat([]any{now}, strings.Count(set, "?"))
	return "UPDATE recipient SET " + set + " WHERE " + test + where, append(args, key...), err
}

// write inserts the recipients of a slice. address is the expression of their addresses.
func (s *FilledSlice) write(tx *db.Tx, address string, now int64) (added int64, err error) {
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
func copyRecipients(tx *db.Tx, copier db.Copier, filled []FilledSlice, address string, now int64) (added int64,
	err error) {
	var ids []enlist.ContactID
	for i := range filled {
		ids = append(ids, filled[i].Contacts...)
	}
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return 0, err
	}
	list, batch := int64(filled[0].List), int64(filled[0].Batch)
	rows := make([][]any, 0, len(ids))
	err = tx.Each(func(row *db.Cursor) error {
		id := row.Int()
		for id > int64(filled[0].Last) { // the Contacts and the slices are in order of ID
			filled = filled[1:]
		}
		rows = append(rows, []any{list, batch, id, filled[0].Number, "waiting", now, 0, row.Text(), "", 0, 0, 0})
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

// Add stores recipients that are in no slice.
func Add(tx *db.Tx, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID,
	status Status, sent int64, u enlist.Unmeasured) (int64, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	schema, err := lists.Schema(tx, list)
	if err != nil {
		return 0, err
	}
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return 0, err
	}
	address := tx.SQL.FieldText(strconv.FormatInt(int64(schema.Email().ID), 10))
	return tx.Exec(`INSERT INTO recipient (list_id, batch_id, contact_id, slice, status, time, attempts, address, detail,
			sent_time, unsubscribed_time, deactivated_time, unmeasured)
		SELECT list_id, CAST(? AS BIGINT), id, 0, CAST(? AS TEXT), CAST(? AS BIGINT), 0, coalesce(`+address+`, ''), '',
			CAST(? AS BIGINT), 0, 0, CAST(? AS BIGINT)
		FROM contact WHERE list_id = ? AND `+test+" ORDER BY id ON CONFLICT DO NOTHING",
		append([]any{int64(batch), string(status), sent, sent, int64(u), int64(list)}, args...)...)
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

// Forget removes removed Contacts from some Batches. A recipient whose mail waits stays without its address and detail,
// so that the sender counts it as skipped.
func Forget(tx *db.Tx, among []enlist.BatchID, list enlist.ListID, ids []enlist.ContactID) error {
	if len(ids) == 0 {
		return nil
	}
	test, args, err := ofContacts(tx, ids)
	if err != nil {
		return err
	}
	query, first, err := lookUpInBatches(tx, among, "DISTINCT batch_id", "recipient", "list_id = ? AND "+test)
	if err != nil {
		return err
	}
	having, err := db.IDsOf[enlist.BatchID](tx, query, append([]any{first, int64(list)}, args...)...)
	if err != nil || len(having) == 0 {
		return err
	}
	these, args, err := ofContactsInBatches(tx, list, having, ids)
	if err != nil {
		return err
	}
	const waiting = "('waiting', 'sending', 'deferred')"
	for _, query := range []string{
		"DELETE FROM recipient_event WHERE " + these,
		"DELETE FROM recipient WHERE " + these + " AND status NOT IN " + waiting,
		"UPDATE recipient SET address = '', detail = '' WHERE " + these + " AND status IN " + waiting,
	} {
		if err := tx.Do(query, args...); err != nil {
			return err
		}
	}
	return nil
}
