package contacts_test

import (
	"errors"
	"fmt"
	"testing"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests the normalisation of addresses with quotes that an earlier version stored.

func TestNeedlessQuotesAreRemoved(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "needless quotes are removed from the addresses of Contacts", Test: quotedContacts},
		{Name: "needless quotes are removed from the addresses of many duplicates", Test: quotedDuplicates},
		{Name: "needless quotes are removed from the Unsubscriber List", Test: quotedUnsubscribers},
		{Name: "invisible and wide characters are removed from the addresses of Contacts", Test: invisibleContacts},
		{Name: "a stored address that is refused today stays in use", Test: refusedToday},
	})
}

// addQuoted stores a Contact with a Key as an earlier version would store it.
func addQuoted(o *apptest.Account, list enlist.ListID, key string) (id enlist.ContactID) {
	o.Helper()
	o.Update(func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		c := apptest.NewContact(schema, key)
		inserted, err := contacts.Insert(tx, c)
		if err == nil && !inserted {
			c.IsFirst = false
			_, err = contacts.Insert(tx, c)
		}
		id = c.ID
		return err
	})
	return id
}

// wantKey checks the Key of a Contact, and whether the Contact is its primary.
func wantKey(o *apptest.Account, list enlist.ListID, id enlist.ContactID, key string, first bool) {
	o.Helper()
	if c := o.Contact(list, id); c.Key != key || c.IsFirst != first {
		o.Errorf("Contact %d has the key %s, primary %v; want %s, %v", id, c.Key, c.IsFirst, key, first)
	}
}

// quotedContacts normalises the Contacts of a List that disallows duplicates.
func quotedContacts(o *apptest.Account) {
	list := o.AddList()
	oldest := addQuoted(o, list, `"v\ictim"@x.io`)
	plain := o.Subscribe(list, "Email", "victim@x.io")
	second := addQuoted(o, list, `"victim"@x.io`)
	alone := addQuoted(o, list, `"al\one"@x.io`)
	needed := addQuoted(o, list, `"john doe"@x.io`)
	o.Update(func(tx *db.Tx) error { // the process has the List in its cache
		_, err := lists.Schema(tx, list)
		return err
	})
	for range 2 { // the second time changes nothing
		o.Must(o.App.Contacts.NormaliseQuoted(o.Context()))
		wantKey(o, list, oldest, "victim@x.io", true)
		wantKey(o, list, plain, "victim@x.io", false)
		wantKey(o, list, second, "victim@x.io", false)
		wantKey(o, list, alone, "alone@x.io", true)
		wantKey(o, list, needed, `"john doe"@x.io`, true)
	}
	if spelling := o.Contact(list, second).Values[0].Text; spelling != `"victim"@x.io` {
		o.Errorf("the stored spelling is %s, want it unchanged", spelling)
	}
	for _, spelling := range []string{"Victim@x.io", `"vic\tim"@x.io`} {
		if id := o.Subscribe(list, "Email", spelling); id != oldest {
			o.Errorf("%s subscribed the Contact %d, want the oldest one, %d", spelling, id, oldest)
		}
		if n := o.Count(list, "Email", "exactly", spelling); n != 3 {
			o.Errorf("a search finds %d Contacts with the address %s, want 3", n, spelling)
		}
	}
	if _, err := o.App.Sending.UnsubscribeByLink(o.Context(), enlist.DeliveryKey{List: list, Contact: plain}, ""); err != nil {
		o.Error(err)
	}
	for _, id := range []enlist.ContactID{oldest, plain, second} {
		if !o.Contact(list, id).IsUnsubscribed {
			o.Errorf("the link of one Contact did not unsubscribe the Contact %d with the same address", id)
		}
	}
}

// invisibleContacts normalises addresses with invisible characters.
func invisibleContacts(o *apptest.Account) {
	list := o.AddList()
	hidden := addQuoted(o, list, "\u200bann@x.io")
	plain := o.Subscribe(list, "Email", "ann@x.io")
	wide := addQuoted(o, list, "ｂｏｂ@x.io")
	german := addQuoted(o, list, "ößa@x.io")
	within := addQuoted(o, list, "ca\u2060rl@x.io")
	carl := o.Subscribe(list, "Email", "carl@x.io")
	addLeft(o, "do\u200bra@x.io")
	o.Must(o.App.Contacts.NormaliseQuoted(o.Context()))
	wantKey(o, list, hidden, "ann@x.io", true)
	wantKey(o, list, plain, "ann@x.io", false)
	wantKey(o, list, wide, "bob@x.io", true)
	wantKey(o, list, german, "ößa@x.io", true)
	wantKey(o, list, within, "carl@x.io", true)
	wantKey(o, list, carl, "carl@x.io", false)
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		left, err := contacts.UnsubscribedAmong(tx, o.Caller.Account.ID, 0, []string{"dora@x.io"})
		if !left["dora@x.io"] {
			o.Error("an address with an invisible character within is not on the Unsubscriber List")
		}
		return err
	}))
	if id := o.Subscribe(list, "Email", "bob@x.io"); id != wide {
		o.Errorf("bob@x.io is the Contact %d, want %d", id, wide)
	}
}

