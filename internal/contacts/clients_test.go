package contacts_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file tests calls of many concurrent clients, and calls about many Contacts with the same
// address.

// 64 concurrent clients subscribe the same addresses, fill an Account to its limit, and repeat one call.
//
// covers: spec subscribeContact.rule.8, limit.contacts, idempotency, event.effects, decision 24
func TestConcurrentClients(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many calls at the same time: run it with \"make check\"")
	}
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "concurrent clients create one Contact for each address", Test: clients},
		{Name: "concurrent clients fill an Account to its limit exactly", Test: contactLimit},
		{Name: "unsubscribing an address unsubscribes all its Contacts once", Test: manyOfOneAddress},
		{Name: "concurrent copies of a call are executed once", Test: sameRetry},
		{Name: "a function that runs twice has the effects of one run", Test: rerunFunctions},
	})
}

// newListThatNotifies returns a store with one List, a Service on the store and a caller with a
// full-access key. The List sends notifications to one address.
func newListThatNotifies(t *testing.T, s db.Engine) (
	db.Engine, *app.App, *enlist.Caller, *enlist.Schema) {
	t.Helper()
	schema := apptest.NewSchema(t, s)
	list := schema.List
	list.OnRegister = "owner@example.com"
	caller := &enlist.Caller{Key: &enlist.Key{AccountID: list.AccountID, Name: "k", Level: enlist.Full}}
	apptest.Update(t, s, func(tx *db.Tx) (err error) {
		if err := lists.Update(tx, &list); err != nil {
			return err
		}
		if err := accounts.AddKey(tx, caller.Key, enlist.HashKey("k")); err != nil {
			return err
		}
		caller.Account, err = accounts.ByID(tx, list.AccountID)
		return err
	})
	return s, app.New(s, time.Now), caller, schema
}

func subscribe(t *testing.T, service *app.App, c *enlist.Caller, list enlist.ListID, email string) (
	enlist.ContactID, error) {
	return service.Contacts.Subscribe(t.Context(), c, contacts.SubscribeRequest{List: list, Details: apptest.Details("Email", email)})
}

