package contacts_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests which keys may search a List, when a reply is sent as a stream, and searches of
// the Unsubscriber List.

// searchAccess makes each kind of search with keys of several Accounts and Lists. reference.md: auth.restricted
func searchAccess(o *apptest.Account) {
	list, other := o.AddList(), o.AddList()
	ada, bob := o.Subscribe(list, "Email", "ada@example.com"), o.Subscribe(other, "Email", "bob@example.com")
	stranger := o.NewCaller()
	for _, c := range []struct {
		rule   string
		caller *enlist.Caller
		list   enlist.ListID
		kind   enlist.Kind // 0: no error
	}{
		{"a key searches a List of its Account", o.Caller, list, 0},
		{"a restricted key searches its List", o.Restricted(list), list, 0},
		{"a restricted key is denied another List", o.Restricted(other), list, enlist.Denied},
		{"a List of another Account is not found", stranger, list, enlist.NoList},
		{"List 0 is not found", o.Caller, 0, enlist.NoList},
		{"a negative List is not found", o.Caller, -1, enlist.NoList},
		{"an unknown List is not found", o.Caller, 1 << 40, enlist.NoList},
	} {
		o.Case(c.rule, func() {
			want := func(call string, err error) {
				o.Helper()
				if (c.kind == 0) != (err == nil) || err != nil && enlist.KindOf(err) != c.kind {
					o.Errorf("%s: error %v, want the Kind %d (0: no error)", call, err, c.kind)
				}
			}
			page, w := enlist.Query{Limit: 10}, new(apptest.ContactRows)
			want("search", o.App.Contacts.SearchContacts(o.Context(), c.caller, c.list, page, nil, w))
			want("stream", o.App.Contacts.SearchContacts(o.Context(), c.caller, c.list, enlist.Query{}, nil, w))
			_, err := o.App.Contacts.CountContacts(o.Context(), c.caller, c.list, nil)
			want("count", err)
			want("contact", o.App.Contacts.Contact(o.Context(), c.caller, c.list, ada, nil, w))
			if c.list != 0 { // for the Unsubscriber List, 0 means all Lists
				err := o.App.Contacts.SearchUnsubscribers(o.Context(), c.caller, c.list, enlist.Query{}, new(apptest.Rows[contacts.Unsubscriber]))
				want("unsubscribers", err)
			}
		})
	}
	o.Refused(o.App.Contacts.Contact(o.Context(), o.Caller, list, bob, nil, new(apptest.ContactRows)), enlist.NoContact, "")
	o.Refused(o.App.Contacts.Contact(o.Context(), o.Caller, list, 0, nil, new(apptest.ContactRows)), enlist.NoContact, "")
	for _, q := range []enlist.Query{
		{Limit: -1}, {Offset: -1}, {SortBy: "unknown"}, {Criteria: apptest.Criterion("unknown", "exactly", "")},
	} {
		o.Refused(o.App.Contacts.SearchContacts(o.Context(), o.Caller, list, q, nil, new(apptest.ContactRows)), enlist.InvalidSearch, "")
	}
	var w apptest.ContactRows
	o.Must(o.App.Contacts.Contact(o.Context(), o.Caller, list, ada, []string{"Email", "id"}, &w))
	apptest.Same(o.T, "the Contact", w.Rows, []map[string]string{{"Email": "ada@example.com", "id": fmt.Sprint(ada)}})
	if w.Streaming {
		o.Error("the reply with one Contact was sent as a stream")
	}
}

// longSearches tests when the reply to a search is a stream. It also tests that a search returns the
// errors of the writer, and that a search ends if the caller closes the connection. decisions.md: 39
func longSearches(o *apptest.Account) {
	list, large := o.AddList(), o.AddList()
	for i := range 3 {
		o.Subscribe(list, "Email", fmt.Sprintf("person%d@example.com", i))
	}
	fill(o, large, 1001)
	one := apptest.Criterion("Email", "exactly", "person7@example.com")
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
		var w apptest.ContactRows
		o.Must(o.App.Contacts.SearchContacts(o.Context(), o.Caller, c.list, c.query, nil, &w))
		if w.Streaming != c.streaming {
			o.Errorf("List %d, %+v: the reply is a stream: %v, want the opposite", c.list, c.query, w.Streaming)
		}
	}
	w := apptest.ContactRows{Long: true}
	o.Must(o.App.Contacts.SearchContacts(o.Context(), o.Caller, list, enlist.Query{Limit: 100}, nil, &w))
	if !w.Streaming || len(w.Rows) != 3 {
		o.Errorf("a long reply is %+v, want a stream of 3 rows", w)
	}
	broken := errors.New("the connection is broken")
	for _, w := range []failing{{begin: broken}, {contact: broken}} {
		err := o.App.Contacts.SearchContacts(o.Context(), o.Caller, list, enlist.Query{}, nil, w)
		if !errors.Is(err, broken) {
			o.Errorf("a writer that fails: error %v, want the error of the writer", err)
		}
	}
	cancelled, cancel := context.WithCancel(o.Context())
	cancel()
	for _, limit := range []int64{0, 10} {
		err := o.App.Contacts.SearchContacts(cancelled, o.Caller, list, enlist.Query{Limit: limit}, nil, new(apptest.ContactRows))
		if !errors.Is(err, context.Canceled) {
			o.Errorf("the caller has closed the connection, limit %d: error %v, want Canceled", limit, err)
		}
	}
}

// fill stores Contacts directly, without the Service.
func fill(o *apptest.Account, list enlist.ListID, all int) {
	o.Update(func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		for i := 0; i < all && err == nil; i++ {
			_, err = contacts.Insert(tx, apptest.NewContact(schema, fmt.Sprintf("person%d@example.com", i)))
		}
		return err
	})
}

// failing is a ContactWriter whose methods return errors.
type failing struct{ begin, contact error }

func (w failing) Begin([]enlist.Column, bool) error { return w.begin }

func (w failing) Contact(*enlist.Contact) error { return w.contact }

// longLedgers tests that a Contact's rows of the ledger are read in parts, and that more than 1,000 rows
// are sent as a stream. decisions.md: 39
func longLedgers(o *apptest.Account) {
	const count = 2500
	list := o.AddList()
	id := o.Subscribe(list, "Email", "person@example.com")
	apptest.Update(o.T, o.Store, func(tx *db.Tx) error {
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
		var w apptest.Rows[enlist.LedgerRow]
		o.Must(o.App.Contacts.ContactConsents(o.Context(), o.Caller, contacts.LedgerQuery{List: list, Contact: id, Limit: c.limit, Offset: c.offset}, &w))
		if len(w.All) != c.want || w.Streaming != c.streaming {
			o.Errorf("limit %d, offset %d: got %d rows, streaming %v; want %d rows, streaming %v", c.limit, c.offset, len(w.All), w.Streaming, c.want, c.streaming)
		}
		for i := range w.All {
			if at := count - 2 - c.offset - int64(i); at >= 0 && w.All[i].Time != at {
				o.Fatalf("limit %d, offset %d: row %d has the time %d, want %d", c.limit, c.offset, i, w.All[i].Time, at)
			}
		}
	}
}

// covers: spec auth.restricted
func TestKeysSearchTheirLists(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a search finds only Contacts of Lists that the key may read", Test: searchAccess},
	})
}

// covers: decision 39
func TestLongRepliesAreStreams(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a long reply is sent as a stream", Test: longSearches},
		{Name: "a long ledger is read in parts and sent as a stream", Test: longLedgers},
		{Name: "long replies about the Unsubscriber List and about mails are sent as a stream", Test: longReplies},
	})
}
