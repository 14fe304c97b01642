package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests searches of the Unsubscriber List, and replies that are too long for memory.

// searchUnsubscribers tests searches of the Unsubscriber List.
func searchUnsubscribers(o *accountFixture) {
	list, other := o.addList(), o.addList()
	for i, l := range []enlist.ListID{list, other, list, 0} {
		address := fmt.Sprintf("person%d@example.com", i)
		if l != 0 {
			o.subscribe(l, "Email", address)
		}
		_, err := o.service.Contacts.Unsubscribe(o.Context(), o.caller, contacts.UnsubscribeRequest{List: l, Address: address})
		o.must(err)
		o.now = o.now.Add(-time.Second) // the order of the entries does not depend on the clock
	}
	stranger := o.newCaller()
	all := []string{"0", "1", "2", "3"}
	for _, c := range []struct {
		caller *enlist.Caller
		list   enlist.ListID
		q      enlist.Query
		want   []string
	}{
		{o.caller, 0, enlist.Query{}, all},
		{o.caller, 0, enlist.Query{Limit: 2, Offset: 1}, all[1:3]},
		{o.caller, 0, enlist.Query{Limit: 2, Offset: 3}, all[3:]},
		{o.caller, 0, enlist.Query{Limit: 2, Offset: 4}, nil},
		{o.caller, list, enlist.Query{}, []string{"0", "2"}},
		{o.restricted(list), 0, enlist.Query{Limit: 2}, []string{"0", "2"}},
		{o.restricted(), 0, enlist.Query{}, nil},
		{stranger, 0, enlist.Query{}, nil},
		{o.caller, 0, enlist.Query{SortBy: "address", Descending: true, Limit: 3}, []string{"3", "2", "1"}},
		{o.caller, 0, enlist.Query{SortBy: "time"}, []string{"3", "2", "1", "0"}},
		{o.caller, 0, enlist.Query{SortBy: "address_type", Descending: true}, []string{"3", "2", "1", "0"}},
		{o.caller, 0, enlist.Query{Criteria: triple("address", "exactly", "PERSON1@example.com")}, []string{"1"}},
		{o.caller, 0, enlist.Query{Criteria: triple("address", "contains", "person"), Limit: 1, Offset: 2}, []string{"2"}},
		{o.caller, 0, enlist.Query{Criteria: triple("list_id", "exactly", 0)}, []string{"3"}},
		{o.caller, 0, enlist.Query{Criteria: triple("contact_id", "greater_than", 0)}, all[:3]},
		{o.caller, 0, enlist.Query{Criteria: triple("address_type", "exactly", "mobile")}, nil},
	} {
		var found rows[contacts.Unsubscriber]
		o.must(o.service.Contacts.SearchUnsubscribers(o.Context(), c.caller, c.list, c.q, &found))
		var got []string
		for i := range found.all {
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(found.all[i].Address, "person"), "@example.com"))
		}
		if !slices.Equal(got, c.want) {
			o.Errorf("list %d, %+v: got %v, want %v", c.list, c.q, got, c.want)
		}
		n, err := o.service.Contacts.CountUnsubscribers(o.Context(), c.caller, c.list, c.q.Criteria)
		o.must(err)
		if c.q.Limit == 0 && c.q.Offset == 0 && n != int64(len(c.want)) {
			o.Errorf("list %d, %+v: counted %d, want %d", c.list, c.q, n, len(c.want))
		}
	}
	for _, q := range []enlist.Query{{Limit: -1}, {Offset: -1}, {SortBy: "name"}, {Criteria: triple("Email", "exactly", "x")}} {
		err := o.service.Contacts.SearchUnsubscribers(o.Context(), o.caller, 0, q, new(rows[contacts.Unsubscriber]))
		o.refused(err, enlist.InvalidSearch, "")
	}
}

// longReplies tests that more than 1,000 entries of the Unsubscriber List, or mails of a Contact, are sent as a
// stream, in the order of a short reply. decisions.md: 39
func longReplies(o *accountFixture) {
	const entries = 2500
	list := o.addList()
	id := o.subscribe(list, "Email", "person@example.com")
	update(o.T, o.store, func(tx *db.Tx) error {
		for i := range int64(entries) {
			u := contacts.Unsubscriber{ListID: list, AddressType: enlist.AddressEmail, Address: fmt.Sprintf("P%d@example.com", i),
				AddressKey: fmt.Sprintf("p%d@example.com", i), Time: i}
			d := messages.Delivery{DeliveryKey: enlist.DeliveryKey{List: list, Contact: id, Time: i, Cause: "c"},
				Address: u.Address, SentTime: i, Status: messages.DeliverySent}
			err := contacts.AddUnsubscriber(tx, o.caller.Account.ID, &u)
			if err == nil {
				err = messages.PutDelivery(tx, &d)
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
		{enlist.Query{Criteria: triple("address", "in", []any{"p7@EXAMPLE.com", "p9@example.com"})}, 2, 7, false},
		{enlist.Query{Criteria: triple("time", "less_than", 1200)}, 1200, 0, true},
	} {
		var w rows[contacts.Unsubscriber]
		o.must(o.service.Contacts.SearchUnsubscribers(o.Context(), o.caller, list, c.q, &w))
		if int64(len(w.all)) != c.count || w.all[0].Time != c.first || w.streaming != c.streaming {
			o.Errorf("%+v: got %d entries from %d, streaming %v; want %d from %d, streaming %v", c.q, len(w.all), w.all[0].Time,
				w.streaming, c.count, c.first, c.streaming)
		}
		n, err := o.service.Contacts.CountUnsubscribers(o.Context(), o.caller, list, c.q.Criteria)
		o.must(err)
		if c.q.Limit == 0 && n != c.count {
			o.Errorf("%+v: counted %d entries, want %d", c.q, n, c.count)
		}
	}
	var sent rows[batches.SentMessage]
	o.must(o.service.Batches.MessagesSentToContact(o.Context(), o.caller, list, id, &sent))
	newestFirst := slices.IsSortedFunc(sent.all, func(a, b batches.SentMessage) int { return int(b.SentTime - a.SentTime) })
	if len(sent.all) != entries || !sent.streaming || !newestFirst {
		o.Errorf("got %d mails, streaming %v, newest first %v; want %d as a stream, newest first", len(sent.all), sent.streaming, newestFirst, entries)
	}
}

// lookUpMobile tests that a mobile number without a country code is found in the Unsubscriber List by the text
// that the Contact has.
func lookUpMobile(o *accountFixture) {
	list := o.addList()
	_, err := o.service.Lists.EditList(o.Context(), o.caller, list, details("country_code", 49))
	o.must(err)
	o.subscribe(list, "Mobile Phone", "0151 23456789")
	_, err = o.service.Contacts.Unsubscribe(o.Context(), o.caller, contacts.UnsubscribeRequest{List: list, Address: "0151 23456789"})
	o.must(err)
	for text, want := range map[string]int64{"0151 23456789": 1, "015123456789": 0, "0151 2345678": 0} {
		n, err := o.service.Contacts.CountUnsubscribers(o.Context(), o.caller, 0, triple("address", "exactly", text))
		o.must(err)
		if n != want {
			o.Errorf("the Unsubscriber List has %d entries with the address %q, want %d", n, text, want)
		}
	}
}
