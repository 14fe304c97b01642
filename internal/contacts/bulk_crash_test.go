package contacts_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests calls that take many Contacts and are interrupted or repeated.

// bulkCrashes tests a call with an Idempotency-Key while the process dies several times. Each row must be
// executed once, and the reply must be the same as without crashes.
func bulkCrashes(o *apptest.Account) {
	list := o.AddList("disallow_duplicate_contacts", false)
	rows := contactRows(many, "a")
	rows[700] = apptest.Details("Email", "no address")
	ids := apptest.Crashes(o, func(s *app.App) ([]enlist.ContactID, error) {
		return s.Contacts.AddContacts(o.Context(), o.Retrying("add"), contacts.AddRequest{List: list, Contacts: rows})
	})
	left := slices.DeleteFunc(slices.Clone(ids), func(id enlist.ContactID) bool { return id == 0 })
	if len(ids) != many || len(left) != many-1 || ids[700] != 0 {
		o.Fatalf("%d IDs, %d of them not 0; the bad row has the ID %d; want 1700, 1699 and 0", len(ids), len(left), ids[700])
	}
	apptest.Same(o.T, "Contacts", o.All(list), left)
	for _, id := range left {
		if n := o.Ledger(list, id); n != 1 {
			o.Fatalf("Contact %d has %d ledger rows, want 1", id, n)
		}
	}

	edits := make([]contacts.EditRow, len(left))
	for i, id := range left {
		edits[i] = contacts.EditRow{ID: id, Details: apptest.Details("Mobile Phone", fmt.Sprintf("04%08d", i))}
	}
	edits[3].ID = 1 << 40
	edited := apptest.Crashes(o, func(s *app.App) ([]contacts.Outcome, error) {
		return s.Contacts.EditContacts(o.Context(), o.Retrying("edit"), contacts.EditRequest{List: list, Contacts: edits})
	})
	for i, e := range edited {
		if e.Contact != edits[i].ID || e.Done != (i != 3) {
			o.Fatalf("edit %d: outcome %+v, want all Contacts edited except number 3", i, e)
		}
	}
	if n := o.Count(list, "Mobile Phone", "starts_with", "04"); n != int64(len(left))-1 {
		o.Errorf("%d Contacts have a mobile number that starts with 04, want all except one", n)
	}

	// newest deletes the 1,500 newest Contacts. A second search would find other Contacts, so a repeated
	// call must use the result of the first search.
	newest := contacts.DeleteRequest{List: list, Query: enlist.Query{
		Criteria: apptest.Criterion("id", "greater_than", 0), Limit: 1500, SortBy: "id", Descending: true}}
	removed := apptest.Crashes(o, func(s *app.App) ([]contacts.Outcome, error) {
		return s.Contacts.DeleteContacts(o.Context(), o.Retrying("delete"), newest)
	})
	old := len(left) - 1500
	notDone := func(r contacts.Outcome) bool { return !r.Done }
	if len(removed) != 1500 || slices.ContainsFunc(removed, notDone) || removed[0].Contact != left[old] {
		o.Errorf("%d Contacts were removed, the first is %v; want the 1500 newest", len(removed), removed[0])
	}
	apptest.Same(o.T, "Contacts that are left", o.All(list), left[:old])

	again, err := o.App.Contacts.DeleteContacts(o.Context(), o.Retrying("delete"), newest)
	if err != nil || !slices.Equal(again, removed) {
		o.Errorf("the repeated call returned %d outcomes, error %v; want the outcomes of the first call", len(again), err)
	}
	apptest.Same(o.T, "Contacts after the retry", o.All(list), left[:old])
}

