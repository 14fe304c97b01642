package contacts_test

import (
	"fmt"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests the consent ledger, the Unsubscriber List and the saved results of calls.

func TestLedgerAndUnsubscriberListAreReturnedAsStored(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewStore, []apptest.Rule[apptest.Store]{
		{Name: "the ledger returns a Contact's rows, newest first", Test: ledger},
		{Name: "the Unsubscriber List can be read for an Account or for one of its Lists", Test: unsubscribers},
	})
}

// ledger tests that the store returns the rows of the consent ledger with the same content,
// newest first. Package sqlite and package postgres have tests that rows cannot be changed.
func ledger(o apptest.Store) {
	t, s := o.T, o.Engine
	key := enlist.Key{AccountID: 1, Name: "web site"}
	apptest.Update(t, s, func(tx *db.Tx) error { return accounts.AddKey(tx, &key, enlist.HashKey("a")) })
	var want []enlist.LedgerRow
	for i := range int64(3) {
		row := enlist.LedgerRow{ListID: 1, ContactID: 2, Time: 10 + i, Method: "subscribeContact", Type: enlist.ConsentGDPR,
			Text: "“yes”", IP: "2001:db8::1", KeyID: key.ID,
			Preferences: []enlist.PreferenceChoice{{Name: "Weekly \"x\"", Agree: i%2 == 0}}}
		apptest.Update(t, s, func(tx *db.Tx) error { return contacts.AddLedgerRow(tx, &row) })
		row.KeyName = key.Name
		want = append([]enlist.LedgerRow{row}, want...)
	}
	plain := enlist.LedgerRow{ListID: 1, ContactID: 3, Type: contacts.ConsentNotRecorded}
	apptest.Update(t, s, func(tx *db.Tx) error { return contacts.AddLedgerRow(tx, &plain) })
	check := func(contact enlist.ContactID, limit, offset int64, want []enlist.LedgerRow) {
		t.Helper()
		apptest.View(t, s, func(tx *db.Tx) error {
			got, err := contacts.LedgerRows(tx, 1, contact, limit, offset)
			apptest.Same(t, "ledger", got, want)
			return err
		})
	}
	check(2, 0, 0, want)
	check(2, 0, 1, want[1:])
	check(2, 1, 1, want[1:2])
	check(3, 0, 0, []enlist.LedgerRow{plain})
	check(4, 0, 0, nil)
}

func unsubscribers(o apptest.Store) {
	t, s := o.T, o.Engine
	rows := []contacts.Unsubscriber{
		{ContactID: 5, ListID: 1, AddressType: enlist.AddressEmail, Address: "A@example.com",
			AddressKey: "a@example.com", Time: 9},
		{ListID: 2, AddressType: enlist.AddressMobile, Address: "0400", AddressKey: "0400", Time: 10},
		{AddressType: enlist.AddressEmail, Address: "b@example.com", AddressKey: "b@example.com", Time: 11},
	}
	apptest.Update(t, s, func(tx *db.Tx) error {
		for i := range rows {
			if err := contacts.AddUnsubscriber(tx, 1, &rows[i]); err != nil {
				return err
			}
		}
		return contacts.AddUnsubscriber(tx, 2, &contacts.Unsubscriber{Address: "of another Account"})
	})
	for list, want := range [][]contacts.Unsubscriber{rows, rows[:1], rows[1:2], nil} {
		t.Run(fmt.Sprint("List ", list), func(t *testing.T) {
			apptest.View(t, s, func(tx *db.Tx) error {
				var got []contacts.Unsubscriber
				err := contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: 1, Lists: onlyList(enlist.ListID(list))}, func(u *contacts.Unsubscriber) error {
					got = append(got, *u)
					return nil
				})
				apptest.Same(t, "unsubscribers", got, want)
				return err
			})
		})
	}
}

// onlyList returns the List, or nil for 0, which means all Lists.
func onlyList(list enlist.ListID) []enlist.ListID {
	if list == 0 {
		return nil
	}
	return []enlist.ListID{list}
}
