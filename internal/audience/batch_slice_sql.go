package audience

import (
	"slices"
	"strconv"
	"strings"

	"enlist/internal/enlist"
)

// This file stores the slices of Batches and marks the recipients in them.

func mapSlice(m *mapper, s *BatchSlice) {
	m.naturalKey("batch_id", (*int64)(&s.Batch))
	m.naturalKey("number", &s.Number)
	m.fixed("list_id", (*int64)(&s.List))
	m.fixed("first_id", (*int64)(&s.First))
	m.fixed("last_id", (*int64)(&s.Last))
	m.value("holder", &s.Holder)
	m.value("lease_time", &s.Lease)
	m.value("done", &s.Done)
}

var sliceTable = newMapping("batch_slice", mapSlice)

// AddSlices stores slices with the next numbers of their Batch, and their recipients.
func (t *Tx) AddSlices(all []NewSlice, fresh bool, now int64) (added int64, err error) {
	if len(all) == 0 {
		return 0, nil
	}
	last, err := t.number("SELECT coalesce(max(number), 0) FROM batch_slice WHERE batch_id = ?", int64(all[0].Batch))
	if err != nil {
		return 0, err
	}
	for i := range all {
		all[i].Number = last + int64(i) + 1
		if err := sliceTable.queue(t, &all[i].BatchSlice); err != nil {
			return 0, err
		}
	}
	schema, err := t.Schema(all[0].List)
	if err != nil {
		return 0, err
	}
	address := "coalesce(" + t.SQL.FieldText(strconv.FormatInt(int64(schema.Email().ID), 10)) + ", '')"
	if copier := t.Copier(); copier != nil && fresh {
		return t.copyRecipients(copier, all, address, now)
	}
	for i := range all {
		n, err := t.addRecipients(&all[i], address, now)
		if err != nil {
			return 0, err
		}
		added += n
	}
	return added, nil
}

// FreeSlice returns the first free slice of a Batch, or ErrNotFound and the end of the earliest lease.
func (t *Tx) FreeSlice(batch enlist.BatchID, now int64) (slice *BatchSlice, next int64, err error) {
	const free = "WHERE batch_id = ? AND done = 0 AND lease_time <= ? ORDER BY number" + limited
	slice, err = sliceTable.one(t, enlist.ErrNotFound, free, int64(batch), now, int64(1))
	if enlist.KindOf(err) != enlist.NotFound {
		return slice, 0, err
	}
	next, failed := t.number("SELECT min(lease_time) FROM batch_slice WHERE batch_id = ? AND done = 0", int64(batch))
	if failed != nil {
		return nil, 0, failed
	}
	return nil, next, err
}

// TakeSlice gives a slice to a holder. It returns false if another transaction took the slice first.
func (t *Tx) TakeSlice(s *BatchSlice, holder string, lease int64) (bool, error) {
	n, err := t.Exec(`UPDATE batch_slice SET holder = ?, lease_time = ?
		WHERE batch_id = ? AND number = ? AND done = 0 AND lease_time = ?`,
		holder, lease, int64(s.Batch), s.Number, s.Lease)
	return n == 1, err
}

// RenewSlice moves the end of a lease. It returns false if the holder no longer has the slice.
func (t *Tx) RenewSlice(s *BatchSlice, lease int64) (bool, error) {
	n, err := t.Exec(`UPDATE batch_slice SET lease_time = ?
		WHERE batch_id = ? AND number = ? AND holder = ? AND done = 0`, lease, int64(s.Batch), s.Number, s.Holder)
	return n == 1, err
}

// ReleaseSlice ends the lease of a slice, if the holder still has the slice.
func (t *Tx) ReleaseSlice(s *BatchSlice, done bool, from int64) error {
	return t.Do(`UPDATE batch_slice SET done = ?, lease_time = ?, holder = ''
		WHERE batch_id = ? AND number = ? AND holder = ?`, bit(done), from, int64(s.Batch), s.Number, s.Holder)
}

// inSlice selects the recipients of a slice. Its arguments are those of sliceKey.
const inSlice = "list_id = ? AND batch_id = ? AND contact_id BETWEEN ? AND ? AND slice = ?"

func sliceKey(s *BatchSlice) []any {
	return []any{int64(s.List), int64(s.Batch), int64(s.First), int64(s.Last), s.Number}
}

