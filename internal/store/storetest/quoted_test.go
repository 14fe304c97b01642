package storetest

import (
	"errors"
	"fmt"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests the normalisation of addresses with quotes that an earlier version stored.

// addQuoted stores a Contact with a Key as an earlier version would store it.
func (o *accountFixture) addQuoted(list enlist.ListID, key string) (id enlist.ContactID) {
	o.Helper()
	o.update(func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		c := contact(schema, key)
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
func (o *accountFixture) wantKey(list enlist.ListID, id enlist.ContactID, key string, first bool) {
	o.Helper()
	if c := o.contact(list, id); c.Key != key || c.IsFirst != first {
		o.Errorf("Contact %d has the key %s, primary %v; want %s, %v", id, c.Key, c.IsFirst, key, first)
	}
}

// quotedContacts normalises the Contacts of a List that disallows duplicates.
func quotedContacts(o *accountFixture) {
	list := o.addList()
	oldest := o.addQuoted(list, `"v\ictim"@x.io`)
	plain := o.subscribe(list, "Email", "victim@x.io")
	second := o.addQuoted(list, `"victim"@x.io`)
	alone := o.addQuoted(list, `"al\one"@x.io`)
	needed := o.addQuoted(list, `"john doe"@x.io`)
	o.update(func(tx *db.Tx) error { // the process has the List in its cache
		_, err := lists.Schema(tx, list)
		return err
	})
	for range 2 { // the second time changes nothing
		o.must(o.service.Contacts.NormaliseQuoted(o.Context()))
		o.wantKey(list, oldest, "victim@x.io", true)
		o.wantKey(list, plain, "victim@x.io", false)
		o.wantKey(list, second, "victim@x.io", false)
		o.wantKey(list, alone, "alone@x.io", true)
		o.wantKey(list, needed, `"john doe"@x.io`, true)
	}
	if spelling := o.contact(list, second).Values[0].Text; spelling != `"victim"@x.io` {
		o.Errorf("the stored spelling is %s, want it unchanged", spelling)
	}
	for _, spelling := range []string{"Victim@x.io", `"vic\tim"@x.io`} {
		if id := o.subscribe(list, "Email", spelling); id != oldest {
			o.Errorf("%s subscribed the Contact %d, want the oldest one, %d", spelling, id, oldest)
		}
		if n := o.count(list, "Email", "exactly", spelling); n != 3 {
			o.Errorf("a search finds %d Contacts with the address %s, want 3", n, spelling)
		}
	}
	if _, err := o.service.Sending.UnsubscribeByLink(o.Context(), enlist.DeliveryKey{List: list, Contact: plain}, ""); err != nil {
		o.Error(err)
	}
	for _, id := range []enlist.ContactID{oldest, plain, second} {
		if !o.contact(list, id).IsUnsubscribed {
			o.Errorf("the link of one Contact did not unsubscribe the Contact %d with the same address", id)
		}
	}
}

// quotedDuplicates normalises more Contacts than one transaction changes, on a List that allows duplicates.
func quotedDuplicates(o *accountFixture) {
	list := o.addList("disallow_duplicate_contacts", false)
	const all = 1100
	o.update(func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		for i := range all {
			c := contact(schema, `"\m\a\n\y"@x.io`)
			c.IsFirst = i == 0
			if _, err := contacts.Insert(tx, c); err != nil {
				return err
			}
		}
		return nil
	})
	counted := &countingStore{Engine: o.store}
	o.must(app.New(counted, o.clock).Contacts.NormaliseQuoted(o.Context()))
	if counted.updates < 3 {
		o.Errorf("%d Contacts were changed in %d Updates, want at most 500 in one Update", all, counted.updates)
	}
	o.must(o.store.View(o.Context(), func(tx *db.Tx) error {
		first, err := contacts.ByKey(tx, list, "many@x.io")
		found, foundErr := contacts.ByAddress(tx, list, "many@x.io", "", 0, 2*all)
		old, oldErr := contacts.ByAddress(tx, list, `"\m\a\n\y"@x.io`, "", 0, 1)
		if len(found) != all || len(old) != 0 || first == nil || first.ID != found[0].ID {
			o.Errorf("%d Contacts have the new key, and the primary is %v; want %d Contacts, the oldest as the primary",
				len(found), first, all)
		}
		return errors.Join(err, foundErr, oldErr)
	}))
	wantCounts(o.T, o.store, o.schema(list), all)
}

func (o *accountFixture) schema(list enlist.ListID) (schema *enlist.Schema) {
	o.Helper()
	o.must(o.store.View(o.Context(), func(tx *db.Tx) (err error) {
		schema, err = lists.Schema(tx, list)
		return err
	}))
	return schema
}

// quotedUnsubscribers normalises the Unsubscriber Lists of two Accounts.
func quotedUnsubscribers(o *accountFixture) {
	other := o.newCaller().Account.ID
	o.update(func(tx *db.Tx) error {
		for i := range 600 {
			key := fmt.Sprintf(`"\left%d"@x.io`, i%300)
			u := contacts.Unsubscriber{AddressType: enlist.AddressEmail, Address: key, AddressKey: key}
			if err := contacts.AddUnsubscriber(tx, o.caller.Account.ID, &u); err != nil {
				return err
			}
		}
		u := contacts.Unsubscriber{AddressType: enlist.AddressEmail, Address: `"l\eft0"@x.io`, AddressKey: `"l\eft0"@x.io`}
		return contacts.AddUnsubscriber(tx, other, &u)
	})
	o.must(o.service.Contacts.NormaliseQuoted(o.Context()))
	o.must(o.store.View(o.Context(), func(tx *db.Tx) error {
		for _, account := range []enlist.AccountID{o.caller.Account.ID, other} {
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
