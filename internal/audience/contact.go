package audience

import (
	"math"
	"slices"
)

// This file has the record of a Contact and the database methods for it.

// Contact is one record of a List.
type Contact struct {
	ID       ContactID
	ListID   ListID
	Values   Values
	Key      string // normalised address: the email address (it contains "@") or, without one, the mobile number
	Mobile   string // normalised mobile number; "" if the Contact has none
	IsFirst  bool   // the first Contact of its List with this Key; others with the Key are duplicates
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

// FieldValue is the value of a Contact in one Field. Text is never "": a Contact without a
// value has no FieldValue. A number is a plain decimal ("12.50"). A date is in ISO form
// ("2026-01-31"), with a time ("2026-01-31 17:05:00") if one was sent.
type FieldValue struct {
	Field FieldID
	Text  string
}

// Values are a Contact's Field values in order of Field ID.
type Values []FieldValue

// Get returns the value in a Field, or "" if there is none.
func (v Values) Get(id FieldID) string {
	for i := range v {
		if v[i].Field == id {
			return v[i].Text
		}
	}
	return ""
}

// Set stores a value and returns the Values, still in order. "" removes the value.
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

// insert stores a new Contact. If another Contact has the address, insert stores the new Contact
// as a duplicate or, if the List disallows duplicates, stores nothing and returns false.
func (c *Contact) insert(tx ContactTx, schema *Schema) (inserted bool, err error) {
	c.IsFirst = true
	inserted, err = tx.InsertContact(c)
	if err == nil && !inserted && !schema.List.DisallowDuplicates {
		c.IsFirst = false
		inserted, err = tx.InsertContact(c)
	}
	return inserted, err
}

// accountRoom returns how many Contacts the Account may still add. decisions.md: 42
func accountRoom(tx AccountTx, a *Account) (int64, error) {
	if a.ContactLimit == NoContactLimit {
		return math.MaxInt64, nil
	}
	n, err := tx.AccountContacts(a.ID)
	return max(a.ContactLimit-n, 0), err
}

// requireRoom returns an error of kind ContactLimit if the Account has as many Contacts as its
// limit allows.
func requireRoom(tx AccountTx, a *Account) error {
	room, err := accountRoom(tx, a)
	if err == nil && room == 0 {
		err = Refuse(ContactLimit, "the Account may store %d Contacts", a.ContactLimit)
	}
	return err
}

// ContactTx reads and changes single Contacts, in a transaction. After an Update has read a
// Contact, no other transaction can change the Contact until the Update ends.
type ContactTx interface {
	// Contact returns one Contact. The error is of kind NoContact if the List has no
	// Contact with the ID.
	Contact(list ListID, id ContactID) (*Contact, error)
	// ContactByKey returns the first Contact with an address. key is the normalised
	// address. The error is of kind NoContact if no Contact of the List has the address.
	ContactByKey(list ListID, key string) (*Contact, error)
	// ContactsByAddress returns the Contacts whose Key is key or whose Mobile is mobile,
	// in order of ID. A key or mobile of "" matches no Contact. It returns at most limit Contacts, and only
	// Contacts with an ID above after.
	ContactsByAddress(list ListID, key, mobile string, after ContactID, limit int) ([]Contact, error)
	// InsertContact inserts a Contact, sets its ID and updates the counters. If IsFirst is
	// set and another Contact is the first with the Key, it stores nothing and returns false.
	InsertContact(c *Contact) (inserted bool, err error)
	// InsertOrFind inserts a Contact whose IsFirst is set, as InsertContact does. If another
	// Contact is the first with the Key, it stores nothing and returns that Contact.
	// Otherwise existing is nil.
	InsertOrFind(c *Contact) (existing *Contact, err error)
	// UpdateContact stores the values, the Key, the flags and the times of c.
	UpdateContact(c *Contact) error
	// RemoveContactsByID deletes the Contacts of the List that have one of the IDs. It
	// returns the IDs of the deleted Contacts in ascending order.
	RemoveContactsByID(list ListID, ids []ContactID) (removed []ContactID, err error)
	// QuotedKeys returns the Keys of a List's Contacts that begin with a quote, each once and in
	// order of their bytes. It returns at most limit Keys, and only Keys that sort after the
	// text after.
	QuotedKeys(list ListID, after string, limit int) ([]string, error)
}
