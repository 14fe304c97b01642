package storetest

import (
	"context"
	"errors"
	"fmt"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests which keys may search a List, when a reply is sent as a stream, and searches of
// the Unsubscriber List.

// searchAccess makes each kind of search with keys of several Accounts and Lists. reference.md: auth.restricted
func searchAccess(o *accountFixture) {
	list, other := o.addList(), o.addList()
	ada, bob := o.subscribe(list, "Email", "ada@example.com"), o.subscribe(other, "Email", "bob@example.com")
	stranger := o.newCaller()
	for _, c := range []struct {
		rule   string
		caller *enlist.Caller
		list   enlist.ListID
		kind   enlist.Kind // 0: no error
	}{
		{"a key searches a List of its Account", o.caller, list, 0},
		{"a restricted key searches its List", o.restricted(list), list, 0},
		{"a restricted key is denied another List", o.restricted(other), list, enlist.Denied},
		{"a List of another Account is not found", stranger, list, enlist.NoList},
		{"List 0 is not found", o.caller, 0, enlist.NoList},
		{"a negative List is not found", o.caller, -1, enlist.NoList},
		{"an unknown List is not found", o.caller, 1 << 40, enlist.NoList},
	} {
		o.run(c.rule, func() {
			want := func(call string, err error) {
				o.Helper()
				if (c.kind == 0) != (err == nil) || err != nil && enlist.KindOf(err) != c.kind {
					o.Errorf("%s: error %v, want the Kind %d (0: no error)", call, err, c.kind)
				}
			}
			page, w := enlist.Query{Limit: 10}, new(collecting)
			want("search", o.service.Contacts.SearchContacts(o.Context(), c.caller, c.list, page, nil, w))
			want("stream", o.service.Contacts.SearchContacts(o.Context(), c.caller, c.list, enlist.Query{}, nil, w))
			_, err := o.service.Contacts.CountContacts(o.Context(), c.caller, c.list, nil)
			want("count", err)
			want("contact", o.service.Contacts.Contact(o.Context(), c.caller, c.list, ada, nil, w))
			if c.list != 0 { // for the Unsubscriber List, 0 means all Lists
				err := o.service.Contacts.SearchUnsubscribers(o.Context(), c.caller, c.list, enlist.Query{}, new(rows[contacts.Unsubscriber]))
				want("unsubscribers", err)
			}
		})
	}
	o.refused(o.service.Contacts.Contact(o.Context(), o.caller, list, bob, nil, new(collecting)), enlist.NoContact, "")
	o.refused(o.service.Contacts.Contact(o.Context(), o.caller, list, 0, nil, new(collecting)), enlist.NoContact, "")
	for _, q := range []enlist.Query{
		{Limit: -1}, {Offset: -1}, {SortBy: "unknown"}, {Criteria: triple("unknown", "exactly", "")},
	} {
		o.refused(o.service.Contacts.SearchContacts(o.Context(), o.caller, list, q, nil, new(collecting)), enlist.InvalidSearch, "")
	}
	var w collecting
	o.must(o.service.Contacts.Contact(o.Context(), o.caller, list, ada, []string{"Email", "id"}, &w))
	same(o.T, "the Contact", w.rows, []map[string]string{{"Email": "ada@example.com", "id": fmt.Sprint(ada)}})
	if w.streaming {
		o.Error("the reply with one Contact was sent as a stream")
	}
}

// longSearches tests when the reply to a search is a stream. It also tests that a search returns the
// errors of the writer, and that a search ends if the caller closes the connection. decisions.md: 39
func longSearches(o *accountFixture) {
	list, large := o.addList(), o.addList()
	for i := range 3 {
		o.subscribe(list, "Email", fmt.Sprintf("person%d@example.com", i))
	}
	o.fill(large, 1001)
	one := triple("Email", "exactly", "person7@example.com")
	for _, c := range []struct {
		list      enlist.ListID
		query     enlist.Query
		streaming bool
	}{
		{list, enlist.Query{}, false},
		{list, enlist.Query{Limit: 5000}, false},
		{large, enlist.Query{Limit: 1000}, false},
		{large, enlist.Query{Limit: 1001}, true},
		{large, enlist.Query{}, true},
		{large, enlist.Query{Offset: 1}, false},
		{large, enlist.Query{Criteria: one}, false},
	} {
		var w collecting
		o.must(o.service.Contacts.SearchContacts(o.Context(), o.caller, c.list, c.query, nil, &w))
		if w.streaming != c.streaming {
			o.Errorf("List %d, %+v: the reply is a stream: %v, want the opposite", c.list, c.query, w.streaming)
		}
	}
	w := collecting{long: true}
	o.must(o.service.Contacts.SearchContacts(o.Context(), o.caller, list, enlist.Query{Limit: 100}, nil, &w))
	if !w.streaming || len(w.rows) != 3 {
		o.Errorf("a long reply is %+v, want a stream of 3 rows", w)
	}
	broken := errors.New("the connection is broken")
	for _, w := range []failing{{begin: broken}, {contact: broken}} {
		err := o.service.Contacts.SearchContacts(o.Context(), o.caller, list, enlist.Query{}, nil, w)
		if !errors.Is(err, broken) {
			o.Errorf("a writer that fails: error %v, want the error of the writer", err)
		}
	}
	cancelled, cancel := context.WithCancel(o.Context())
	cancel()
	for _, limit := range []int64{0, 10} {
		err := o.service.Contacts.SearchContacts(cancelled, o.caller, list, enlist.Query{Limit: limit}, nil, new(collecting))
		if !errors.Is(err, context.Canceled) {
			o.Errorf("the caller has closed the connection, limit %d: error %v, want Canceled", limit, err)
		}
	}
}

// fill stores Contacts directly, without the Service.
func (o *accountFixture) fill(list enlist.ListID, all int) {
	o.update(func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		for i := 0; i < all && err == nil; i++ {
			_, err = contacts.Insert(tx, contact(schema, fmt.Sprintf("person%d@example.com", i)))
		}
		return err
	})
}

