package contacts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file reads and stores many Contacts of a List at once. On PostgreSQL one
// statement handles all of them, because each statement of its own would need a round trip. SQLite has
// no round trips, so it inserts row by row with the statements that a single Contact uses.

// FirstContacts returns the primary Contacts of the addresses, by address. In a transaction that writes,
// it locks them in the order of their addresses, so that two calls with the same addresses cannot
// deadlock here.
func FirstContacts(tx *db.Tx, list enlist.ListID, keys []string) (map[string]*enlist.Contact, error) {
	primaries := make(map[string]*enlist.Contact)
	if len(keys) == 0 {
		return primaries, nil
	}
	wanted, err := db.ManyValues(tx, slices.Sorted(slices.Values(keys)))
	if err != nil {
		return nil, err
	}
	err = eachContact(tx, withContacts(tx, "dedupe_key"), list,
		func(c *enlist.Contact) { primaries[c.Key] = c }, int64(list), wanted)
	return primaries, err
}

// ContactsWithAddresses calls fn with each Contact of a List that has one of the normalised addresses or
// mobile numbers, in the order of their IDs. In a transaction that writes, it locks them.
func ContactsWithAddresses(tx *db.Tx, list enlist.ListID, keys []string, fn func(*enlist.Contact)) error {
	if len(keys) == 0 {
		return nil
	}
	wanted, err := db.ManyValues(tx, slices.Sorted(slices.Values(keys)))
	if err != nil {
		return err
	}
	byID := make(map[enlist.ContactID]*enlist.Contact)
	for _, column := range []string{"dedupe_key", "duplicate_key", "mobile_key"} {
		err := eachContact(tx, withContacts(tx, column), list, func(c *enlist.Contact) { byID[c.ID] = c }, int64(list),
			wanted)
		if err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		fn(byID[id])
	}
	return nil
}

// InsertContacts inserts new Contacts of one List and sets their IDs, which ascend. If an address has a
// primary already, InsertContacts inserts the Contact as a duplicate or, without duplicates, leaves its
// ID 0. All state columns but the language must have their initial values.
func InsertContacts(tx *db.Tx, contacts []*enlist.Contact, duplicates bool) error {
	if !duplicates { // an INSERT that stores nothing takes an ID from the sequence
		var err error
		contacts, err = withNewKeys(tx, contacts)
		if err != nil {
			return err
		}
	}
	return insertContacts(tx, contacts, duplicates)
}

// InsertNewContacts does what InsertContacts does without duplicates, and saves a look-up of the addresses.
func InsertNewContacts(tx *db.Tx, contacts []*enlist.Contact) error {
	return insertContacts(tx, contacts, false)
}

func insertContacts(tx *db.Tx, contacts []*enlist.Contact, duplicates bool) error {
	if len(contacts) == 0 {
		return nil
	}
	if tx.SQL.ConcurrentWriters {
		return insertTogether(tx, contacts, duplicates)
	}
	if err := markPrimaries(tx, contacts, duplicates); err != nil {
		return err
	}
	for _, c := range contacts {
		if _, err := Insert(tx, c); err != nil {
			return err
		}
	}
	return nil
}

// markPrimaries sets IsFirst of each Contact. Without duplicates, all Contacts are to become primaries.
func markPrimaries(tx *db.Tx, contacts []*enlist.Contact, duplicates bool) error {
	taken := make(map[string]bool)
	if duplicates {
		var err error
		taken, err = firstKeys(tx, contacts[0].ListID, dedupeKeysOf(contacts))
		if err != nil {
			return err
		}
	}
	for _, c := range contacts {
		c.IsFirst = !taken[c.Key]
		if duplicates {
			taken[c.Key] = true
		}
	}
	return nil
}

// newRow is the row of a new Contact.
type newRow struct {
	*enlist.Contact
	id  int64  // taken from the sequence; Contact.ID stays 0 until the row is stored
	doc string // the values as JSON
}

// insertTogether inserts Contacts with one statement. Another transaction may store a primary while this
// statement waits for it. Then the row is not stored: with duplicates, the loop inserts it as a duplicate
// of that primary.
func insertTogether(tx *db.Tx, contacts []*enlist.Contact, duplicates bool) error {
	schema, err := lists.Schema(tx, contacts[0].ListID)
	if err != nil {
		return err
	}
	rows, err := newRows(tx, schema, contacts)
	if err != nil {
		return err
	}
	// All transactions insert addresses in this order, so that two of them cannot deadlock.
	slices.SortStableFunc(rows, func(a, b newRow) int { return cmp.Compare(a.Key, b.Key) })
	for {
		left := make([]*enlist.Contact, len(rows))
		for i := range rows {
			left[i] = rows[i].Contact
		}
		if err := markPrimaries(tx, left, duplicates); err != nil {
			return err
		}
		if err := insertRows(tx, schema.List.ID, rows); err != nil {
			return err
		}
		rows = slices.DeleteFunc(rows, func(r newRow) bool { return r.ID != 0 })
		for _, c := range left {
			if c.ID != 0 {
				tx.CountContact(schema, c, 1)
			}
		}
		if len(rows) == 0 || !duplicates {
			return nil
		}
	}
}

