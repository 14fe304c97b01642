package sqlstore

// This file reads and stores many Contacts of a List at once (audience.BulkTx). On PostgreSQL one
// statement handles all of them, because each statement of its own would need a round trip. SQLite has
// no round trips, so it inserts row by row with the statements that a single Contact uses.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"enlist/internal/audience"
)

// FirstContacts returns the primary Contacts of the addresses, by address. In a transaction that writes,
// it locks them in the order of their addresses, so that two calls with the same addresses cannot
// deadlock here.
func (t *Tx) FirstContacts(list audience.ListID, keys []string) (map[string]*audience.Contact, error) {
	found := make(map[string]*audience.Contact)
	if len(keys) == 0 {
		return found, nil
	}
	wanted, err := manyValues(t, slices.Sorted(slices.Values(keys)))
	if err != nil {
		return nil, err
	}
	s := &t.sql.statements
	err = t.contacts(t.readOrLock(s.contactsByKeys, s.lockedByKeys), list,
		func(c *audience.Contact) { found[c.Key] = c }, int64(list), wanted)
	return found, err
}

// ContactsWithAddresses calls fn with each Contact of a List that has one of the normalised addresses or
// mobile numbers, in the order of their IDs. In a transaction that writes, it locks them.
func (t *Tx) ContactsWithAddresses(list audience.ListID, keys []string, fn func(*audience.Contact)) error {
	if len(keys) == 0 {
		return nil
	}
	wanted, err := manyValues(t, slices.Sorted(slices.Values(keys)))
	if err != nil {
		return err
	}
	found := make(map[audience.ContactID]*audience.Contact)
	s := &t.sql.statements
	for _, query := range []string{t.readOrLock(s.contactsByKeys, s.lockedByKeys),
		t.readOrLock(s.contactsByDuplicateKeys, s.lockedByDuplicateKeys),
		t.readOrLock(s.contactsByMobiles, s.lockedByMobiles)} {
		err := t.contacts(query, list, func(c *audience.Contact) { found[c.ID] = c }, int64(list), wanted)
		if err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		fn(found[id])
	}
	return nil
}

// InsertContacts inserts new Contacts of one List and sets their IDs, which ascend. If an address has a
// primary already, InsertContacts inserts the Contact as a duplicate or, without duplicates, leaves its
// ID 0. All state columns must have their initial values.
func (t *Tx) InsertContacts(contacts []*audience.Contact, duplicates bool) error {
	if duplicates {
		return t.insertContacts(contacts, true)
	}
	fresh, err := t.withNewKeys(contacts)
	if err != nil {
		return err
	}
	return t.insertContacts(fresh, false)
}

// InsertNewContacts does what InsertContacts does, for addresses without a primary.
func (t *Tx) InsertNewContacts(contacts []*audience.Contact) error {
	return t.insertContacts(contacts, false)
}

// insertContacts inserts Contacts. Without duplicates, all of them become primaries.
func (t *Tx) insertContacts(contacts []*audience.Contact, duplicates bool) error {
	if len(contacts) == 0 {
		return nil
	}
	if err := t.markPrimaries(contacts, duplicates); err != nil {
		return err
	}
	if t.sql.ConcurrentWriters {
		return t.insertTogether(contacts)
	}
	for _, c := range contacts {
		if _, err := t.InsertContact(c); err != nil {
			return err
		}
	}
	return nil
}

