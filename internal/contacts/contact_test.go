package contacts_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests the columns, addresses and removal of Contacts in a store.

// covers: decision 24
func TestContactsAreReturnedAsStored(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewStore, []apptest.Rule[apptest.Store]{
		{Name: "a Contact is found by ID, address and mobile number", Test: contactRecords},
		{Name: "exactly one of the Contacts with the same address is the primary", Test: sameAddress},
		{Name: "Contacts are removed in batches, and their IDs are never used again", Test: removal},
		{Name: "values of a deleted Field are removed in batches", Test: fieldValueDeletion},
		{Name: "the times of a Contact's last mail, opening and click never decrease", Test: contactTimes},
	})
}

// A version before 1.0.0 accepted addresses that are refused today.
func TestAStoredAddressThatIsRefusedTodayStaysInUse(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "it is found, kept and unsubscribed", Test: refusedToday},
	})
}

func refusedToday(o *apptest.Account) {
	const address = "ann@example.123"
	list := o.AddList()
	var id enlist.ContactID
	o.Update(func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		c := apptest.NewContact(schema, address)
		_, err = contacts.Insert(tx, c)
		if id = c.ID; err == nil && schema.AddressKey(c) != address {
			o.Errorf("the address is %q, so no value of the Contact can be changed", schema.AddressKey(c))
		}
		return err
	})
	if n := o.Count(list, "Email", "starts_with", "ann@example"); n != 1 {
		o.Errorf("a search finds %d Contacts, want 1", n)
	}
	if _, err := o.App.Sending.UnsubscribeByLink(o.Context(), enlist.DeliveryKey{List: list, Contact: id}, ""); err != nil {
		o.Error(err)
	}
	if !o.Contact(list, id).IsUnsubscribed {
		o.Error("the link did not unsubscribe the Contact")
	}
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		found, err := contacts.UnsubscribedAmong(tx, o.Caller.Account.ID, 0, []string{address})
		if !found[address] {
			o.Error("the address is not on the Unsubscriber List")
		}
		return err
	}))
}

