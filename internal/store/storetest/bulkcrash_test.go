package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests calls that take many Contacts and are interrupted or repeated.

// crashingStore is a Store whose nth Update fails, either before it runs or after its commit.
type crashingStore struct {
	db.Engine
	at    int
	after bool   // the Update fails after its commit
	then  func() // if not nil, this function runs before the nth Update, and the nth Update does not fail
	seen  int
}

var errCrash = errors.New("the process died")

func (c *crashingStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	c.seen++
	if c.seen != c.at {
		return c.Engine.Update(ctx, fn)
	}
	if c.then != nil {
		c.then()
		return c.Engine.Update(ctx, fn)
	}
	if !c.after {
		return errCrash
	}
	if err := c.Engine.Update(ctx, fn); err != nil {
		return err
	}
	return errCrash
}

// crashes repeats a call until it succeeds. In each attempt before that, the process seems to die:
// first before an Update, then after the commit of this Update, then before the next Update, and so on.
func crashes[R any](o *accountFixture, call func(*app.App) (R, error)) R {
	o.Helper()
	for i := 2; ; i++ {
		store := &crashingStore{Engine: o.store, at: i / 2, after: i%2 == 1}
		result, err := call(app.New(store, o.clock))
		if err == nil {
			if i < 6 {
				o.Errorf("the process died %d times, want at least 4", i-2)
			}
			return result
		}
		if !errors.Is(err, errCrash) {
			o.Fatal(err)
		}
	}
}

// bulkCrashes tests a call with an Idempotency-Key while the process dies several times. Each row must be
// executed once, and the reply must be the same as without crashes.
func bulkCrashes(o *accountFixture) {
	list := o.addList("disallow_duplicate_contacts", false)
	rows := contactRows(many, "a")
	rows[700] = details("Email", "no address")
	ids := crashes(o, func(s *app.App) ([]enlist.ContactID, error) {
		return s.Contacts.AddContacts(o.Context(), o.retrying("add"), contacts.AddRequest{List: list, Contacts: rows})
	})
	left := slices.DeleteFunc(slices.Clone(ids), func(id enlist.ContactID) bool { return id == 0 })
	if len(ids) != many || len(left) != many-1 || ids[700] != 0 {
		o.Fatalf("%d IDs, %d of them not 0; the bad row has the ID %d; want 1700, 1699 and 0", len(ids), len(left), ids[700])
	}
	same(o.T, "Contacts", o.all(list), left)
	for _, id := range left {
		if n := o.ledger(list, id); n != 1 {
			o.Fatalf("Contact %d has %d ledger rows, want 1", id, n)
		}
	}

	edits := make([]contacts.EditRow, len(left))
	for i, id := range left {
		edits[i] = contacts.EditRow{ID: id, Details: details("Mobile Phone", fmt.Sprintf("04%08d", i))}
	}
	edits[3].ID = 1 << 40
	edited := crashes(o, func(s *app.App) ([]contacts.Outcome, error) {
		return s.Contacts.EditContacts(o.Context(), o.retrying("edit"), contacts.EditRequest{List: list, Contacts: edits})
	})
	for i, e := range edited {
		if e.Contact != edits[i].ID || e.Done != (i != 3) {
			o.Fatalf("edit %d: outcome %+v, want all Contacts edited except number 3", i, e)
		}
	}
	if n := o.count(list, "Mobile Phone", "starts_with", "04"); n != int64(len(left))-1 {
		o.Errorf("%d Contacts have a mobile number that starts with 04, want all except one", n)
	}

	// newest deletes the 1,500 newest Contacts. A second search would find other Contacts, so a repeated
	// call must use the result of the first search.
	newest := contacts.DeleteRequest{List: list, Query: enlist.Query{
		Criteria: triple("id", "greater_than", 0), Limit: 1500, SortBy: "id", Descending: true}}
	removed := crashes(o, func(s *app.App) ([]contacts.Outcome, error) {
		return s.Contacts.DeleteContacts(o.Context(), o.retrying("delete"), newest)
	})
	old := len(left) - 1500
	notDone := func(r contacts.Outcome) bool { return !r.Done }
	if len(removed) != 1500 || slices.ContainsFunc(removed, notDone) || removed[0].Contact != left[old] {
		o.Errorf("%d Contacts were removed, the first is %v; want the 1500 newest", len(removed), removed[0])
	}
	same(o.T, "Contacts that are left", o.all(list), left[:old])

	again, err := o.service.Contacts.DeleteContacts(o.Context(), o.retrying("delete"), newest)
	if err != nil || !slices.Equal(again, removed) {
		o.Errorf("the repeated call returned %d outcomes, error %v; want the outcomes of the first call", len(again), err)
	}
	same(o.T, "Contacts after the retry", o.all(list), left[:old])
}

