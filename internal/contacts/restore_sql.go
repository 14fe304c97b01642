package contacts

import (
	"fmt"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file stores Contacts that move in from another service, under the IDs that they have there.

// Restore stores Contacts of one List with all their columns, under their IDs. It removes the old rows first,
// because two Contacts may have exchanged their addresses. Of the Contacts with one address, an old primary stays
// the primary if it keeps the address. The day of the move counts the changes.
func Restore(tx *db.Tx, now int64, all []*enlist.Contact) error {
	if len(all) == 0 {
		return nil
	}
	schema, err := lists.Schema(tx, all[0].ListID)
	if err != nil {
		return err
	}
	removed, err := removeToReplace(tx, schema.List.ID, all)
	if err != nil {
		return err
	}
	if err := markPrimaries(tx, all, true); err != nil {
		return err
	}
	docs, last := make([]string, len(all)), int64(0)
	for i, c := range all {
		last = max(last, int64(c.ID))
		docs[i], err = db.EncodeValues(schema, c.Values)
		if err != nil {
			return err
		}
	}
	if err := insertWithIDs(tx, all, docs); err != nil {
		return err
	}
	n := db.ContactCount{List: schema.List.ID, Account: schema.List.AccountID, Day: enlist.DayOf(now, schema.TimeZone)}
	n.Added = int64(len(all) - len(removed.IDs))
	tx.Count(n)
	n.Added, n.Times = 0, 1
	for _, c := range all {
		n.As = c.DayCount()
		tx.Count(n)
	}
	if err := tx.SkipIDs("'contact_id'", last); err != nil {
		return err
	}
	return promoteDuplicates(tx, schema.List.ID, removed.Addresses)
}

// removeToReplace deletes the rows of Contacts that exist, and returns them.
func removeToReplace(tx *db.Tx, list enlist.ListID, all []*enlist.Contact) (removed removal, err error) {
	ids := make([]enlist.ContactID, len(all))
	for i, c := range all {
		ids[i] = c.ID
	}
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return removed, err
	}
	removed, err = toRemove(tx, list, test+" ORDER BY id", args...)
	if err != nil {
		return removed, err
	}
	return removed, tx.Do("DELETE FROM contact WHERE list_id = ? AND "+test, append([]any{int64(list)}, args...)...)
}