func contactRecords(o apptest.Store) {
	t, s := o.T, o.Engine
	schema := apptest.NewSchema(t, s)
	c := apptest.NewContact(schema, "zoë@example.com")
	c.Values = c.Values.Set(schema.FieldNamed("Amount").ID, "12.50").Set(schema.Mobile().ID, "“quoted\" \\ \n\u2028 😀")
	c.Mobile, c.WebformID, c.Prefs = "+61400000000", 3, map[enlist.PreferenceID]bool{1: true, 2: false}
	apptest.InsertContact(t, s, c)
	check := func(what string, find func(*db.Tx) (*enlist.Contact, error)) {
		t.Helper()
		apptest.View(t, s, func(tx *db.Tx) error {
			got, err := find(tx)
			apptest.Same(t, what, got, c)
			return err
		})
	}
	find := func(what string) {
		t.Helper()
		check(what+" by ID", func(tx *db.Tx) (*enlist.Contact, error) {
			return contacts.ByID(tx, schema.List.ID, c.ID)
		})
		check(what+" by key", func(tx *db.Tx) (*enlist.Contact, error) {
			return contacts.ByKey(tx, schema.List.ID, c.Key)
		})
		check(what+" by mobile", func(tx *db.Tx) (*enlist.Contact, error) {
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
	apptest.Update(t, s, func(tx *db.Tx) error { return contacts.Update(tx, c) })
	find("changed")

	apptest.View(t, s, func(tx *db.Tx) error {
		_, err := contacts.ByID(tx, schema.List.ID+1, c.ID)
		apptest.WantKind(t, "Contact of another List", err, enlist.NoContact)
		_, err = contacts.ByID(tx, schema.List.ID, c.ID+1)
		apptest.WantKind(t, "unknown Contact", err, enlist.NoContact)
		_, err = contacts.ByKey(tx, schema.List.ID, "unknown@example.com")
		apptest.WantKind(t, "unknown address", err, enlist.NoContact)
		found, err := contacts.ByAddress(tx, schema.List.ID, "", "", 0, 10)
		if len(found) != 0 {
			t.Errorf("a search without an address found %d Contacts, want 0", len(found))
		}
		return err
	})
	apptest.WantCounts(t, s, schema, 1)

	// A new Contact can have values in all columns.
	past := *c
	past.ID, past.Key, past.Mobile, past.WebformID = 0, "past@example.com", "+61400000001", 9
	past.Values = append(enlist.Values{}, c.Values...).Set(schema.Email().ID, "past@example.com")
	apptest.InsertContact(t, s, &past)
	c = &past
	find("new with all values")
}

func sameAddress(o apptest.Store) {
	t, s := o.T, o.Engine
	schema := apptest.NewSchema(t, s)
	first := apptest.NewContact(schema, "a@example.com")
	apptest.InsertContact(t, s, first)
	second := apptest.NewContact(schema, "a@example.com")
	apptest.Update(t, s, func(tx *db.Tx) error {
		inserted, err := contacts.Insert(tx, second)
		if inserted {
			t.Error("a second Contact became the primary of the address")
		}
		return err
	})
	apptest.WantCounts(t, s, schema, 1)
	second.IsFirst = false
	apptest.InsertContact(t, s, second)
	third := apptest.NewContact(schema, "a@example.com")
	third.IsFirst = false
	apptest.InsertContact(t, s, third)
	apptest.WantCounts(t, s, schema, 3)
	apptest.View(t, s, func(tx *db.Tx) error {
		n, err := lists.Duplicates(tx, schema.List.ID)
		if n != 1 {
			t.Errorf("%d addresses have duplicates, want 1", n)
		}
		found, foundErr := contacts.ByAddress(tx, schema.List.ID, "a@example.com", "", 0, 10)
		apptest.Same(t, "Contacts of the address", found, []enlist.Contact{*first, *second, *third})
		return errors.Join(err, foundErr)
	})
	// When the primary Contact of an address is removed, the oldest remaining Contact of the
	// address becomes the primary.
	apptest.Update(t, s, func(tx *db.Tx) error {
		n, err := app.New(s, time.Now).Contacts.RemoveContactsUpTo(tx, 100, schema.List.ID, first.ID, 10)
		if n != 1 {
			t.Errorf("%d removed, want 1", n)
		}
		return err
	})
	second.IsFirst = true
	apptest.View(t, s, func(tx *db.Tx) error {
		got, err := contacts.ByKey(tx, schema.List.ID, "a@example.com")
		apptest.Same(t, "primary", got, second)
		return err
	})
}

func removal(o apptest.Store) {
	t, s := o.T, o.Engine
	schema := apptest.NewSchema(t, s)
	other := apptest.NewSchema(t, s)
	var last *enlist.Contact
	for i := range 10 {
		last = apptest.NewContact(schema, strings.Repeat("x", i+1)+"@example.com")
		apptest.InsertContact(t, s, last)
		apptest.InsertContact(t, s, apptest.NewContact(other, strings.Repeat("x", i+1)+"@example.com"))
	}
	apptest.Update(t, s, func(tx *db.Tx) error {
		id, err := contacts.LastContactID(tx, schema.List.ID)
		if id != last.ID {
			t.Errorf("LastContactID returned %d, want %d", id, last.ID)
		}
		return err
	})
	for _, want := range []int{4, 4, 1, 0} {
		apptest.Update(t, s, func(tx *db.Tx) error {
			n, err := app.New(s, time.Now).Contacts.RemoveContactsUpTo(tx, 100, schema.List.ID, last.ID-1, 4)
			if n != want {
				t.Errorf("%d removed, want %d", n, want)
			}
			return err
		})
	}
	apptest.WantCounts(t, s, schema, 1)
	apptest.WantCounts(t, s, other, 10)
	again := apptest.NewContact(schema, "new@example.com")
	apptest.Update(t, s, func(tx *db.Tx) error {
		_, err := app.New(s, time.Now).Contacts.RemoveContactsUpTo(tx, 100, schema.List.ID, 1<<40, 100)
		return err
	})
	apptest.InsertContact(t, s, again)
	if again.ID <= last.ID {
		t.Errorf("the new Contact has the ID %d, want more than the ID of a removed Contact, %d", again.ID, last.ID)
	}
}

// fieldValueDeletion tests the deletion of a Field's values, also of Contacts that have none or do not exist.
func fieldValueDeletion(o apptest.Store) {
	t, s := o.T, o.Engine
	schema := apptest.NewSchema(t, s)
	amount := schema.FieldNamed("Amount").ID
	var ids []enlist.ContactID
	for i := range 5 {
		c := apptest.NewContact(schema, strings.Repeat("x", i+1)+"@example.com")
		c.Values = c.Values.Set(amount, "5")
		apptest.InsertContact(t, s, c)
		ids = append(ids, c.ID)
	}
	for _, some := range [][]enlist.ContactID{ids[:2], ids[2:], ids[4:], {1 << 40}, {}} {
		apptest.Update(t, s, func(tx *db.Tx) error { return contacts.RemoveFieldValues(tx, schema.List.ID, amount, some) })
	}
	apptest.View(t, s, func(tx *db.Tx) error {
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

func contactTimes(o apptest.Store) {
	t, s := o.T, o.Engine
	schema := apptest.NewSchema(t, s)
	c := apptest.NewContact(schema, "a@example.com")
	apptest.InsertContact(t, s, c)
	for _, step := range []struct{ message, open, click, wantMessage, wantOpen, wantClick int64 }{
		{10, 0, 0, 10, 0, 0}, {0, 20, 0, 10, 20, 0}, {5, 0, 30, 10, 20, 30}, {40, 19, 29, 40, 20, 30},
	} {
		apptest.Update(t, s, func(tx *db.Tx) error {
			return contacts.RaiseTimes(tx, schema.List.ID, c.ID, step.message, step.open, step.click)
		})
		apptest.View(t, s, func(tx *db.Tx) error {
			got, err := contacts.ByID(tx, schema.List.ID, c.ID)
			if err != nil {
				return err
			}
			apptest.Same(t, "times", []int64{got.LastMessageTime, got.LastOpenTime, got.LastClickTime},
				[]int64{step.wantMessage, step.wantOpen, step.wantClick})
			apptest.Same(t, "last modified", got.Modified, c.Modified)
			return nil
		})
	}
}
