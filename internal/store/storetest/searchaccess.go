package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"enlist/internal/audience"
)

// searchAccess tests who finds what. decisions.md: 11
func searchAccess(o *accountFixture) {
	list, other := o.addList(), o.addList()
	ada, bob := o.subscribe(list, "Email", "ada@example.com"), o.subscribe(other, "Email", "bob@example.com")
	stranger := o.newCaller()
	for _, c := range []struct {
		name   string
		caller *audience.Caller
		list   audience.ListID
		kind   audience.Kind
	}{
		{"its own List", o.caller, list, 0},
		{"a List of a restricted key", o.restricted(list), list, 0},
		{"another List than a restricted key's", o.restricted(other), list, audience.Denied},
		{"a List of another Account", stranger, list, audience.NoList},
		{"no List", o.caller, 0, audience.NoList},
		{"a negative List", o.caller, -1, audience.NoList},
		{"an unknown List", o.caller, 1 << 40, audience.NoList},
	} {
		_, count := o.service.CountContacts(o.Context(), c.caller, c.list, nil)
		for call, err := range map[string]error{
			"search":        o.service.SearchContacts(o.Context(), c.caller, c.list, audience.Query{Limit: 10}, nil, new(collecting)),
			"stream":        o.service.SearchContacts(o.Context(), c.caller, c.list, audience.Query{}, nil, new(collecting)),
			"count":         count,
			"contact":       o.service.Contact(o.Context(), c.caller, c.list, ada, nil, new(collecting)),
			"unsubscribers": unsubscribersError(o, c.caller, c.list),
		} {
			if call == "unsubscribers" && c.list == 0 {
				continue // means all Lists
			}
			if (c.kind == 0) != (err == nil) || err != nil && audience.KindOf(err) != c.kind {
				o.Errorf("%s in %s: %v", call, c.name, err)
			}
		}
	}
	o.refused(o.service.Contact(o.Context(), o.caller, list, bob, nil, new(collecting)), audience.NoContact, "")
	o.refused(o.service.Contact(o.Context(), o.caller, list, 0, nil, new(collecting)), audience.NoContact, "")
	for _, q := range []audience.Query{{Limit: -1}, {Offset: -1}, {SortBy: "nobody"}, {Criteria: &audience.Criteria{Key: "nobody", Operator: "exactly"}}} {
		o.refused(o.service.SearchContacts(o.Context(), o.caller, list, q, nil, new(collecting)), audience.InvalidSearch, "")
	}
	var w collecting
	o.must(o.service.Contact(o.Context(), o.caller, list, ada, []string{"Email", "id"}, &w))
	if len(w.rows) != 1 || w.rows[0]["Email"] != "ada@example.com" || w.rows[0]["id"] != fmt.Sprint(ada) || len(w.rows[0]) != 2 || w.streaming {
		o.Errorf("one Contact: %+v", w)
	}
}

func unsubscribersError(o *accountFixture, c *audience.Caller, list audience.ListID) error {
	_, err := o.service.SearchUnsubscribers(o.Context(), c, list, audience.Query{})
	return err
}

// longSearches tests when a search is a stream, that a writer's own errors come
// back, and that a caller who has gone is noticed. decisions.md: 39
func longSearches(o *accountFixture) {
	list, large := o.addList(), o.addList()
	for i := range 3 {
		o.subscribe(list, "Email", fmt.Sprintf("person%d@example.com", i))
	}
	o.fill(large, 1001)
	one := &audience.Criteria{Key: "Email", Operator: "exactly", Value: audience.Input{Kind: audience.InputText, Text: "person7@example.com"}}
	for _, c := range []struct {
		list      audience.ListID
		query     audience.Query
		streaming bool
	}{
		{list, audience.Query{}, false},
		{list, audience.Query{Limit: 5000}, false},
		{large, audience.Query{Limit: 1000}, false},
		{large, audience.Query{Limit: 1001}, true},
		{large, audience.Query{}, true},
		{large, audience.Query{Offset: 1}, false},
		{large, audience.Query{Criteria: one}, false},
	} {
		var w collecting
		o.must(o.service.SearchContacts(o.Context(), o.caller, c.list, c.query, nil, &w))
		if w.streaming != c.streaming {
			o.Errorf("List %d, %+v: streaming is %v", c.list, c.query, w.streaming)
		}
	}
	w := collecting{long: true}
	o.must(o.service.SearchContacts(o.Context(), o.caller, list, audience.Query{Limit: 100}, nil, &w))
	if !w.streaming || len(w.rows) != 3 {
		o.Errorf("a long reply: %+v", w)
	}
	broken := errors.New("the line is down")
	for _, w := range []failing{{begin: broken}, {contact: broken}} {
		if err := o.service.SearchContacts(o.Context(), o.caller, list, audience.Query{}, nil, w); !errors.Is(err, broken) {
			o.Errorf("a writer that fails: %v", err)
		}
	}
	gone, cancel := context.WithCancel(o.Context())
	cancel()
	for _, limit := range []int64{0, 10} {
		if err := o.service.SearchContacts(gone, o.caller, list, audience.Query{Limit: limit}, nil, new(collecting)); !errors.Is(err, context.Canceled) {
			o.Errorf("a caller who has gone, limit %d: %v", limit, err)
		}
	}
}