// bulkCrashesWithoutKey tests that a call without an Idempotency-Key keeps its committed Updates after a
// crash. The repeated call adds the remaining rows.
func bulkCrashesWithoutKey(o *apptest.Account) {
	list := o.AddList()
	rows := contactRows(many, "a")
	dying := app.New(&apptest.CrashingStore{Engine: o.Store, At: 3}, o.Clock)
	_, err := dying.Contacts.AddContacts(o.Context(), o.Caller, contacts.AddRequest{List: list, Contacts: rows})
	if !errors.Is(err, apptest.ErrCrash) {
		o.Fatal(err)
	}
	begun := o.All(list)
	if len(begun) == 0 || len(begun) == many {
		o.Fatalf("%d Contacts were added before the crash, want more than 0 and fewer than all", len(begun))
	}
	ids := add(o, list, rows)
	for i, id := range ids {
		if (id == 0) != (i < len(begun)) {
			o.Fatalf("row %d got the ID %d; want 0 only for the first %d rows, which were added before", i, id, len(begun))
		}
	}
	apptest.Same(o.T, "Contacts", o.All(list), append(begun, ids[len(begun):]...))
}

// bulkSameKeyAtOnce runs equal calls with the same Idempotency-Key at the same time. The Service must
// execute them only once, and each caller must get the complete reply.
func bulkSameKeyAtOnce(o *apptest.Account) {
	list := o.AddList("disallow_duplicate_contacts", false)
	rows := contactRows(many, "a")
	const calls = 8
	added := make([][]enlist.ContactID, calls)
	concurrently(o, calls, func(i int) (err error) {
		r := contacts.AddRequest{List: list, Contacts: rows}
		added[i], err = o.App.Contacts.AddContacts(o.Context(), o.Retrying("add"), r)
		return err
	})
	for i := range added {
		apptest.Same(o.T, "reply", added[i], added[0])
	}
	apptest.Same(o.T, "Contacts", o.All(list), added[0])

	removed := make([][]contacts.Outcome, calls)
	some := enlist.Query{Criteria: apptest.Criterion("Email", "starts_with", "a"), Limit: 900, SortBy: "Email"}
	concurrently(o, calls, func(i int) (err error) {
		r := contacts.DeleteRequest{List: list, Query: some}
		removed[i], err = o.App.Contacts.DeleteContacts(o.Context(), o.Retrying("delete"), r)
		return err
	})
	for i := range removed {
		apptest.Same(o.T, "reply", removed[i], removed[0])
	}
	if left := len(o.All(list)); left != many-900 || len(removed[0]) != 900 {
		o.Errorf("%d Contacts are left, and the reply has %d outcomes; want 800 and 900", left, len(removed[0]))
	}
}

// bulkRetryExpiry tests that all rows that are stored for an Idempotency-Key expire together, although
// several Updates stored them. reference.md: idempotency
func bulkRetryExpiry(o *apptest.Account) {
	list := o.AddList()
	ids := add(o, list, contactRows(4, "a"))
	oldest := contacts.DeleteRequest{List: list, Query: enlist.Query{
		Criteria: apptest.Criterion("id", "greater_than", 0), Limit: 1, SortBy: "id"}}
	remove := func(s *app.App, want enlist.ContactID) {
		o.Helper()
		got, err := s.Contacts.DeleteContacts(o.Context(), o.Retrying("oldest"), oldest)
		o.Must(err)
		apptest.Same(o.T, "removed", got, []contacts.Outcome{{Contact: want, Done: true}})
	}
	slow := &apptest.CrashingStore{Engine: o.Store, At: 2, Then: func() { o.Now = o.Now.Add(5 * time.Second) }}
	remove(app.New(slow, o.Clock), ids[0])
	o.Now = o.Now.Add(db.RetryLife*time.Second - 7*time.Second)
	remove(o.App, ids[0])
	o.Now = o.Now.Add(4 * time.Second) // now only the first Update of the call is more than a day ago
	remove(o.App, ids[1])
	remove(o.App, ids[1])
	apptest.Same(o.T, "Contacts", o.All(list), ids[2:])
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, list))
	remove(o.App, ids[1])
}
