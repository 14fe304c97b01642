package audience

import "slices"

// This file has the record of a Contact and the database methods for it.

// Contact is one record of a List.
type Contact struct {
	ID       ContactID
	ListID   ListID
	Values   Values
	Key      string // normalised address, see Schema.addressKey; has an "@" exactly when it is an email
	Mobile   string // normalised mobile number, "" without one
	IsFirst  bool   // the first of its List with this Key; the others are duplicates
	Prefs    map[PreferenceID]bool
	Created  int64
	Modified int64

	DoubleOptIn         bool
	DoubleOptInTime     int64
	IsActive            bool
	IsBounceDeactivated bool
	IsUnsubscribed      bool
	LastClickTime       int64
	LastMessageTime     int64
	LastOpenTime        int64
	SubscribedVia       string // one of the values of subscribed_via in the specification
	WebformID           int64
}

// FieldValue is the value of a Contact in one Field. Text is never "": a Contact
// without a value has no FieldValue. Numbers are plain decimals ("12.50"), dates ISO
// ("2026-01-31", or "2026-01-31 17:05:00" in a Field with a time).
type FieldValue struct {
	Field FieldID
	Text  string
}

// Values are a Contact's Field values in order of Field ID.
type Values []FieldValue

// Get returns the value in a Field, "" when it is absent.
func (v Values) Get(id FieldID) string {
	for i := range v {
		if v[i].Field == id {
			return v[i].Text
		}
	}
	return ""
}

// Set stores a value and keeps the order. "" removes the value.
func (v Values) Set(id FieldID, text string) Values {
	i := 0
	for i < len(v) && v[i].Field < id {
		i++
	}
	present := i < len(v) && v[i].Field == id
	switch {
	case present && text == "":
		return slices.Delete(v, i, i+1)
	case present:
		v[i].Text = text
	case text != "":
		return slices.Insert(v, i, FieldValue{id, text})
	}
	return v
}

// insert stores a new Contact as the first with its address, or as a duplicate of the
// first where the List allows that. It returns false and stores nothing when the List
// disallows it.
func (c *Contact) insert(tx ContactTx, schema *Schema) (inserted bool, err error) {
	c.IsFirst = true
	inserted, err = tx.InsertContact(c)
	if err == nil && !inserted && !schema.List.DisallowDuplicates {
		c.IsFirst = false
		inserted, err = tx.InsertContact(c)
	}
	return inserted, err
}

// hasRoom refuses when the Account may store no further Contact. decisions.md: 42
func hasRoom(tx AccountTx, a *Account) error {
	if a.ContactLimit == NoContactLimit {
		return nil
	}
	n, err := tx.AccountContacts(a.ID)
	if err == nil && n >= a.ContactLimit {
		err = Refuse(ContactLimit, "the Account may store %d Contacts", a.ContactLimit)
	}
	return err
}

// ContactTx reads and changes single Contacts, in a transaction. In an Update, a
// Contact that was read stays as it is until the transaction ends.
type ContactTx interface {
	// Contact returns one Contact. Its error is of kind NoContact when the List has
	// none with the ID.
	Contact(list ListID, id ContactID) (*Contact, error)
	// ContactByKey returns the first Contact with an address, given in its normalised
	// form. Its error is of kind NoContact when the List has none.
	ContactByKey(list ListID, key string) (*Contact, error)
	// ContactsByAddress returns up to limit Contacts with an ID above after, in order
	// of ID, whose Key is key or whose Mobile is mobile. "" matches no Contact.
	ContactsByAddress(list ListID, key, mobile string, after ContactID, limit int) ([]Contact, error)
	// InsertContact inserts a Contact, sets its ID and counts it. It returns false
	// and stores nothing when IsFirst is set and another Contact holds the Key.
	InsertContact(c *Contact) (inserted bool, err error)
	// InsertOrFind inserts a Contact whose IsFirst is set, as InsertContact does. When
	// another Contact holds the Key it returns that one and stores nothing;
	// otherwise existing is nil.
	InsertOrFind(c *Contact) (existing *Contact, err error)
	// UpdateContact stores the values, the Key, the flags and the times of c.
	UpdateContact(c *Contact) error
	// RemoveContactsByID deletes Contacts and returns the IDs of those that the List
	// had, in ascending order.
	RemoveContactsByID(list ListID, ids []ContactID) (removed []ContactID, err error)
	// PromoteDuplicate makes the duplicate with the lowest ID the first Contact of an
	// address, after the first one was removed or got another address.
	PromoteDuplicate(list ListID, key string) error
}