// addLeft adds an address to the Unsubscriber List as an earlier version would have.
func addLeft(o *apptest.Account, key string) {
	o.Helper()
	o.Update(func(tx *db.Tx) error {
		u := contacts.Unsubscriber{AddressType: enlist.AddressEmail, Address: key, AddressKey: key}
		return contacts.AddUnsubscriber(tx, o.Caller.Account.ID, &u)
	})
}

// refusedToday unsubscribes a Contact whose address an earlier version accepted.
func refusedToday(o *apptest.Account) {
	list := o.AddList()
	id := addQuoted(o, list, "ann@example.123")
	o.Must(o.App.Contacts.NormaliseQuoted(o.Context()))
	wantKey(o, list, id, "ann@example.123", true)
	if n := o.Count(list, "Email", "starts_with", "ann@example"); n != 1 {
		o.Errorf("a search finds %d Contacts, want 1", n)
	}
	schema := schema(o, list)
	o.Update(func(tx *db.Tx) error {
		c, err := contacts.ByID(tx, list, id)
		if err == nil && schema.AddressKey(c) != "ann@example.123" {
			o.Errorf("the address is %q, so no value of the Contact can be changed", schema.AddressKey(c))
		}
		return err
	})
	if _, err := o.App.Sending.UnsubscribeByLink(o.Context(), enlist.DeliveryKey{List: list, Contact: id}, ""); err != nil {
		o.Error(err)
	}
	if !o.Contact(list, id).IsUnsubscribed {
		o.Error("the link did not unsubscribe the Contact")
	}
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		found, err := contacts.UnsubscribedAmong(tx, o.Caller.Account.ID, 0, []string{"ann@example.123"})
		if !found["ann@example.123"] {
			o.Error("the address is not on the Unsubscriber List")
		}
		return err
	}))
}

// quotedDuplicates normalises more Contacts than one transaction changes, on a List that allows duplicates.
func quotedDuplicates(o *apptest.Account) {
	list := o.AddList("disallow_duplicate_contacts", false)
	const all = 1100
	o.Update(func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		for i := range all {
			c := apptest.NewContact(schema, `"\m\a\n\y"@x.io`)
			c.IsFirst = i == 0
			if _, err := contacts.Insert(tx, c); err != nil {
				return err
			}
		}
		return nil
	})
	counted := &apptest.CountingStore{Engine: o.Store}
	o.Must(app.New(counted, o.Clock).Contacts.NormaliseQuoted(o.Context()))
	if counted.Updates < 3 {
		o.Errorf("%d Contacts were changed in %d Updates, want at most 500 in one Update", all, counted.Updates)
	}
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		first, err := contacts.ByKey(tx, list, "many@x.io")
		found, foundErr := contacts.ByAddress(tx, list, "many@x.io", "", 0, 2*all)
		old, oldErr := contacts.ByAddress(tx, list, `"\m\a\n\y"@x.io`, "", 0, 1)
		if len(found) != all || len(old) != 0 || first == nil || first.ID != found[0].ID {
			o.Errorf("%d Contacts have the new key, and the primary is %v; want %d Contacts, the oldest as the primary",
				len(found), first, all)
		}
		return errors.Join(err, foundErr, oldErr)
	}))
	apptest.WantCounts(o.T, o.Store, schema(o, list), all)
}

func schema(o *apptest.Account, list enlist.ListID) (schema *enlist.Schema) {
	o.Helper()
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) (err error) {
		schema, err = lists.Schema(tx, list)
		return err
	}))
	return schema
}

// quotedUnsubscribers normalises the Unsubscriber Lists of two Accounts.
func quotedUnsubscribers(o *apptest.Account) {
	other := o.NewCaller().Account.ID
	o.Update(func(tx *db.Tx) error {
		for i := range 600 {
			key := fmt.Sprintf(`"\left%d"@x.io`, i%300)
			u := contacts.Unsubscriber{AddressType: enlist.AddressEmail, Address: key, AddressKey: key}
			if err := contacts.AddUnsubscriber(tx, o.Caller.Account.ID, &u); err != nil {
				return err
			}
		}
		u := contacts.Unsubscriber{AddressType: enlist.AddressEmail, Address: `"l\eft0"@x.io`, AddressKey: `"l\eft0"@x.io`}
		return contacts.AddUnsubscriber(tx, other, &u)
	})
	o.Must(o.App.Contacts.NormaliseQuoted(o.Context()))
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		for _, account := range []enlist.AccountID{o.Caller.Account.ID, other} {
			for i := range 300 {
				address := fmt.Sprintf("left%d@x.io", i)
				found, err := contacts.UnsubscribedAmong(tx, account, 0, []string{address})
				if err != nil || found[address] != (i == 0 || account != other) {
					o.Errorf("Account %d: UnsubscribedAmong of address %d is %v, error %v", account, i, found, err)
				}
			}
			left, err := contacts.QuotedUnsubscribers(tx, account, "", 1)
			if err != nil || len(left) != 0 {
				o.Errorf("Account %d: the address keys %q are left, error %v", account, left, err)
			}
		}
		return nil
	}))
}
