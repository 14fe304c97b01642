package contacts

import (
	"slices"
	"strconv"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file stores Contacts. Several Contacts of a List can have the same address. One of these Contacts
// is the primary and has the address in dedupe_key, which is unique in the List. The other Contacts are
// duplicates and have the address in duplicate_key.

// ByID returns a Contact of a List by its ID.
func ByID(tx *db.Tx, list enlist.ListID, id enlist.ContactID) (*enlist.Contact, error) {
	return oneContact(tx, contactStatements.Of(tx.SQL).byID+tx.Locking(), list, int64(list), int64(id))
}

// ByKey returns the primary Contact of a normalised address in a List.
func ByKey(tx *db.Tx, list enlist.ListID, key string) (*enlist.Contact, error) {
	return oneContact(tx, contactStatements.Of(tx.SQL).byKey+tx.Locking(), list, int64(list), key)
}

func oneContact(tx *db.Tx, query string, list enlist.ListID, args ...any) (contact *enlist.Contact, err error) {
	err = eachContact(tx, query, list, func(c *enlist.Contact) { contact = c }, args...)
	if err == nil && contact == nil {
		err = enlist.ErrNoContact
	}
	return contact, err
}

// ByAddress returns the Contacts of a List that have the normalised address or the mobile
// number. It returns at most limit Contacts with IDs greater than after, in the order of their IDs.
func ByAddress(tx *db.Tx, list enlist.ListID, key, mobile string, after enlist.ContactID, limit int) (
	page []enlist.Contact, err error) {
	in := int64(list)
	err = eachContact(tx, contactStatements.Of(tx.SQL).byAddress+tx.Locking(), list,
		func(c *enlist.Contact) { page = append(page, *c) },
		in, int64(after), in, db.OrNull(key), in, db.OrNull(key), in, db.OrNull(mobile), db.OrNull(key),
		db.OrNull(mobile), int64(limit))
	return page, err
}

// ListsOf returns those of the Lists that have a Contact with the normalised address or the mobile number.
// It takes far less time than ByAddress for each List.
func ListsOf(tx *db.Tx, among []enlist.ListID, key, mobile string) (with []enlist.ListID, err error) {
	lists, err := db.ManyValues(tx, db.PlainIDs(among))
	if err != nil {
		return nil, err
	}
	for _, at := range []struct{ column, value string }{
		{"dedupe_key", key}, {"duplicate_key", key}, {"mobile_key", mobile}} {
		if at.value == "" {
			continue
		}
		some, err := db.IDsOf[enlist.ListID](tx, listsWith(tx.SQL, at.column), lists, at.value)
		if err != nil {
			return nil, err
		}
		with = append(with, some...)
	}
	slices.Sort(with)
	return slices.Compact(with), nil
}

// listsWith returns a statement for those of the Lists ?1 that have a Contact whose column has the value ?2. With
// = ANY, PostgreSQL would look up each List in each partition of the table, not only in its own.
func listsWith(d *db.Dialect, column string) string {
	if d.Arrays {
		return `SELECT DISTINCT contact.list_id FROM unnest(CAST(?1 AS BIGINT[])) AS wanted (list_id)
			JOIN contact ON contact.list_id = wanted.list_id AND contact.` + column + " = ?2"
	}
	return "SELECT DISTINCT list_id FROM contact WHERE list_id IN (SELECT value FROM " + d.Items("?1") + ") AND " +
		column + " = ?2"
}

// eachContact calls fn with each Contact that a query returns. Each call gets a new Contact, so fn can
// keep it.
func eachContact(tx *db.Tx, query string, list enlist.ListID, fn func(*enlist.Contact), args ...any) error {
	m := db.Mapper{Job: db.Selected}
	return tx.Each(func(row *db.Cursor) error {
		c := &enlist.Contact{ListID: list}
		m.Cursor = row
		mapContact(tx.SQL, &m, c)
		if m.Err != nil {
			return m.Err
		}
		if err := search.ReadValues(tx, m.Document, c); err != nil {
			return err
		}
		c.Before = c.State()
		fn(c)
		return nil
	}, query, args...)
}

var contactTable = db.NewDialectMapping("contact", mapContact)

// mapContact describes the table contact. It does not convert the document of Field values, because the
// form of this document depends on the List's Fields and on the engine. The caller converts m.document.
func mapContact(d *db.Dialect, m *db.Mapper, c *enlist.Contact) {
	m.Owner("list_id", (*int64)(&c.ListID))
	m.Value("dedupe_key", (*db.DedupeKey)(c))
	m.Value("duplicate_key", (*db.DuplicateKey)(c))
	m.Value("mobile_key", (*db.NullText)(&c.Mobile))
	m.ID("id", (*int64)(&c.ID))
	search.MapContactState(m, c)
	search.MapTracking(m, c)
	m.State("preference_values", "''", (*db.Answers)(&c.Prefs))
	m.State("language", "''", &c.Language)
	m.Converted("field_values", d.Document, d.ToDocument, &m.Document)
}

// Insert stores a new Contact and adds 1 to the counters of the List, its day and the Account. It
// returns false if the Contact should become the primary of its address, but the List already has a
// primary of this address.
func Insert(tx *db.Tx, c *enlist.Contact) (inserted bool, err error) {
	schema, err := lists.Schema(tx, c.ListID)
	if err != nil {
		return false, err
	}
	doc, err := db.EncodeValues(schema, c.Values)
	if err != nil {
		return false, err
	}
	id, err := insertConcurrently(tx, c, doc)
	if err != nil || id == 0 {
		return false, err
	}
	c.ID = enlist.ContactID(id)
	tx.CountContact(schema, c, 1)
	return true, nil
}

// insertOrFind inserts a Contact as the primary of its address, or returns the existing primary. It looks
// first, because an INSERT that does nothing still takes an ID from the sequence. If another transaction
// inserts the address after the look, the INSERT does nothing and InsertOrFind looks again.
func insertOrFind(tx *db.Tx, c *enlist.Contact) (existing *enlist.Contact, err error) {
	if tx.IsBatched() {
		schema, err := lists.Schema(tx, c.ListID)
		if err != nil {
			return nil, err
		}
		return nil, tx.BatchContact(schema, c)
	}
	for {
		existing, err := ByKey(tx, c.ListID, c.Key)
		if enlist.KindOf(err) != enlist.NoContact {
			return existing, err
		}
		inserted, err := Insert(tx, c)
		if inserted || err != nil {
			return nil, err
		}
	}
}

// insertConcurrently inserts a Contact. With concurrent writers, it locks the primary before it inserts
// a duplicate. A transaction that removes this primary waits for the lock. It then sees the duplicate
// and can promote it. If the address has no primary, insertConcurrently inserts the Contact as the
// primary.
func insertConcurrently(tx *db.Tx, c *enlist.Contact, doc string) (id int64, err error) {
	if !tx.SQL.ConcurrentWriters || c.IsFirst {
		return insertOne(tx, c, doc)
	}
	for { // if another transaction inserts a primary after the SELECT, the INSERT stores nothing
		const first = "SELECT id FROM contact WHERE list_id = ? AND dedupe_key = ? FOR UPDATE"
		primary, err := tx.Number(first, int64(c.ListID), c.Key)
		if err != nil {
			return 0, err
		}
		c.IsFirst = primary == 0
		id, err = insertOne(tx, c, doc)
		if id != 0 || err != nil {
			return id, err
		}
	}
}

// insertOne inserts the row of a Contact. Nearly all new Contacts have initial values in their state
// columns. For these Contacts a statement with constants in place of arguments is faster, because SQLite
// needs one call for each argument.
func insertOne(tx *db.Tx, c *enlist.Contact, doc string) (id int64, err error) {
	statement, job := contactStatements.Of(tx.SQL).insert, db.Inserted
	if db.HasInitialState(c) {
		statement, job = contactStatements.Of(tx.SQL).insertInitial, db.Unset
	}
	args, err := contactArguments(tx, job, c, doc)
	if err != nil {
		return 0, err
	}
	return tx.Insert(statement, args...)
}

func contactArguments(tx *db.Tx, job db.Use, c *enlist.Contact, doc string) ([]any, error) {
	m := &tx.Mapper
	*m = db.Mapper{Job: job, Args: make([]any, 0, 20), Document: doc}
	mapContact(tx.SQL, m, c)
	return append(m.Args, m.Keys...), m.Err
}

// Update stores all columns of a Contact except those that never change after the INSERT. The day counts the change of
// its state.
func Update(tx *db.Tx, c *enlist.Contact) error {
	schema, err := lists.Schema(tx, c.ListID)
	if err != nil {
		return err
	}
	doc, err := db.EncodeValues(schema, c.Values)
	if err != nil {
		return err
	}
	args, err := contactArguments(tx, db.Updated, c, doc)
	if err != nil {
		return err
	}
	tx.CountContact(schema, c, 0)
	return tx.Do(contactTable.Of(tx.SQL).Update, args...)
}

// LastContactID returns the highest ID of a List's Contacts, or 0 if the List has no Contact.
func LastContactID(tx *db.Tx, list enlist.ListID) (enlist.ContactID, error) {
	n, err := tx.Number("SELECT max(id) FROM contact WHERE list_id = ?", int64(list))
	return enlist.ContactID(n), err
}

// RemoveFieldValues removes the values of a deleted Field from Contacts.
func RemoveFieldValues(tx *db.Tx, list enlist.ListID, field enlist.FieldID, contacts []enlist.ContactID) error {
	test, args, err := tx.ContactTest("id", contacts)
	if err != nil {
		return err
	}
	remove := "UPDATE contact SET field_values = " + tx.SQL.WithoutField + " WHERE " + tx.SQL.NoIndex +
		"list_id = ? AND " + test
	return tx.Do(remove, append([]any{strconv.FormatInt(int64(field), 10), int64(list)}, args...)...)
}

// AllByID returns the Contacts of a List with the given IDs, in order of ID. It locks no Contact.
func AllByID(tx *db.Tx, list enlist.ListID, ids []enlist.ContactID) (contacts []enlist.Contact, err error) {
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return nil, err
	}
	query := contactTable.Of(tx.SQL).Read + "WHERE list_id = ? AND " + test + " ORDER BY id"
	args = append([]any{int64(list)}, args...)
	err = eachContact(tx, query, list, func(c *enlist.Contact) { contacts = append(contacts, *c) }, args...)
	return contacts, err
}
