package contacts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/reports"
)

// This file tests searches of the Unsubscriber List, and replies that are too long for memory.

// searchUnsubscribers tests searches of the Unsubscriber List.
func searchUnsubscribers(o *apptest.Account) {
	list, other := o.AddList(), o.AddList()
	for i, l := range []enlist.ListID{list, other, list, 0} {
		address := fmt.Sprintf("person%d@example.com", i)
		if l != 0 {
			o.Subscribe(l, "Email", address)
		}
		_, err := o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: l, Address: address})
		o.Must(err)
		o.Now = o.Now.Add(-time.Second) // the order of the entries does not depend on the clock
	}
	stranger := o.NewCaller()
	all := []string{"0", "1", "2", "3"}
	for _, c := range []struct {
		caller *enlist.Caller
		list   enlist.ListID
		q      enlist.Query
		want   []string
	}{
		{o.Caller, 0, enlist.Query{}, all},
		{o.Caller, 0, enlist.Query{Descending: true}, all}, // only with SortBy
		{o.Caller, 0, enlist.Query{Limit: 2, Offset: 1}, all[1:3]},
		{o.Caller, 0, enlist.Query{Limit: 2, Offset: 3}, all[3:]},
		{o.Caller, 0, enlist.Query{Limit: 2, Offset: 4}, nil},
		{o.Caller, list, enlist.Query{}, []string{"0", "2"}},
		{o.Restricted(list), 0, enlist.Query{Limit: 2}, []string{"0", "2"}},
		{o.Restricted(), 0, enlist.Query{}, nil},
		{stranger, 0, enlist.Query{}, nil},
		{o.Caller, 0, enlist.Query{SortBy: "address", Descending: true, Limit: 3}, []string{"3", "2", "1"}},
		{o.Caller, 0, enlist.Query{SortBy: "time"}, []string{"3", "2", "1", "0"}},
		{o.Caller, 0, enlist.Query{SortBy: "address_type", Descending: true}, []string{"3", "2", "1", "0"}},
		{o.Caller, 0, enlist.Query{Criteria: apptest.Criterion("address", "exactly", "PERSON1@example.com")}, []string{"1"}},
		{o.Caller, 0, enlist.Query{Criteria: apptest.Criterion("address", "contains", "person"), Limit: 1, Offset: 2}, []string{"2"}},
		{o.Caller, 0, enlist.Query{Criteria: apptest.Criterion("list_id", "exactly", 0)}, []string{"3"}},
		{o.Caller, 0, enlist.Query{Criteria: apptest.Criterion("contact_id", "greater_than", 0)}, all[:3]},
		{o.Caller, 0, enlist.Query{Criteria: apptest.Criterion("address_type", "exactly", "mobile")}, nil},
	} {
		var found apptest.Rows[contacts.Unsubscriber]
		o.Must(o.App.Contacts.SearchUnsubscribers(o.Context(), c.caller, c.list, c.q, &found))
		var got []string
		for i := range found.All {
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(found.All[i].Address, "person"), "@example.com"))
		}
		if !slices.Equal(got, c.want) {
			o.Errorf("list %d, %+v: got %v, want %v", c.list, c.q, got, c.want)
		}
		n, err := o.App.Contacts.CountUnsubscribers(o.Context(), c.caller, c.list, c.q.Criteria)
		o.Must(err)
		if c.q.Limit == 0 && c.q.Offset == 0 && n != int64(len(c.want)) {
			o.Errorf("list %d, %+v: counted %d, want %d", c.list, c.q, n, len(c.want))
		}
	}
	for _, q := range []enlist.Query{{Limit: -1}, {Offset: -1}, {SortBy: "name"}, {Criteria: apptest.Criterion("Email", "exactly", "x")}} {
		err := o.App.Contacts.SearchUnsubscribers(o.Context(), o.Caller, 0, q, new(apptest.Rows[contacts.Unsubscriber]))
		o.Refused(err, enlist.InvalidSearch, "")
	}
}