// withNewKeys returns the Contacts whose address no Contact of the List has.
func withNewKeys(tx *db.Tx, contacts []*enlist.Contact) (fresh []*enlist.Contact, err error) {
	if len(contacts) == 0 {
		return nil, nil
	}
	taken, err := keysFound(tx, "", contacts[0].ListID, dedupeKeysOf(contacts))
	for _, c := range contacts {
		if !taken[c.Key] {
			fresh = append(fresh, c)
		}
	}
	return fresh, err
}

func dedupeKeysOf(contacts []*enlist.Contact) []string {
	keys := make([]string, len(contacts))
	for i, c := range contacts {
		keys[i] = c.Key
	}
	return keys
}

// newRows takes an ID for each Contact from the sequence and encodes the values.
func newRows(tx *db.Tx, schema *enlist.Schema, contacts []*enlist.Contact) ([]newRow, error) {
	ids, err := tx.NewContactIDs(len(contacts))
	if err != nil {
		return nil, err
	}
	rows := make([]newRow, len(contacts))
	for i, c := range contacts {
		plain := *c
		plain.Language = ""
		if !db.HasInitialState(&plain) {
			return nil, fmt.Errorf("a new Contact of List %d does not have the initial state", c.ListID)
		}
		doc, err := db.EncodeValues(schema, c.Values)
		if err != nil {
			return nil, err
		}
		rows[i] = newRow{c, int64(ids[i]), doc}
	}
	return rows, nil
}

// insertRows inserts rows and sets the ID of each Contact that was stored.
func insertRows(tx *db.Tx, list enlist.ListID, rows []newRow) error {
	byID := make(map[int64]*enlist.Contact, len(rows))
	n := len(rows)
	ids, created, modified, first := make([]int64, n), make([]int64, n), make([]int64, n), make([]bool, n)
	keys, mobiles, via, docs := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	languages := make([]string, n)
	for i, r := range rows {
		byID[r.id] = r.Contact
		ids[i], created[i], modified[i], first[i] = r.id, r.Created, r.Modified, r.IsFirst
		keys[i], mobiles[i], via[i], docs[i], languages[i] = r.Key, r.Mobile, r.SubscribedVia, r.doc, r.Language
	}
	return tx.Each(func(row *db.Cursor) error {
		id := row.Int()
		byID[id].ID = enlist.ContactID(id)
		return nil
	}, insertMany, int64(list), ids, keys, first, mobiles, created, modified, via, docs, languages)
}

// insertMany inserts the rows in the order of the arrays.
const insertMany = `INSERT INTO contact (list_id, id, dedupe_key, duplicate_key, mobile_key,
		creation_time, last_modified_time, subscribed_via,
		double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
		last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values, language)
	SELECT CAST(? AS BIGINT), id, CASE WHEN first THEN key END, CASE WHEN NOT first THEN key END,
		nullif(mobile, ''), created, modified, via, 0, 0, 1, 0, 0, 0, 0, 0, 0, '', CAST(doc AS JSONB), language
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS BOOLEAN[]), CAST(? AS TEXT[]),
		CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]))
		AS added (id, key, first, mobile, created, modified, via, doc, language)
	ON CONFLICT DO NOTHING RETURNING id`

// addLedgerRows adds the same row to the ledgers of several Contacts of a List.
func addLedgerRows(tx *db.Tx, r *enlist.LedgerRow, contacts []enlist.ContactID) error {
	if !tx.SQL.ConcurrentWriters {
		row := *r
		for _, id := range contacts {
			row.ContactID = id
			if err := AddLedgerRow(tx, &row); err != nil {
				return err
			}
		}
		return nil
	}
	if len(contacts) == 0 {
		return nil
	}
	preferences, err := (*db.Choices)(&r.Preferences).Text()
	if err != nil {
		return err
	}
	return tx.Do(`INSERT INTO consent (list_id, contact_id, time, method, type, text, ip, preferences, key_id)
		SELECT CAST(? AS BIGINT), id, CAST(? AS BIGINT), ?, ?, ?, ?, ?, CAST(? AS BIGINT)
		FROM unnest(CAST(? AS BIGINT[])) AS added (id)`,
		int64(r.ListID), r.Time, r.Method, string(r.Type), r.Text, r.IP, preferences, int64(r.KeyID),
		db.PlainIDs(contacts))
}
