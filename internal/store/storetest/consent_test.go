package storetest

import (
	"fmt"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests the consent ledger, the Unsubscriber List and the saved results of calls.

// ledger tests that the store returns the rows of the consent ledger with the same content,
// newest first. Package sqlite and package postgres have tests that rows cannot be changed.
func ledger(t *testing.T, s db.Engine) {
	key := enlist.Key{AccountID: 1, Name: "web site"}
	update(t, s, func(tx *db.Tx) error { return accounts.AddKey(tx, &key, enlist.HashKey("a")) })
	var want []enlist.LedgerRow
	for i := range int64(3) {
		row := enlist.LedgerRow{ListID: 1, ContactID: 2, Time: 10 + i, Method: "subscribeContact", Type: enlist.ConsentGDPR,
			Text: "“yes”", IP: "2001:db8::1", KeyID: key.ID,
			Preferences: []enlist.PreferenceChoice{{Name: "Weekly \"x\"", Agree: i%2 == 0}}}
		update(t, s, func(tx *db.Tx) error { return contacts.AddLedgerRow(tx, &row) })
		row.KeyName = key.Name
		want = append([]enlist.LedgerRow{row}, want...)
	}
	plain := enlist.LedgerRow{ListID: 1, ContactID: 3, Type: contacts.ConsentNotRecorded}
	update(t, s, func(tx *db.Tx) error { return contacts.AddLedgerRow(tx, &plain) })
	check := func(contact enlist.ContactID, limit, offset int64, want []enlist.LedgerRow) {
		t.Helper()
		view(t, s, func(tx *db.Tx) error {
			got, err := contacts.LedgerRows(tx, 1, contact, limit, offset)
			same(t, "ledger", got, want)
			return err
		})
	}
	check(2, 0, 0, want)
	check(2, 0, 1, want[1:])
	check(2, 1, 1, want[1:2])
	check(3, 0, 0, []enlist.LedgerRow{plain})
	check(4, 0, 0, nil)
}

func unsubscribers(t *testing.T, s db.Engine) {
	rows := []contacts.Unsubscriber{
		{ContactID: 5, ListID: 1, AddressType: enlist.AddressEmail, Address: "A@example.com",
			AddressKey: "a@example.com", Time: 9},
		{ListID: 2, AddressType: enlist.AddressMobile, Address: "0400", AddressKey: "0400", Time: 10},
		{AddressType: enlist.AddressEmail, Address: "b@example.com", AddressKey: "b@example.com", Time: 11},
	}
	update(t, s, func(tx *db.Tx) error {
		for i := range rows {
			if err := contacts.AddUnsubscriber(tx, 1, &rows[i]); err != nil {
				return err
			}
		}
		return contacts.AddUnsubscriber(tx, 2, &contacts.Unsubscriber{Address: "of another Account"})
	})
	for list, want := range [][]contacts.Unsubscriber{rows, rows[:1], rows[1:2], nil} {
		t.Run(fmt.Sprint("List ", list), func(t *testing.T) {
			view(t, s, func(tx *db.Tx) error {
				var got []contacts.Unsubscriber
				err := contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: 1, Lists: onlyList(enlist.ListID(list))}, func(u *contacts.Unsubscriber) error {
					got = append(got, *u)
					return nil
				})
				same(t, "unsubscribers", got, want)
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

func retries(t *testing.T, s db.Engine) {
	const day = 24 * 60 * 60
	r := &enlist.Retry{Header: "abc", Fingerprint: [32]byte{1}}
	claim := func(account enlist.AccountID, key enlist.KeyID, r *enlist.Retry, now int64) (result string, err error) {
		err = s.Update(t.Context(), func(tx *db.Tx) error {
			saved, err := tx.ClaimRetry(account, key, r, now)
			if enlist.KindOf(err) == enlist.NotFound {
				err = tx.SaveRetry(account, key, r, []byte("41"), now)
			}
			result = string(saved)
			return err
		})
		return result, err
	}
	for _, step := range []struct {
		rule    string
		account enlist.AccountID
		key     enlist.KeyID
		now     int64
		want    string
	}{
		{"the first call has no saved result", 1, 1, 1000, ""},
		{"a repeated call within a day gets the saved result", 1, 1, 1000 + day - 1, "41"},
		{"a call with another API key gets no saved result", 1, 2, 1000, ""},
		{"a call of another Account gets no saved result", 2, 1, 1000, ""},
		{"the result expires after a day", 1, 1, 1000 + day, ""},
		{"after the expiry, a repeated call gets the new saved result", 1, 1, 1001 + day, "41"},
	} {
		t.Run(step.rule, func(t *testing.T) {
			got, err := claim(step.account, step.key, r, step.now)
			if err != nil || got != step.want {
				t.Errorf("result %q, error %v, want %q", got, err, step.want)
			}
		})
	}
	_, err := claim(1, 1, &enlist.Retry{Header: "abc", Fingerprint: [32]byte{2}}, 1002+day)
	wantKind(t, "other parameters", err, enlist.InvalidParameters)
	for _, want := range []int64{2, 1, 0} { // three results are saved, and one call removes two at most
		update(t, s, func(tx *db.Tx) error {
			n, err := tx.DeleteRetries(1<<40, 2)
			if n != want {
				t.Errorf("DeleteRetries removed %d results, want %d", n, want)
			}
			return err
		})
	}
	if got, err := claim(1, 1, r, 1003+day); got != "" || err != nil {
		t.Errorf("after DeleteRetries: result %q, error %v; want no saved result", got, err)
	}
}

// expiredRetries stores more expired results than one transaction removes.
func expiredRetries(t *testing.T, s db.Engine) {
	const results, day = 1200, db.RetryLife
	save := func(header string, at int64) {
		update(t, s, func(tx *db.Tx) error {
			return tx.SaveRetry(1, 1, &enlist.Retry{Header: header}, []byte("1"), at)
		})
	}
	update(t, s, func(tx *db.Tx) error {
		for i := range int64(results) {
			if err := tx.SaveRetry(1, 1, &enlist.Retry{Header: fmt.Sprint("expired ", i)}, []byte("1"), i); err != nil {
				return err
			}
		}
		return nil
	})
	save("current", results)
	counted := &countingStore{Engine: s}
	service := app.New(counted, func() time.Time { return time.Unix(results+day, 0) })
	if err := service.Accounts.DeleteExpiredRetries(t.Context()); err != nil {
		t.Fatal(err)
	}
	if counted.updates < results/200 {
		t.Errorf("%d results were removed in %d Updates, want at most 200 in one Update", results, counted.updates)
	}
	update(t, s, func(tx *db.Tx) error {
		n, err := tx.DeleteRetries(1<<40, 10)
		if n != 1 {
			t.Errorf("%d results are left, want the one that has not expired", n)
		}
		return err
	})
}
