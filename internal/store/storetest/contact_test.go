package storetest

import (
	"errors"
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests the columns, addresses and removal of Contacts in a store.

func contactRecords(t *testing.T, s db.Engine) {
	schema := newSchema(t, s)
	c := contact(schema, "zoë@example.com")
	c.Values = c.Values.Set(schema.FieldNamed("Amount").ID, "12.50").Set(schema.Mobile().ID, "“quoted\" \\ \n\u2028 😀")
	c.Mobile, c.WebformID, c.Prefs = "+61400000000", 3, map[enlist.PreferenceID]bool{1: true, 2: false}
	insert(t, s, c)
	check := func(what string, find func(*db.Tx) (*enlist.ByID, error)) {
		t.Helper()
		view(t, s, func(tx *db.Tx) error {
			got, err := find(tx)
			same(t, what, got, c)
			return err
		})
	}
	find := func(what string) {
		t.Helper()
		check(what+" by ID", func(tx *db.Tx) (*enlist.ByID, error) {
			return contacts.ByID(tx, schema.List.ID, c.ID)
		})
		check(what+" by key", func(tx *db.Tx) (*enlist.ByID, error) {
			return contacts.ByKey(tx, schema.List.ID, c.Key)
		})
		check(what+" by mobile", func(tx *db.Tx) (*enlist.ByID, error) {
			found, err := contacts.ByAddress(tx, schema.List.ID, "", c.Mobile, 0, 10)
			if err != nil || len(found) != 1 {
				return nil, errors.Join(err, errors.New("the number of Contacts is not 1"))
			}
			return &found[0], nil
		})
	}
	find("new")
	c.Values = c.Values.Set(schema.FieldNamed("Amount").ID, "")
	c.Modified, c.DoubleOptIn, c.DoubleOptInTime = 200, true, 201
	c.IsActive, c.IsBounceDeactivated, c.IsUnsubscribed = false, true, true
	c.LastClickTime, c.LastMessageTime, c.LastOpenTime, c.Prefs = 202, 203, 204, map[enlist.PreferenceID]bool{2: true}
	update(t, s, func(tx *db.Tx) error { return contacts.Update(tx, c) })
	find("changed")

	view(t, s, func(tx *db.Tx) error {
		_, err := contacts.ByID(tx, schema.List.ID+1, c.ID)
		wantKind(t, "Contact of another List", err, enlist.NoContact)
		_, err = contacts.ByID(tx, schema.List.ID, c.ID+1)
		wantKind(t, "unknown Contact", err, enlist.NoContact)
		_, err = contacts.ByKey(tx, schema.List.ID, "unknown@example.com")
		wantKind(t, "unknown address", err, enlist.NoContact)
		found, err := contacts.ByAddress(tx, schema.List.ID, "", "", 0, 10)
		if len(found) != 0 {
			t.Errorf("a search without an address found %d Contacts, want 0", len(found))
		}
		return err
	})
	wantCounts(t, s, schema, 1)

	// A new Contact can have values in all columns.
	past := *c
	past.ID, past.Key, past.Mobile, past.WebformID = 0, "past@example.com", "+61400000001", 9
	past.Values = append(enlist.Values{}, c.Values...).Set(schema.Email().ID, "past@example.com")
	insert(t, s, &past)
	c = &past
	find("new with all values")
}

// wantCounts checks the counters of a List and of its Account.
func wantCounts(t *testing.T, s db.Engine, schema *enlist.Schema, want int64) {
	t.Helper()
	view(t, s, func(tx *db.Tx) error {
		list, err := tx.ContactCount(schema.List.ID)
		if err != nil {
			return err
		}
		account, err := tx.AccountContacts(schema.List.AccountID)
		if list != want || account != want {
			t.Errorf("the counter of the List is %d and that of the Account %d, want %d", list, account, want)
		}
		return err
	})
}

func sameAddress(t *testing.T, s db.Engine) {
	schema := newSchema(t, s)
	first := contact(schema, "a@example.com")
	insert(t, s, first)
	second := contact(schema, "a@example.com")
	update(t, s, func(tx *db.Tx) error {
		inserted, err := contacts.Insert(tx, second)
		if inserted {
			t.Error("a second Contact became the primary of the address")
		}
		return err
	})
	wantCounts(t, s, schema, 1)
	second.IsFirst = false
	insert(t, s, second)
	third := contact(schema, "a@example.com")
	third.IsFirst = false
	insert(t, s, third)
	wantCounts(t, s, schema, 3)
	view(t, s, func(tx *db.Tx) error {
		n, err := lists.Duplicates(tx, schema.List.ID)
		if n != 1 {
			t.Errorf("%d addresses have duplicates, want 1", n)
		}
		found, foundErr := contacts.ByAddress(tx, schema.List.ID, "a@example.com", "", 0, 10)
		same(t, "Contacts of the address", found, []enlist.ByID{*first, *second, *third})
		return errors.Join(err, foundErr)
	})
	// When the primary Contact of an address is removed, the oldest remaining Contact of the
	// address becomes the primary.
	update(t, s, func(tx *db.Tx) error {
		n, err := contacts.RemoveContactsUpTo(tx, schema.List.ID, first.ID, 10)
		if n != 1 {
			t.Errorf("%d removed, want 1", n)
		}
		return err
	})
	second.IsFirst = true
	view(t, s, func(tx *db.Tx) error {
		got, err := contacts.ByKey(tx, schema.List.ID, "a@example.com")
		same(t, "primary", got, second)
		return err
	})
}

func removal(t *testing.T, s db.Engine) {
	schema := newSchema(t, s)
	other := newSchema(t, s)
	var last *enlist.ByID
	for i := range 10 {
		last = contact(schema, strings.Repeat("x", i+1)+"@example.com")
		insert(t, s, last)
		insert(t, s, contact(other, strings.Repeat("x", i+1)+"@example.com"))
	}
	update(t, s, func(tx *db.Tx) error {
		id, err := contacts.LastContactID(tx, schema.List.ID)
		if id != last.ID {
			t.Errorf("LastContactID returned %d, want %d", id, last.ID)
		}
		return err
	})
	for _, want := range []int{4, 4, 1, 0} {
		update(t, s, func(tx *db.Tx) error {
			n, err := contacts.RemoveContactsUpTo(tx, schema.List.ID, last.ID-1, 4)
			if n != want {
				t.Errorf("%d removed, want %d", n, want)
			}
			return err
		})
	}
	wantCounts(t, s, schema, 1)
	wantCounts(t, s, other, 10)
	again := contact(schema, "new@example.com")
	update(t, s, func(tx *db.Tx) error {
		_, err := contacts.RemoveContactsUpTo(tx, schema.List.ID, 1<<40, 100)
		return err
	})
	insert(t, s, again)
	if again.ID <= last.ID {
		t.Errorf("the new Contact has the ID %d, want more than the ID of a removed Contact, %d", again.ID, last.ID)
	}
}

// fieldValueDeletion tests the deletion of a Field's values, also of Contacts that have none or do not exist.
func fieldValueDeletion(t *testing.T, s db.Engine) {
	schema := newSchema(t, s)
	amount := schema.FieldNamed("Amount").ID
	var ids []enlist.ContactID
	for i := range 5 {
		c := contact(schema, strings.Repeat("x", i+1)+"@example.com")
		c.Values = c.Values.Set(amount, "5")
		insert(t, s, c)
		ids = append(ids, c.ID)
	}
	for _, some := range [][]enlist.ContactID{ids[:2], ids[2:], ids[4:], {1 << 40}, {}} {
		update(t, s, func(tx *db.Tx) error { return contacts.RemoveFieldValues(tx, schema.List.ID, amount, some) })
	}
	view(t, s, func(tx *db.Tx) error {
		for _, id := range ids {
			c, err := contacts.ByID(tx, schema.List.ID, id)
			if err != nil {
				return err
			}
			if c.Values.Get(amount) != "" || c.Values.Get(schema.Email().ID) == "" {
				t.Errorf("the values are %v, want an email and no Amount", c.Values)
			}
		}
		return nil
	})
}

func failedUpdate(t *testing.T, s db.Engine) {
	schema := newSchema(t, s)
	refused := errors.New("refused")
	err := s.Update(t.Context(), func(tx *db.Tx) error {
		if _, err := contacts.Insert(tx, contact(schema, "a@example.com")); err != nil {
			return err
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("error %v, want the error that the function returned", err)
	}
	wantCounts(t, s, schema, 0)
	view(t, s, func(tx *db.Tx) error {
		_, err := contacts.ByKey(tx, schema.List.ID, "a@example.com")
		wantKind(t, "Contact of a failed Update", err, enlist.NoContact)
		return nil
	})
}