// fill stores Contacts past the Service.
func (o *accountFixture) fill(list audience.ListID, contacts int) {
	o.update(func(tx audience.Tx) error {
		schema, err := tx.Schema(list)
		for i := 0; i < contacts && err == nil; i++ {
			_, err = tx.InsertContact(contact(schema, fmt.Sprintf("person%d@example.com", i)))
		}
		return err
	})
}

// failing is a ContactWriter that cannot write.
type failing struct{ begin, contact error }

func (w failing) Begin([]audience.Column, bool) error { return w.begin }

func (w failing) Contact(*audience.Contact) error { return w.contact }

// searchUnsubscribers tests searches of the Unsubscriber List.
func searchUnsubscribers(o *accountFixture) {
	list, other := o.addList(), o.addList()
	for i, l := range []audience.ListID{list, other, list, 0} {
		address := fmt.Sprintf("person%d@example.com", i)
		if l != 0 {
			o.subscribe(l, "Email", address)
		}
		_, err := o.service.Unsubscribe(o.Context(), o.caller, l, address)
		o.must(err)
		o.now = o.now.Add(-time.Second) // a clock that goes back: entries keep their order
	}
	stranger := o.newCaller()
	all := []string{"0", "1", "2", "3"}
	where := func(key, operator string, value any) *audience.Criteria {
		return &audience.Criteria{Key: key, Operator: operator, Value: input(value)}
	}
	for _, c := range []struct {
		caller *audience.Caller
		list   audience.ListID
		q      audience.Query
		want   []string
	}{
		{o.caller, 0, audience.Query{}, all},
		{o.caller, 0, audience.Query{Limit: 2, Offset: 1}, all[1:3]},
		{o.caller, 0, audience.Query{Limit: 2, Offset: 3}, all[3:]},
		{o.caller, 0, audience.Query{Limit: 2, Offset: 4}, nil},
		{o.caller, list, audience.Query{}, []string{"0", "2"}},
		{o.restricted(list), 0, audience.Query{Limit: 2}, []string{"0", "2"}},
		{o.restricted(), 0, audience.Query{}, nil},
		{stranger, 0, audience.Query{}, nil},
		{o.caller, 0, audience.Query{SortBy: "address", Descending: true, Limit: 3}, []string{"3", "2", "1"}},
		{o.caller, 0, audience.Query{SortBy: "time"}, []string{"3", "2", "1", "0"}},
		{o.caller, 0, audience.Query{SortBy: "address_type", Descending: true}, []string{"3", "2", "1", "0"}},
		{o.caller, 0, audience.Query{Criteria: where("address", "exactly", "PERSON1@example.com")}, []string{"1"}},
		{o.caller, 0, audience.Query{Criteria: where("address", "contains", "person"), Limit: 1, Offset: 2}, []string{"2"}},
		{o.caller, 0, audience.Query{Criteria: where("list_id", "exactly", 0)}, []string{"3"}},
		{o.caller, 0, audience.Query{Criteria: where("contact_id", "greater_than", 0)}, all[:3]},
		{o.caller, 0, audience.Query{Criteria: where("address_type", "exactly", "mobile")}, nil},
	} {
		found, err := o.service.SearchUnsubscribers(o.Context(), c.caller, c.list, c.q)
		o.must(err)
		var got []string
		for i := range found {
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(found[i].Address, "person"), "@example.com"))
		}
		if !slices.Equal(got, c.want) {
			o.Errorf("list %d, %+v: got %v, want %v", c.list, c.q, got, c.want)
		}
	}
	for _, q := range []audience.Query{{Limit: -1}, {Offset: -1}, {SortBy: "name"}, {Criteria: where("Email", "exactly", "x")}} {
		_, err := o.service.SearchUnsubscribers(o.Context(), o.caller, 0, q)
		o.refused(err, audience.InvalidSearch, "")
	}
}
