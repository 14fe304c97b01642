package enlist

import "slices"

// This file has the record of a Contact.

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
	SubscribedVia       string // one of the published values of subscribed_via
	WebformID           int64
	Language            string // ISO 639-1, in which the person subscribed; "": that of the List
	TrackingConsent     TrackingConsent
	TrackingTime        int64 // of the decision; 0: none

	// Before and IsComplaint are not stored. The counts of the day need them.
	Before      ContactState // when the transaction read the Contact
	IsComplaint bool         // the Contact unsubscribes because its person reported a mail as spam
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

// Receives reports whether the server should send a Contact the Message for an event. A Message for
// the event unsubscribe goes only to Contacts that are still unsubscribed. Any other Message
// goes only to subscribed Contacts. With double opt-in, a Contact that has not confirmed gets none, because the address can
// belong to another person. reference.md: event.confirm
func (c *Contact) Receives(schema *Schema, event Event) bool {
	if !c.IsActive || schema.List.DoubleOptIn && !c.DoubleOptIn {
		return false
	}
	return c.IsUnsubscribed == (event == EventUnsubscribe)
}

// PersonKey identifies a Contact of the person.
type PersonKey struct {
	List    ListID
	Contact ContactID
}