// failing is a ContactWriter whose methods return errors.
type failing struct{ begin, contact error }

func (w failing) Begin([]enlist.Column, bool) error { return w.begin }

func (w failing) Contact(*enlist.ByID) error { return w.contact }

// longLedgers tests that a Contact's rows of the ledger are read in parts, and that more than 1,000 rows
// are sent as a stream. decisions.md: 39
func longLedgers(o *accountFixture) {
	const count = 2500
	list := o.addList()
	id := o.subscribe(list, "Email", "person@example.com")
	update(o.T, o.store, func(tx *db.Tx) error {
		for i := range int64(count - 1) {
			err := contacts.AddLedgerRow(tx, &enlist.LedgerRow{ListID: list, ContactID: id, Time: i, Type: contacts.ConsentDirect})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range []struct {
		limit, offset int64
		want          int
		streaming     bool
	}{
		{0, 0, count, true}, {1000, 0, 1000, false}, {1001, 0, 1001, true}, {2000, 0, 2000, true}, {0, 1000, 1500, true}, {0, 1501, 999, false}, {5, 10, 5, false},
		{0, count, 0, false},
	} {
		var w rows[enlist.LedgerRow]
		o.must(o.service.Contacts.ContactConsents(o.Context(), o.caller, contacts.LedgerQuery{List: list, Contact: id, Limit: c.limit, Offset: c.offset}, &w))
		if len(w.all) != c.want || w.streaming != c.streaming {
			o.Errorf("limit %d, offset %d: got %d rows, streaming %v; want %d rows, streaming %v", c.limit, c.offset, len(w.all), w.streaming, c.want, c.streaming)
		}
		for i := range w.all {
			if at := count - 2 - c.offset - int64(i); at >= 0 && w.all[i].Time != at {
				o.Fatalf("limit %d, offset %d: row %d has the time %d, want %d", c.limit, c.offset, i, w.all[i].Time, at)
			}
		}
	}
}