// longReplies tests that more than 1,000 entries of the Unsubscriber List, or mails of a Contact, are sent as a
// stream, in the order of a short reply. decisions.md: 39
func longReplies(o *apptest.Account) {
	const entries = 2500
	list := o.AddList()
	id := o.Subscribe(list, "Email", "person@example.com")
	apptest.Update(o.T, o.Store, func(tx *db.Tx) error {
		for i := range int64(entries) {
			u := contacts.Unsubscriber{ListID: list, AddressType: enlist.AddressEmail, Address: fmt.Sprintf("P%d@example.com", i),
				AddressKey: fmt.Sprintf("p%d@example.com", i), Time: i}
			d := messages.Delivery{DeliveryKey: enlist.DeliveryKey{List: list, Contact: id, Time: i, Cause: "c"},
				Address: u.Address, SentTime: i, Status: messages.DeliverySent}
			err := contacts.AddUnsubscriber(tx, o.Caller.Account.ID, &u)
			if err == nil {
				err = d.Put(tx)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range []struct {
		q            enlist.Query
		count, first int64
		streaming    bool
	}{
		{enlist.Query{}, entries, 0, true},
		{enlist.Query{Limit: 1000}, 1000, 0, false},
		{enlist.Query{Limit: 1001, Offset: 10}, 1001, 10, true},
		{enlist.Query{SortBy: "time", Descending: true}, entries, entries - 1, true},
		{enlist.Query{Criteria: apptest.Criterion("address", "in", []any{"p7@EXAMPLE.com", "p9@example.com"})}, 2, 7, false},
		{enlist.Query{Criteria: apptest.Criterion("time", "less_than", 1200)}, 1200, 0, true},
	} {
		var w apptest.Rows[contacts.Unsubscriber]
		o.Must(o.App.Contacts.SearchUnsubscribers(o.Context(), o.Caller, list, c.q, &w))
		if int64(len(w.All)) != c.count || w.All[0].Time != c.first || w.Streaming != c.streaming {
			o.Errorf("%+v: got %d entries from %d, streaming %v; want %d from %d, streaming %v", c.q, len(w.All), w.All[0].Time,
				w.Streaming, c.count, c.first, c.streaming)
		}
		n, err := o.App.Contacts.CountUnsubscribers(o.Context(), o.Caller, list, c.q.Criteria)
		o.Must(err)
		if c.q.Limit == 0 && n != c.count {
			o.Errorf("%+v: counted %d entries, want %d", c.q, n, c.count)
		}
	}
	var sent apptest.Rows[reports.ContactDelivery]
	o.Must(o.App.Reports.ContactDeliveries(o.Context(), o.Caller, list, id, &sent))
	newestFirst := slices.IsSortedFunc(sent.All, func(a, b reports.ContactDelivery) int { return int(b.SentTime - a.SentTime) })
	if len(sent.All) != entries || !sent.Streaming || !newestFirst {
		o.Errorf("got %d mails, streaming %v, newest first %v; want %d as a stream, newest first", len(sent.All), sent.Streaming, newestFirst, entries)
	}
}

// lookUpMobile tests that a mobile number without a country code is found in the Unsubscriber List by the text
// that the Contact has.
func lookUpMobile(o *apptest.Account) {
	list := o.AddList()
	_, err := o.App.Lists.EditList(o.Context(), o.Caller, list, apptest.Details("country_code", 49))
	o.Must(err)
	o.Subscribe(list, "Mobile Phone", "0151 23456789")
	_, err = o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: list, Address: "0151 23456789"})
	o.Must(err)
	for text, want := range map[string]int64{"0151 23456789": 1, "015123456789": 0, "0151 2345678": 0} {
		n, err := o.App.Contacts.CountUnsubscribers(o.Context(), o.Caller, 0, apptest.Criterion("address", "exactly", text))
		o.Must(err)
		if n != want {
			o.Errorf("the Unsubscriber List has %d entries with the address %q, want %d", n, text, want)
		}
	}
}

func TestUnsubscriberList(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "the Unsubscriber List finds a mobile number by the text that the Contact has", Test: lookUpMobile},
		{Name: "by default, entries of the Unsubscriber List are returned in the order in which they were stored", Test: searchUnsubscribers},
	})
}
