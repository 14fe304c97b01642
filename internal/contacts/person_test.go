package contacts_test

import (
	"fmt"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file tests what the pages about Contacts ask: who one person is, and which values are frequent.

func TestPersonsAndTheirValues(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a person has the Contacts with an address in all Lists that the key may access", Test: personOfAnAddress},
		{Name: "the most frequent values of a Field are counted among the Contacts that match", Test: topValues},
	})
}

func personOfAnAddress(o *apptest.Account) {
	list, twice, other := o.AddList(), o.AddList("disallow_duplicate_contacts", false), o.AddList()
	want := []enlist.ContactID{o.Subscribe(list, "Email", "Ann@Example.com", "Mobile Phone", "+61412345678")}
	o.Subscribe(list, "Email", "joann@example.com")
	want = append(want, o.Subscribe(twice, "Email", "ann@example.com"), o.Subscribe(twice, "Email", "ann@example.com"))
	o.Subscribe(other, "Email", "ann@example.com")
	_, err := o.App.Contacts.UnsubscribeByID(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: want[0]})
	o.Must(err)
	for _, c := range []struct {
		rule   string
		caller *enlist.Caller
		text   string
		want   []enlist.ContactID
		left   int
	}{
		{"an e-mail address in another spelling", o.Restricted(list, twice), " ANN@example.com", want, 1},
		{"a mobile number", o.Caller, "+61412345678", want[:1], 0},
		{"a key of another List sees neither the Contacts nor the departure", o.Restricted(other), "+61412345678", nil, 0},
		{"another Account", o.NewCaller(), "ann@example.com", nil, 0},
		{"an address of no Contact", o.Caller, "bob@example.com", nil, 0},
	} {
		o.Case(c.rule, func() {
			found, err := o.App.Contacts.Person(o.Context(), c.caller, &contacts.PersonQuery{Address: c.text, Limit: 3})
			o.Must(err)
			var ids []enlist.ContactID
			for _, p := range found.Contacts {
				ids = append(ids, p.Contact.ID)
				if p.Schema.List.ID != p.Contact.ListID {
					o.Errorf("a Contact of List %d has the Schema of List %d", p.Contact.ListID, p.Schema.List.ID)
				}
			}
			apptest.Same(o.T, "the Contacts", ids, c.want)
			if len(found.Left) != c.left {
				o.Errorf("there are %d departures, want %d", len(found.Left), c.left)
			}
		})
	}
	var pages [][]enlist.ListID
	for skip := range 4 {
		found, err := o.App.Contacts.Person(o.Context(), o.Caller,
			&contacts.PersonQuery{Address: "ann@example.com", First: twice, Skip: skip, Limit: 2})
		o.Must(err)
		var in []enlist.ListID
		for _, p := range found.Contacts {
			in = append(in, p.Contact.ListID)
		}
		pages = append(pages, in)
		apptest.Same(o.T, "the Lists of the person", found.Lists, 3)
	}
	apptest.Same(o.T, "two Lists from each one, beginning with the second", pages,
		[][]enlist.ListID{{twice, twice, list}, {list, other}, {other}, nil})
	_, err = o.App.Contacts.Person(o.Context(), o.Caller, &contacts.PersonQuery{Address: "nothing", Limit: 1})
	o.Refused(err, enlist.InvalidParameters, "address")
}

func topValues(o *apptest.Account) {
	list := o.AddList()
	o.AddField(list, "name", "Town", "type", "text")
	o.AddField(list, "name", "Price", "type", "decimal")
	for i, town := range []string{"Rome", "Bonn", "Rome", "", "Rome", "Bonn", "Oslo", ""} {
		o.Subscribe(list, "Email", fmt.Sprintf("a%d@example.com", i), "Town", town, "Price", fmt.Sprint(i%2))
	}
	for _, c := range []struct {
		rule     string
		criteria *enlist.Criteria
		field    string
		limit    int
		want     string
	}{
		{"without criteria", nil, "Town", 10, "[{Rome 3} {Bonn 2} { 2} {Oslo 1}]"},
		{"at most some", nil, "Town", 1, "[{Rome 3}]"},
		{"with criteria without an index", apptest.Criterion("Price", "exactly", "0"), "Town", 1, "[{Rome 3}]"},
		{"with criteria that an index answers", apptest.Criterion("Email", "exactly", "a1@example.com"), "Town", 10, "[{Bonn 1}]"},
		{"one of two addresses", apptest.Criterion("Email", "in", "a1@example.com,a6@example.com"), "Town", 10, "[{Bonn 1} {Oslo 1}]"},
		{"a number", apptest.Criterion("Town", "exactly", "Rome"), "Price", 10, "[{0 3}]"},
		{"no Contact matches", apptest.Criterion("id", "exactly", "0"), "Town", 10, "[]"},
	} {
		o.Case(c.rule, func() {
			all, err := o.App.Contacts.TopValues(o.Context(), o.Caller, list, c.criteria, c.field, c.limit)
			o.Must(err)
			got := fmt.Sprint(all)
			if got == "[{Rome 3} { 2} {Bonn 2} {Oslo 1}]" { // the engines order an absent value differently
				got = "[{Rome 3} {Bonn 2} { 2} {Oslo 1}]"
			}
			if got != c.want {
				o.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	for _, c := range []struct {
		caller *enlist.Caller
		list   enlist.ListID
		field  string
		want   enlist.Kind
	}{{o.NewCaller(), list, "Town", enlist.NoList}, {o.Restricted(o.AddList()), list, "Town", enlist.Denied},
		{o.Caller, list, "Unknown", enlist.NoField}, {o.Caller, list, "id", enlist.NoField}} {
		_, err := o.App.Contacts.TopValues(o.Context(), c.caller, c.list, nil, c.field, 10)
		o.Refused(err, c.want, "")
	}
}