// markPrimaries sets IsFirst of each Contact. Without duplicates, all Contacts are to become primaries.
func (t *Tx) markPrimaries(contacts []*audience.Contact, duplicates bool) error {
	taken := make(map[string]bool)
	if duplicates {
		var err error
		taken, err = t.FirstKeys(contacts[0].ListID, keysOf(contacts))
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

// insertTogether inserts Contacts with one statement. Another transaction may store a primary after the
// look-up of its address. Then the statement fails, and the Update runs again. ON CONFLICT DO NOTHING
// instead would take a third more processor time for each row.
func (t *Tx) insertTogether(contacts []*audience.Contact) error {
	schema, err := t.Schema(contacts[0].ListID)
	if err != nil {
		return err
	}
	ids, err := t.newContactIDs(len(contacts))
	if err != nil {
		return err
	}
	for i, c := range contacts {
		c.ID = ids[i]
	}
	// All transactions insert addresses in this order, so that two of them cannot deadlock.
	sorted := slices.Clone(contacts)
	slices.SortStableFunc(sorted, func(a, b *audience.Contact) int { return cmp.Compare(a.Key, b.Key) })
	if err := t.insertRows(schema, sorted); err != nil {
		return err
	}
	t.count(schema.List.ID, schema.List.AccountID, int64(len(contacts)))
	return nil
}

// withNewKeys returns the Contacts whose address no Contact of the List has.
func (t *Tx) withNewKeys(contacts []*audience.Contact) (fresh []*audience.Contact, err error) {
	if len(contacts) == 0 {
		return nil, nil
	}
	taken, err := t.keys(t.sql.statements.primaries, contacts[0].ListID, keysOf(contacts))
	for _, c := range contacts {
		if !taken[c.Key] {
			fresh = append(fresh, c)
		}
	}
	return fresh, err
}

// keysOf returns the addresses of Contacts.
func keysOf(contacts []*audience.Contact) []string {
	keys := make([]string, len(contacts))
	for i, c := range contacts {
		keys[i] = c.Key
	}
	return keys
}

// newContactIDs takes n IDs from the sequence of Contacts.
func (t *Tx) newContactIDs(n int) ([]audience.ContactID, error) {
	const take = "SELECT nextval('contact_id') FROM generate_series(1, CAST(? AS BIGINT))"
	ids, err := idsOf[audience.ContactID](t, take, int64(n))
	if err == nil && len(ids) != n {
		return nil, fmt.Errorf("the database returned %d IDs for %d Contacts", len(ids), n)
	}
	return ids, err
}

// insertRows inserts the rows of Contacts.
func (t *Tx) insertRows(schema *audience.Schema, contacts []*audience.Contact) error {
	n := len(contacts)
	ids, created, modified, first := make([]int64, n), make([]int64, n), make([]int64, n), make([]bool, n)
	keys, mobiles, via, docs := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, c := range contacts {
		if !hasInitialState(c) {
			return fmt.Errorf("a new Contact of List %d does not have the initial state", c.ListID)
		}
		doc, err := encodeValues(schema, c.Values)
		if err != nil {
			return err
		}
		ids[i], created[i], modified[i], first[i] = int64(c.ID), c.Created, c.Modified, c.IsFirst
		keys[i], mobiles[i], via[i], docs[i] = c.Key, c.Mobile, c.SubscribedVia, doc
	}
	return t.conn.Do(insertMany, int64(schema.List.ID), ids, keys, first, mobiles, created, modified, via, docs)
}

// insertMany inserts the rows in the order of the arrays.
const insertMany = `INSERT INTO contact (list_id, id, dedupe_key, duplicate_key, mobile_key,
		creation_time, last_modified_time, subscribed_via,
		double_opt_in, double_opt_in_time, is_active, is_bounce_deactivated, is_unsubscribed,
		last_click_time, last_message_time, last_open_time, webform_id, preference_values, field_values)
	SELECT CAST(? AS BIGINT), id, CASE WHEN first THEN key END, CASE WHEN NOT first THEN key END,
		nullif(mobile, ''), created, modified, via, 0, 0, 1, 0, 0, 0, 0, 0, 0, '', CAST(doc AS JSONB)
	FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS BOOLEAN[]), CAST(? AS TEXT[]),
		CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]))
		AS added (id, key, first, mobile, created, modified, via, doc)`

// AddLedgerRows adds the same row to the ledgers of several Contacts of a List.
func (t *Tx) AddLedgerRows(r *audience.LedgerRow, contacts []audience.ContactID) error {
	if !t.sql.ConcurrentWriters {
		row := *r
		for _, id := range contacts {
			row.ContactID = id
			if err := t.AddLedgerRow(&row); err != nil {
				return err
			}
		}
		return nil
	}
	if len(contacts) == 0 {
		return nil
	}
	preferences, err := (*choices)(&r.Preferences).text()
	if err != nil {
		return err
	}
	return t.conn.Do(`INSERT INTO consent (list_id, contact_id, time, method, type, text, ip, preferences, key_id)
		SELECT CAST(? AS BIGINT), id, CAST(? AS BIGINT), ?, ?, ?, ?, ?, CAST(? AS BIGINT)
		FROM unnest(CAST(? AS BIGINT[])) AS added (id)`,
		int64(r.ListID), r.Time, r.Method, string(r.Type), r.Text, r.IP, preferences, int64(r.KeyID), plainIDs(contacts))
}