// bulkCrashesWithoutKey tests that a call without an Idempotency-Key keeps its committed Updates after a
// crash. The repeated call adds the remaining rows.
func bulkCrashesWithoutKey(o *accountFixture) {
	list := o.addList()
	rows := contactRows(many, "a")
	dying := app.New(&crashingStore{Engine: o.store, at: 3}, o.clock)
	_, err := dying.Contacts.AddContacts(o.Context(), o.caller, contacts.AddRequest{List: list, Contacts: rows})
	if !errors.Is(err, errCrash) {
		o.Fatal(err)
	}
	begun := o.all(list)
	if len(begun) == 0 || len(begun) == many {
		o.Fatalf("%d Contacts were added before the crash, want more than 0 and fewer than all", len(begun))
	}
	ids := o.add(list, rows)
	for i, id := range ids {
		if (id == 0) != (i < len(begun)) {
			o.Fatalf("row %d got the ID %d; want 0 only for the first %d rows, which were added before", i, id, len(begun))
		}
	}
	same(o.T, "Contacts", o.all(list), append(begun, ids[len(begun):]...))
}

// bulkSameKeyAtOnce runs equal calls with the same Idempotency-Key at the same time. The Service must
// execute them only once, and each caller must get the complete reply.
func bulkSameKeyAtOnce(o *accountFixture) {
	list := o.addList("disallow_duplicate_contacts", false)
	rows := contactRows(many, "a")
	const calls = 8
	added := make([][]enlist.ContactID, calls)
	concurrently(o, calls, func(i int) (err error) {
		r := contacts.AddRequest{List: list, Contacts: rows}
		added[i], err = o.service.Contacts.AddContacts(o.Context(), o.retrying("add"), r)
		return err
	})
	for i := range added {
		same(o.T, "reply", added[i], added[0])
	}
	same(o.T, "Contacts", o.all(list), added[0])

	removed := make([][]contacts.Outcome, calls)
	some := enlist.Query{Criteria: triple("Email", "starts_with", "a"), Limit: 900, SortBy: "Email"}
	concurrently(o, calls, func(i int) (err error) {
		r := contacts.DeleteRequest{List: list, Query: some}
		removed[i], err = o.service.Contacts.DeleteContacts(o.Context(), o.retrying("delete"), r)
		return err
	})
	for i := range removed {
		same(o.T, "reply", removed[i], removed[0])
	}
	if left := len(o.all(list)); left != many-900 || len(removed[0]) != 900 {
		o.Errorf("%d Contacts are left, and the reply has %d outcomes; want 800 and 900", left, len(removed[0]))
	}
}

// bulkRetryExpiry tests that all rows that are stored for an Idempotency-Key expire together, although
// several Updates stored them. reference.md: idempotency
func bulkRetryExpiry(o *accountFixture) {
	list := o.addList()
	ids := o.add(list, contactRows(4, "a"))
	oldest := contacts.DeleteRequest{List: list, Query: enlist.Query{
		Criteria: triple("id", "greater_than", 0), Limit: 1, SortBy: "id"}}
	remove := func(s *app.App, want enlist.ContactID) {
		o.Helper()
		got, err := s.Contacts.DeleteContacts(o.Context(), o.retrying("oldest"), oldest)
		o.must(err)
		same(o.T, "removed", got, []contacts.Outcome{{Contact: want, Done: true}})
	}
	slow := &crashingStore{Engine: o.store, at: 2, then: func() { o.now = o.now.Add(5 * time.Second) }}
	remove(app.New(slow, o.clock), ids[0])
	o.now = o.now.Add(db.RetryLife*time.Second - 7*time.Second)
	remove(o.service, ids[0])
	o.now = o.now.Add(4 * time.Second) // now only the first Update of the call is more than a day ago
	remove(o.service, ids[1])
	remove(o.service, ids[1])
	same(o.T, "Contacts", o.all(list), ids[2:])
	o.must(o.service.Contacts.DeleteList(o.Context(), o.caller, list))
	remove(o.service, ids[1])
}
