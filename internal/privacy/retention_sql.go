package privacy

import (
	"math"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file removes old opens and clicks, and old texts of the records of mails.

// batchesToRetain returns the Batches from whose rows of a table not everything was removed.
func batchesToRetain(tx *db.Tx, account enlist.AccountID, table RetentionTable) ([]batches.Batch, error) {
	where := "WHERE account_id = ? AND (status IN ('completed', 'failed', 'cancelled') AND events_removed <= 0 OR status = 'running')"
	if table == RetainedRecipients {
		where = "WHERE account_id = ? AND status IN ('completed', 'failed', 'cancelled', 'running') AND texts_removed = 0"
	}
	return batches.BatchTable.All(tx, where+" ORDER BY id", int64(account))
}

// markEventsRemoved marks a Batch whose events are being removed. The UPDATE waits for a transaction that has locked
// the row.
func markEventsRemoved(tx *db.Tx, batch enlist.BatchID, at int64) (first bool, err error) {
	n, err := tx.Exec("UPDATE batch SET events_removed = ? WHERE id = ? AND events_removed = 0", at, int64(batch))
	if err != nil || n > 0 || at < 0 {
		return n > 0, err
	}
	return false, tx.Do("UPDATE batch SET events_removed = ? WHERE id = ? AND events_removed > 0 AND events_removed < ?",
		at, int64(batch), at)
}

// setEventsRemoved stores when the removal of a Batch's events ended.
func setEventsRemoved(tx *db.Tx, batch enlist.BatchID, at int64) error {
	return tx.Do("UPDATE batch SET events_removed = ? WHERE id = ?", at, int64(batch))
}

// setTextsRemoved stores when the texts of a Batch's recipients were removed.
func setTextsRemoved(tx *db.Tx, batch enlist.BatchID, at int64) error {
	return tx.Do("UPDATE batch SET texts_removed = ? WHERE id = ?", at, int64(batch))
}

// retained has the statements of a RetentionTable.
var retained = map[RetentionTable]struct {
	time   string // the time of a row
	old    string // which rows have data to remove
	remove string // begins the statement that removes it
}{
	RetainedEvents: {"time", "kind IN ('opened', 'clicked', 'link')", "DELETE FROM recipient_event"},
	// The rule of bounces compares the addresses of bounced mails. An erased address stays marked as such.
	RetainedRecipients: {"CASE WHEN sent_time <> 0 THEN sent_time ELSE time END",
		"address <> '" + contacts.ErasedAddress + "' AND (detail <> '' OR address <> '' AND status <> 'bounced')",
		"UPDATE recipient SET detail = '', address = CASE WHEN status = 'bounced' THEN address ELSE '' END"},
	RetainedDeliveries: {"time",
		"address <> '" + contacts.ErasedAddress + "' AND (subject <> '' OR detail <> '' OR address <> '' AND status <> 'bounced')",
		"UPDATE delivery SET subject = '', detail = '', address = CASE WHEN status = 'bounced' THEN address ELSE '' END"},
}

// partOf returns the test of the rows of a part.
func partOf(p *RetentionPart) (where string, args []any) {
	if p.Batch == 0 {
		return " WHERE list_id = ?", []any{int64(p.List)}
	}
	return " WHERE list_id = ? AND batch_id = ?", []any{int64(p.List), int64(p.Batch)}
}

// oldTest returns the test of rows that have data to remove. The opens and clicks of an autoresponder belong to its
// last mail to the Contact.
func oldTest(p *RetentionPart) (test string, args []any) {
	table := retained[p.Table]
	if p.Table == RetainedEvents && !p.Ended {
		return table.old + ` AND EXISTS (SELECT 1 FROM recipient r WHERE r.list_id = ? AND r.batch_id = ?
			AND r.contact_id = recipient_event.contact_id AND r.sent_time < ?)`, []any{int64(p.List), int64(p.Batch),
				p.Before}
	}
	return table.time + " < ? AND " + table.old, []any{p.Before}
}

// oldRows counts the rows of a part that have data to remove.
func oldRows(tx *db.Tx, p *RetentionPart) (rows, oldest int64, err error) {
	table := retained[p.Table]
	where, args := partOf(p)
	test, old := oldTest(p)
	err = tx.Each(func(row *db.Cursor) error {
		rows, oldest = row.Int(), row.Int()
		return nil
	}, "SELECT count(*), coalesce(min("+table.time+"), 0) FROM "+string(p.Table)+where+" AND "+test,
		append(args, old...)...)
	return rows, oldest, err
}

// RemoveOld removes data from the rows of some Contacts. It scans the primary key, in order of Contact.
func RemoveOld(tx *db.Tx, p *RetentionPart, after enlist.ContactID, limit int) (
	last enlist.ContactID, changed int64, err error) {
	table := retained[p.Table]
	where, args := partOf(p)
	where, args = where+" AND contact_id > ?", append(args, int64(after))
	n := len(args)
	end, err := tx.Number("SELECT contact_id FROM "+string(p.Table)+where+" ORDER BY contact_id"+db.Limited+
		" OFFSET CAST(? AS BIGINT)",
		append(args[:n:n], int64(1), int64(limit-1))...)
	if err != nil {
		return 0, 0, err
	}
	upto := end
	if end == 0 {
		upto = math.MaxInt64
	}
	test, old := oldTest(p)
	changed, err = tx.Exec(table.remove+where+" AND contact_id <= ? AND "+test,
		append(append(args[:n:n], upto), old...)...)
	return enlist.ContactID(end), changed, err
}