// insertWithIDs inserts Contacts of one List with the IDs that they have.
func insertWithIDs(tx *db.Tx, all []*enlist.Contact, docs []string) error {
	if tx.SQL.ConcurrentWriters {
		return insertTogetherWithIDs(tx, all, docs)
	}
	for i, c := range all {
		args, err := contactArguments(tx, db.Inserted, c, docs[i])
		if err != nil {
			return err
		}
		n, err := tx.Exec(contactTable.Of(tx.SQL).InsertID+" ON CONFLICT DO NOTHING",
			append([]any{int64(c.ID)}, args...)...)
		if err == nil && n == 0 {
			err = fmt.Errorf("the ID %d of a Contact in List %d: a Contact of another List has it", c.ID, c.ListID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// insertTogetherWithIDs is insertWithIDs as one statement.
func insertTogetherWithIDs(tx *db.Tx, all []*enlist.Contact, docs []string) error {
	n := len(all)
	ids, keys, first := make([]int64, n), make([]string, n), make([]bool, n)
	mobiles, via, preferences := make([]string, n), make([]string, n), make([]string, n)
	var times [6][]int64
	var flags [4][]bool
	webforms := make([]int64, n)
	for i, c := range all {
		ids[i], keys[i], first[i], mobiles[i], via[i] = int64(c.ID), c.Key, c.IsFirst, c.Mobile, c.SubscribedVia
		webforms[i] = c.WebformID
		for j, at := range []int64{c.Created, c.Modified, c.DoubleOptInTime, c.LastClickTime, c.LastMessageTime,
			c.LastOpenTime} {
			times[j] = append(times[j], at)
		}
		for j, flag := range []bool{c.DoubleOptIn, c.IsActive, c.IsBounceDeactivated, c.IsUnsubscribed} {
			flags[j] = append(flags[j], flag)
		}
		var err error
		preferences[i], err = (*db.Answers)(&c.Prefs).Text()
		if err != nil {
			return err
		}
	}
	stored, err := tx.Exec(insertManyWithIDs, int64(all[0].ListID), ids, keys, first, mobiles, via, webforms,
		times[0], times[1], times[2], times[3], times[4], times[5], flags[0], flags[1], flags[2], flags[3], preferences,
		docs)
	if err == nil && stored != int64(n) {
		err = fmt.Errorf("%d of %d Contacts of List %d were not stored: another program added their addresses",
			int64(n)-stored, n, all[0].ListID)
	}
	return err
}

const insertManyWithIDs = `INSERT INTO contact (list_id, id, dedupe_key, duplicate_key, mobile_key, subscribed_via,
		webform_id, creation_time, last_modified_time, double_opt_in_time, last_click_time, last_message_time,
		last_open_time, double_opt_in, is_active, is_bounce_deactivated, is_unsubscribed, preference_values, field_values)
	SELECT CAST(? AS BIGINT), id, CASE WHEN first THEN key END, CASE WHEN NOT first THEN key END,
		nullif(mobile, ''), via, webform, created, modified, confirmed, clicked, messaged, opened,
		CASE WHEN is_confirmed THEN 1 ELSE 0 END, CASE WHEN active THEN 1 ELSE 0 END,
		CASE WHEN bounced THEN 1 ELSE 0 END, CASE WHEN unsubscribed THEN 1 ELSE 0 END, preferences, CAST(doc AS JSONB)
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS BOOLEAN[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]),
		CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BIGINT[]),
		CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS BOOLEAN[]), CAST(? AS BOOLEAN[]), CAST(? AS BOOLEAN[]),
		CAST(? AS BOOLEAN[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]))
		AS moved (id, key, first, mobile, via, webform, created, modified, confirmed, clicked, messaged, opened,
			is_confirmed, active, bounced, unsubscribed, preferences, doc)
	ON CONFLICT DO NOTHING`

// IDsUpTo returns the IDs of a List's Contacts above after and up to upto, in ascending order, at most limit.
func IDsUpTo(tx *db.Tx, list enlist.ListID, after, upto enlist.ContactID, limit int) ([]enlist.ContactID, error) {
	const between = "SELECT id FROM contact WHERE list_id = ? AND id > ? AND id <= ? ORDER BY id" + db.Limited
	return db.IDsOf[enlist.ContactID](tx, between,
		int64(list), int64(after), int64(upto), int64(limit))
}

// HasLedger reports whether a List has a row of the consent ledger.
func HasLedger(tx *db.Tx, list enlist.ListID) (bool, error) {
	n, err := tx.Number("SELECT EXISTS (SELECT 1 FROM consent WHERE list_id = ?)", int64(list))
	return n != 0, err
}

// ListsOfContacts returns the Lists of those Contacts that exist. No index has the IDs of all Lists, so it reads each
// Contact once.
func ListsOfContacts(tx *db.Tx, ids []enlist.ContactID) (map[enlist.ContactID]enlist.ListID, error) {
	wanted, err := db.ManyValues(tx, db.PlainIDs(ids))
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	query := "SELECT id, list_id FROM contact WHERE id IN (SELECT value FROM " + tx.SQL.Items("?") + ")"
	if tx.SQL.Arrays {
		query = `SELECT contact.id, contact.list_id FROM unnest(CAST(? AS BIGINT[])) AS wanted (id)
			JOIN contact ON contact.id = wanted.id`
	}
	of := make(map[enlist.ContactID]enlist.ListID)
	return of, tx.Each(func(row *db.Cursor) error {
		id := enlist.ContactID(row.Int())
		of[id] = max(of[id], enlist.ListID(row.Int())) // the key of a Contact is its List and ID
		return nil
	}, query, wanted)
}
