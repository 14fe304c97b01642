package contacts

import (
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file reads and changes many stored Contacts of a List at once.

// ContactsToChange returns those Contacts of a List that have one of the IDs. It locks them in the order of
// their IDs.
func ContactsToChange(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) (
	map[enlist.ContactID]*enlist.Contact, error) {
	byID := make(map[enlist.ContactID]*enlist.Contact, len(ids))
	if len(ids) == 0 {
		return byID, nil
	}
	wanted, err := db.ManyValues(tx, slices.Sorted(slices.Values(db.PlainIDs(ids))))
	if err != nil {
		return nil, err
	}
	err = eachContact(tx, withContacts(tx, "id"), list, func(c *enlist.Contact) { byID[c.ID] = c },
		int64(list), wanted)
	return byID, err
}

// valueSizes returns how many bytes the document of Field values of each of these Contacts takes. The engine
// does not read the document for that.
func valueSizes(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) (map[enlist.ContactID]int64, error) {
	sizes := make(map[enlist.ContactID]int64, len(ids))
	wanted, err := db.ManyValues(tx, db.PlainIDs(ids))
	if err != nil {
		return nil, err
	}
	err = tx.Each(func(row *db.Cursor) error {
		id := enlist.ContactID(row.Int())
		sizes[id] = row.Int()
		return nil
	}, statementForContacts(tx.SQL, "id, "+tx.SQL.DocumentSize, "id", ""), int64(list), wanted)
	return sizes, err
}

// firstKeys returns those of the addresses that have a primary. In a transaction that writes, it locks the
// primaries, so that no other transaction removes one of them before this transaction has stored a duplicate.
func firstKeys(tx *db.Tx, list enlist.ListID, keys []string) (map[string]bool, error) {
	return keysFound(tx, tx.Locking(), list, keys)
}

// keysFound is firstKeys with a clause that locks the primaries, or without a lock.
func keysFound(tx *db.Tx, lock string, list enlist.ListID, keys []string) (map[string]bool, error) {
	taken := make(map[string]bool)
	if len(keys) == 0 {
		return taken, nil
	}
	wanted, err := db.ManyValues(tx, slices.Sorted(slices.Values(keys)))
	if err != nil {
		return nil, err
	}
	err = tx.Each(func(row *db.Cursor) error {
		taken[row.Text()] = true
		return nil
	}, statementForContacts(tx.SQL, "dedupe_key", "dedupe_key", lock), int64(list), wanted)
	return taken, err
}

// UpdateContacts stores the columns of Contacts that a change of many Contacts may change. On SQLite, it stores
// each Contact with the statement of a single Contact.
func UpdateContacts(tx *db.Tx, contacts []*enlist.Contact) error {
	if !tx.SQL.ConcurrentWriters {
		for _, c := range contacts {
			if err := Update(tx, c); err != nil {
				return err
			}
		}
		return nil
	}
	if len(contacts) == 0 {
		return nil
	}
	schema, err := lists.Schema(tx, contacts[0].ListID)
	if err != nil {
		return err
	}
	n := len(contacts)
	ids, modified, confirmedAt := make([]int64, n), make([]int64, n), make([]int64, n)
	keys, mobiles, docs, languages := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	first, confirmed := make([]bool, n), make([]bool, n)
	for i, c := range contacts {
		ids[i], modified[i], confirmedAt[i] = int64(c.ID), c.Modified, c.DoubleOptInTime
		keys[i], mobiles[i], first[i], confirmed[i] = c.Key, c.Mobile, c.IsFirst, c.DoubleOptIn
		languages[i] = c.Language
		tx.CountContact(schema, c, 0)
		docs[i], err = db.EncodeValues(schema, c.Values)
		if err != nil {
			return err
		}
	}
	return tx.Do(updateMany, int64(schema.List.ID), ids, keys, first, mobiles, modified, confirmed, confirmedAt, docs,
		languages)
}

// updateMany stores the rows of the arrays. Only PostgreSQL runs it. It has the form of an INSERT because this
// finds each row by the primary key. The plan of an UPDATE with a join would read all Contacts of the List if
// PostgreSQL expects few of them. All rows exist and are locked, so no row is inserted.
const updateMany = `INSERT INTO contact (list_id, id, dedupe_key, duplicate_key, mobile_key, last_modified_time,
		double_opt_in, double_opt_in_time, field_values, language,
		creation_time, subscribed_via, is_active, is_bounce_deactivated, is_unsubscribed,
		last_click_time, last_message_time, last_open_time, webform_id, preference_values)
	SELECT CAST(? AS BIGINT), id, CASE WHEN first THEN key END, CASE WHEN NOT first THEN key END,
		nullif(mobile, ''), modified, CAST(confirmed AS INT), confirmed_time, CAST(doc AS JSONB), language,
		0, '', 0, 0, 0, 0, 0, 0, 0, ''
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS BOOLEAN[]), CAST(? AS TEXT[]), CAST(? AS BIGINT[]),
		CAST(? AS BOOLEAN[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]))
		AS changed (id, key, first, mobile, modified, confirmed, confirmed_time, doc, language)
	ON CONFLICT (list_id, id) DO UPDATE SET dedupe_key = excluded.dedupe_key, duplicate_key = excluded.duplicate_key,
		mobile_key = excluded.mobile_key, last_modified_time = excluded.last_modified_time,
		double_opt_in = excluded.double_opt_in, double_opt_in_time = excluded.double_opt_in_time,
		field_values = excluded.field_values, language = excluded.language`