// SliceRecipients returns the recipients of a slice that a sender has to send now.
func (t *Tx) SliceRecipients(s *BatchSlice, now int64) ([]Recipient, error) {
	const open = "WHERE " + inSlice + ` AND (status = 'waiting' OR status IN ('sending', 'deferred') AND time <= ?)
		ORDER BY contact_id`
	return recipientTable.all(t, open, append(sliceKey(s), now)...)
}

// SliceRest returns the number of recipients of a slice that are not sent yet, and when the first is due.
func (t *Tx) SliceRest(s *BatchSlice) (n, due int64, err error) {
	err = t.each(func(row *Cursor) error {
		n, due = row.Int(), row.Int()
		return nil
	}, `SELECT count(*), coalesce(min(CASE WHEN status = 'waiting' THEN 0 ELSE time END), 0) FROM recipient
		WHERE `+inSlice+" AND status IN ('waiting', 'sending', 'deferred')", sliceKey(s)...)
	return n, due, err
}

// MarkSending stores that recipients are being sent.
func (t *Tx) MarkSending(list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID, now int64) error {
	return t.mark("status = 'sending', time = ?", "", list, batch, ids, now)
}

// MarkWaiting stores that recipients were not sent.
func (t *Tx) MarkWaiting(list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID, now int64) error {
	return t.mark("status = 'waiting', time = ?", " AND status = 'sending'", list, batch, ids, now)
}

// MarkDeferred stores that recipients wait for a time.
func (t *Tx) MarkDeferred(list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID, at int64) error {
	return t.mark("status = 'deferred', time = ?", "", list, batch, ids, at)
}

// FreeSlices sets the end of all leases that end at a time.
func (t *Tx) FreeSlices(batch enlist.BatchID, from, to int64) error {
	return t.Do("UPDATE batch_slice SET lease_time = ? WHERE batch_id = ? AND lease_time = ? AND done = 0",
		to, int64(batch), from)
}

// MarkSent stores that mails were accepted. A report about a mail can arrive before. Then its status stays.
func (t *Tx) MarkSent(list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID, now int64) (
	sent int64, err error) {
	query, args, err := t.marking(markSent, " AND status = 'sending'", list, batch, ids, now)
	if err != nil {
		return 0, err
	}
	n, err := t.Exec(query, args...)
	if err != nil {
		return 0, err
	}
	test, args, err := t.contactTest("id", ids)
	if err != nil {
		return 0, err
	}
	args = slices.Concat([]any{now, int64(list)}, args, []any{now})
	return n, t.Do("UPDATE contact SET last_message_time = ? WHERE list_id = ? AND "+test+" AND last_message_time < ?", args...)
}

const markSent = "status = 'sent', detail = '', sent_time = CAST(? AS BIGINT), time = CAST(? AS BIGINT)"

// mark changes the status of some recipients.
func (t *Tx) mark(set, where string, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID,
	now int64) error {
	query, args, err := t.marking(set, where, list, batch, ids, now)
	if err != nil {
		return err
	}
	return t.Do(query, args...)
}

// marking returns the statement that changes the status of some recipients, and its arguments.
func (t *Tx) marking(set, where string, list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID,
	now int64) (query string, args []any, err error) {
	test, key, err := t.recipientsByID(list, batch, ids)
	args = slices.Repeat([]any{now}, strings.Count(set, "?"))
	return "UPDATE recipient SET " + set + " WHERE " + test + where, append(args, key...), err
}

// recipientsByID returns the test that selects recipients of a Batch by their IDs, and its arguments.
func (t *Tx) recipientsByID(list enlist.ListID, batch enlist.BatchID, ids []enlist.ContactID) (test string,
	args []any, err error) {
	test, args, err = t.contactTest("contact_id", ids)
	return "list_id = ? AND batch_id = ? AND " + test, append([]any{int64(list), int64(batch)}, args...), err
}

// ContactsByID returns the Contacts of a List with the given IDs, in order of ID. It locks no Contact.
func (t *Tx) ContactsByID(list enlist.ListID, ids []enlist.ContactID) (found []enlist.Contact, err error) {
	test, args, err := t.contactTest("id", ids)
	if err != nil {
		return nil, err
	}
	query := contactTable.of(t.SQL).read + "WHERE list_id = ? AND " + test + " ORDER BY id"
	args = append([]any{int64(list)}, args...)
	err = t.contacts(query, list, func(c *enlist.Contact) { found = append(found, *c) }, args...)
	return found, err
}