// clients tests 64 concurrent clients that subscribe the same addresses. They must create one Contact
// and one notification for each address, and one ledger row for each call. reference.md: event.effects; decisions.md:
// 24, 27
func clients(o *apptest.Account) {
	t := o.T
	s, service, caller, schema := newListThatNotifies(t, o.Store)
	const people, callers = 40, 64
	ids := make([]map[enlist.ContactID]int, people)
	for i := range ids {
		ids[i] = make(map[enlist.ContactID]int)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for _, i := range rand.Perm(people) {
				email := fmt.Sprintf("person%d@example.com", i)
				if c%2 == 0 {
					email = fmt.Sprintf("PERSON%d@Example.COM", i)
				}
				id, err := subscribe(t, service, caller, schema.List.ID, email)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				ids[i][id]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for i, seen := range ids {
		if len(seen) != 1 {
			t.Errorf("the calls for person %d returned the IDs %v, want the same ID from all calls", i, seen)
		}
		for id, calls := range seen {
			apptest.View(t, s, func(tx *db.Tx) error {
				rows, err := contacts.LedgerRows(tx, schema.List.ID, id, 0, 0)
				if len(rows) != calls {
					t.Errorf("Contact %d has %d ledger rows after %d calls, want one row for each call", id, len(rows), calls)
				}
				return err
			})
		}
	}
	apptest.WantCounts(t, s, schema, people)
	if n := o.Jobs("notify"); n != people {
		t.Errorf("%d notifications wait, want %d", n, people)
	}
}

// contactLimit tests that concurrent calls fill an Account to exactly its limit.
// reference.md: limit.contacts
func contactLimit(o *apptest.Account) {
	t := o.T
	s, service, caller, schema := newListThatNotifies(t, o.Store)
	const limit = 37
	apptest.Update(t, s, func(tx *db.Tx) error {
		a := *caller.Account
		a.ContactLimit = limit
		caller.Account = &a
		return accounts.Update(tx, &a)
	})
	var mu sync.Mutex
	added, refused := 0, 0
	var wg sync.WaitGroup
	for c := range 64 {
		wg.Go(func() {
			for i := range 3 {
				_, err := subscribe(t, service, caller, schema.List.ID, fmt.Sprintf("p%d.%d@example.com", c, i))
				mu.Lock()
				switch {
				case err == nil:
					added++
				case enlist.KindOf(err) == enlist.ContactLimit:
					refused++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if added != limit || refused != 64*3-limit {
		t.Errorf("%d calls added a Contact and %d were refused, want %d to add one and all others refused", added, refused, limit)
	}
	apptest.WantCounts(t, s, schema, limit)
}

// manyContacts is a number of Contacts with the same address for which an unsubscription needs several
// Updates.
const manyContacts = 700

// addContactsOfOneAddress stores n Contacts with the address a@example.com. It changes the List so
// that each unsubscription sends notifications to two addresses.
func addContactsOfOneAddress(t *testing.T, s db.Engine, schema *enlist.Schema, n int) enlist.ListID {
	t.Helper()
	list := schema.List
	list.DisallowDuplicates, list.OnUnsubscribe = false, "a@example.com,b@example.com"
	apptest.Update(t, s, func(tx *db.Tx) error {
		err := lists.Update(tx, &list)
		for i := 0; i < n && err == nil; i++ {
			c := apptest.NewContact(schema, "a@example.com")
			c.IsFirst = i == 0
			_, err = contacts.Insert(tx, c)
		}
		return err
	})
	return list.ID
}

// wantUnsubscribed checks that n Contacts of a List are unsubscribed, and that each has one row on the
// Unsubscriber List.
func wantUnsubscribed(t *testing.T, s db.Engine, schema *enlist.Schema, n int) {
	t.Helper()
	rows, all := int64(0), 0
	apptest.View(t, s, func(tx *db.Tx) (err error) {
		rows, err = contacts.CountUnsubscribers(tx, &contacts.UnsubscriberSearch{Account: schema.List.AccountID, Lists: onlyList(schema.List.ID)})
		system := enlist.Search{Schema: schema, Columns: enlist.Columns{System: true}}
		return errors.Join(err, search.Contacts(tx, &system, func(c *enlist.Contact) error {
			if c.IsUnsubscribed {
				all++
			}
			return nil
		}))
	})
	if rows != int64(n) || all != n {
		t.Errorf("%d Contacts are unsubscribed, and the Unsubscriber List has %d rows; want %d of both", all, rows, n)
	}
}

// manyOfOneAddress tests that unsubscribing an address unsubscribes all its Contacts, in several
// Updates. A repeated call must store no second row and send no second notification.
func manyOfOneAddress(o *apptest.Account) {
	t := o.T
	s, service, caller, schema := newListThatNotifies(t, o.Store)
	list := addContactsOfOneAddress(t, s, schema, manyContacts)
	with := *caller
	with.Retry = &enlist.Retry{Header: "once"}
	for range 2 {
		if id, err := service.Contacts.Unsubscribe(t.Context(), &with, contacts.UnsubscribeRequest{List: list, Address: "A@example.com"}); id != list || err != nil {
			t.Fatalf("Unsubscribe returned %d, error %v; want %d", id, err, list)
		}
	}
	wantUnsubscribed(t, s, schema, manyContacts)
	if n := o.Jobs("notify"); n != 2*manyContacts {
		t.Errorf("%d notifications for %d Contacts, want 2 for each Contact", n, manyContacts)
	}
}

// sameRetry runs equal calls with the same Idempotency-Key at the same time. The Service must execute
// them only once. reference.md: idempotency
func sameRetry(o *apptest.Account) {
	t := o.T
	s, service, caller, schema := newListThatNotifies(t, o.Store)
	list := schema.List
	list.DisallowDuplicates, list.OnRegister = false, "owner@example.com"
	apptest.Update(t, s, func(tx *db.Tx) error { return lists.Update(tx, &list) })
	with := *caller
	with.Retry = &enlist.Retry{Header: "once"}
	var mu sync.Mutex
	var ids []enlist.ContactID
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			id, err := subscribe(t, service, &with, list.ID, "a@example.com")
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			ids = append(ids, id)
			mu.Unlock()
		})
	}
	wg.Wait()
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) != 1 {
		t.Errorf("the calls returned the IDs %v, want the same ID from all calls", ids)
	}
	apptest.WantCounts(t, s, schema, 1)
	if n := o.Jobs("notify"); n != 1 {
		t.Errorf("%d notifications wait, want 1", n)
	}
}
