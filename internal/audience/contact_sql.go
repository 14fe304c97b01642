package audience

import (
	"slices"
	"strconv"

	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// This file stores Contacts. Several Contacts of a List can have the same address. One of these Contacts
// is the primary and has the address in dedupe_key, which is unique in the List. The other Contacts are
// duplicates and have the address in duplicate_key.

// Contact returns a Contact of a List by its ID.
func (t *Tx) Contact(list enlist.ListID, id enlist.ContactID) (*enlist.Contact, error) {
	s := contactStatements.of(t.SQL)
	return t.oneContact(t.readOrLock(s.contactByID, s.lockedByID), list, int64(list), int64(id))
}

// ContactByKey returns the primary Contact of a normalised address in a List.
func (t *Tx) ContactByKey(list enlist.ListID, key string) (*enlist.Contact, error) {
	s := contactStatements.of(t.SQL)
	return t.oneContact(t.readOrLock(s.contactByKey, s.lockedByKey), list, int64(list), key)
}

// readOrLock returns the statement lock in a transaction that writes, otherwise the statement read.
// Both statements select the same Contacts.
func (t *Tx) readOrLock(read, lock string) string {
	if t.writes {
		return lock
	}
	return read
}

func (t *Tx) oneContact(query string, list enlist.ListID, args ...any) (found *enlist.Contact, err error) {
	err = t.contacts(query, list, func(c *enlist.Contact) { found = c }, args...)
	if err == nil && found == nil {
		err = enlist.ErrNoContact
	}
	return found, err
}

// ContactsByAddress returns the Contacts of a List that have the normalised address or the mobile
// number. It returns at most limit Contacts with IDs greater than after, in the order of their IDs.
func (t *Tx) ContactsByAddress(list enlist.ListID, key, mobile string, after enlist.ContactID, limit int) (
	found []enlist.Contact, err error) {
	s, in := contactStatements.of(t.SQL), int64(list)
	err = t.contacts(t.readOrLock(s.contactsByAddress, s.lockedByAddress), list,
		func(c *enlist.Contact) { found = append(found, *c) },
		in, int64(after), in, orNull(key), in, orNull(key), in, orNull(mobile), int64(limit))
	return found, err
}

// contacts calls fn with each Contact that a query returns. Each call gets a new Contact, so fn can
// keep it.
func (t *Tx) contacts(query string, list enlist.ListID, fn func(*enlist.Contact), args ...any) error {
	m := mapper{job: selected}
	return t.each(func(row *Cursor) error {
		c := &enlist.Contact{ListID: list}
		m.cursor = row
		mapContact(t.SQL, &m, c)
		if m.err != nil {
			return m.err
		}
		if err := t.readValues(m.document, c); err != nil {
			return err
		}
		fn(c)
		return nil
	}, query, args...)
}

var contactTable = newDialectMapping("contact", mapContact)

// contactStateTable has the columns that a search for system values reads.
var contactStateTable = newMapping("contact", mapContactState)

// mapContact describes the table contact. It does not convert the document of Field values, because the
// form of this document depends on the List's Fields and on the engine. The caller converts m.document.
func mapContact(d *Dialect, m *mapper, c *enlist.Contact) {
	m.owner("list_id", (*int64)(&c.ListID))
	m.value("dedupe_key", (*dedupeKey)(c))
	m.value("duplicate_key", (*duplicateKey)(c))
	m.value("mobile_key", (*nullText)(&c.Mobile))
	m.id("id", (*int64)(&c.ID))
	mapContactState(m, c)
	m.state("preference_values", "''", (*answers)(&c.Prefs))
	m.converted("field_values", d.Document, d.ToDocument, &m.document)
}

// mapContactState describes the columns that the API calls system values.
func mapContactState(m *mapper, c *enlist.Contact) {
	m.fixed("creation_time", &c.Created)
	m.value("last_modified_time", &c.Modified)
	m.state("double_opt_in", "0", &c.DoubleOptIn)
	m.state("double_opt_in_time", "0", &c.DoubleOptInTime)
	m.state("is_active", "1", &c.IsActive)
	m.state("is_bounce_deactivated", "0", &c.IsBounceDeactivated)
	m.state("is_unsubscribed", "0", &c.IsUnsubscribed)
	m.state("last_click_time", "0", &c.LastClickTime)
	m.state("last_message_time", "0", &c.LastMessageTime)
	m.state("last_open_time", "0", &c.LastOpenTime)
	m.fixed("subscribed_via", &c.SubscribedVia)
	m.fixed("webform_id", &c.WebformID)
}

// InsertContact stores a new Contact and adds 1 to the counters of the List and the Account. It
// returns false if the Contact should become the primary of its address, but the List already has a
// primary of this address.
func (t *Tx) InsertContact(c *enlist.Contact) (inserted bool, err error) {
	schema, err := t.Schema(c.ListID)
	if err != nil {
		return false, err
	}
	doc, err := encodeValues(schema, c.Values)
	if err != nil {
		return false, err
	}
	id, err := t.insertConcurrently(c, doc)
	if err != nil || id == 0 {
		return false, err
	}
	c.ID = enlist.ContactID(id)
	t.count(c.ListID, schema.List.AccountID, 1)
	return true, nil
}

// InsertOrFind inserts a Contact as the primary of its address, or returns the existing primary. It looks
// first, because an INSERT that does nothing still takes an ID from the sequence. If another transaction
// inserts the address after the look, the INSERT does nothing and InsertOrFind looks again.
func (t *Tx) InsertOrFind(c *enlist.Contact) (existing *enlist.Contact, err error) {
	if t.part != nil {
		return nil, t.part.addContact(t, c)
	}
	for {
		existing, err := t.ContactByKey(c.ListID, c.Key)
		if enlist.KindOf(err) != enlist.NoContact {
			return existing, err
		}
		inserted, err := t.InsertContact(c)
		if inserted || err != nil {
			return nil, err
		}
	}
}

// insertConcurrently inserts a Contact. With concurrent writers, it locks the primary before it inserts
// a duplicate. A transaction that removes this primary waits for the lock. It then sees the duplicate
// and can promote it. If the address has no primary, insertConcurrently inserts the Contact as the
// primary.
func (t *Tx) insertConcurrently(c *enlist.Contact, doc string) (id int64, err error) {
	if !t.SQL.ConcurrentWriters || c.IsFirst {
		return t.insertContact(c, doc)
	}
	for { // if another transaction inserts a primary after the SELECT, the INSERT stores nothing
		const first = "SELECT id FROM contact WHERE list_id = ? AND dedupe_key = ? FOR UPDATE"
		primary, err := t.number(first, int64(c.ListID), c.Key)
		if err != nil {
			return 0, err
		}
		c.IsFirst = primary == 0
		id, err = t.insertContact(c, doc)
		if id != 0 || err != nil {
			return id, err
		}
	}
}

// insertContact inserts the row of a Contact. Nearly all new Contacts have initial values in their state
// columns. For these Contacts a statement with constants in place of arguments is faster, because SQLite
// needs one call for each argument.
func (t *Tx) insertContact(c *enlist.Contact, doc string) (id int64, err error) {
	statement, job := contactStatements.of(t.SQL).insert, inserted
	if hasInitialState(c) {
		statement, job = contactStatements.of(t.SQL).insertInitial, unset
	}
	args, err := t.contactArguments(job, c, doc)
	if err != nil {
		return 0, err
	}
	return t.Insert(statement, args...)
}

func (t *Tx) contactArguments(job use, c *enlist.Contact, doc string) ([]any, error) {
	m := &t.mapper
	*m = mapper{job: job, args: make([]any, 0, 20), document: doc}
	mapContact(t.SQL, m, c)
	return append(m.args, m.keys...), m.err
}

// hasInitialState reports whether all state columns of a Contact have their initial values.
func hasInitialState(c *enlist.Contact) bool {
	return c.IsActive && !c.DoubleOptIn && !c.IsBounceDeactivated && !c.IsUnsubscribed && len(c.Prefs) == 0 &&
		c.DoubleOptInTime|c.LastClickTime|c.LastMessageTime|c.LastOpenTime|c.WebformID == 0
}

// UpdateContact stores all columns of a Contact except those that never change after the INSERT.
func (t *Tx) UpdateContact(c *enlist.Contact) error {
	schema, err := t.Schema(c.ListID)
	if err != nil {
		return err
	}
	doc, err := encodeValues(schema, c.Values)
	if err != nil {
		return err
	}
	args, err := t.contactArguments(updated, c, doc)
	if err != nil {
		return err
	}
	return t.Do(contactTable.of(t.SQL).update, args...)
}

// LastContactID returns the highest ID of a List's Contacts, or 0 if the List has no Contact.
func (t *Tx) LastContactID(list enlist.ListID) (enlist.ContactID, error) {
	n, err := t.number("SELECT max(id) FROM contact WHERE list_id = ?", int64(list))
	return enlist.ContactID(n), err
}

// DeleteFieldValues removes the values of a deleted Field from Contacts.
func (t *Tx) DeleteFieldValues(list enlist.ListID, field enlist.FieldID, contacts []enlist.ContactID) error {
	test, args, err := t.contactTest("id", contacts)
	if err != nil {
		return err
	}
	remove := "UPDATE contact SET field_values = " + t.SQL.WithoutField + " WHERE " + t.SQL.NoIndex + "list_id = ? AND " + test
	return t.Do(remove, append([]any{strconv.FormatInt(int64(field), 10), int64(list)}, args...)...)
}

// Duplicates returns the number of addresses that several Contacts of a List share.
func (t *Tx) Duplicates(list enlist.ListID) (int64, error) {
	return t.number(`SELECT count(DISTINCT duplicate_key) FROM contact
		WHERE list_id = ? AND duplicate_key IS NOT NULL`, int64(list))
}

// QuotedKeys returns the normalised addresses of a List's Contacts that begin with a quote.
func (t *Tx) QuotedKeys(list enlist.ListID, after string, limit int) ([]string, error) {
	primaries, err := t.quoted("dedupe_key", "contact WHERE list_id = ?", int64(list), after, limit)
	if err != nil {
		return nil, err
	}
	duplicates, err := t.quoted("duplicate_key", "contact WHERE list_id = ?", int64(list), after, limit)
	keys := append(primaries, duplicates...)
	slices.Sort(keys)
	keys = slices.Compact(keys)
	return keys[:min(len(keys), limit)], err
}

// quoted returns the different values of a column that begin with a quote and sort after the text
// after. In ASCII, # is the next character after the quote, so an index of the column finds the values.
func (t *Tx) quoted(column, of string, owner int64, after string, limit int) (keys []string, err error) {
	query := "SELECT DISTINCT " + column + " FROM " + of + " AND " + column + " > ? AND " + column + " < '#'"
	err = t.each(func(row *Cursor) error {
		keys = append(keys, row.Text())
		return nil
	}, query+" ORDER BY "+column+limited, owner, max(after, `"`), int64(limit))
	return keys, err
}

// orNull returns nil (NULL) for an empty text, because a unique index permits several NULLs.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// encodeValues returns Field values as JSON for the column field_values: an object whose names are the
// IDs of the Fields.
func encodeValues(schema *enlist.Schema, values enlist.Values) (doc string, err error) {
	b := make([]byte, 0, 512)
	b = append(b, '{')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = strconv.AppendInt(b, int64(v.Field), 10)
		b = append(b, '"', ':')
		if f := schema.Field(v.Field); f != nil && f.Numeric() {
			// Perhaps the type of the Field was text before. Then its values can be texts such as
			// 007 or +5, which are not numbers in JSON.
			if number, ok := enlist.ParseDecimal(v.Text); ok {
				b = append(b, number...)
				continue
			}
		}
		b, err = jsontext.AppendQuote(b, v.Text)
		if err != nil {
			return "", err
		}
	}
	return string(append(b, '}')), nil
}
