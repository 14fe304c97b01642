package contacts_test

import (
	"cmp"
	"context"
	"strings"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// This file compares calls that take many Contacts with a simple model of a List. bulk_model_calls_test.go
// has the calls.

// bulkAsTheModel runs random calls on a List and on a simple model of the List. After each call both
// must have the same Contacts, addresses, primary Contacts and counters. decisions.md: 23, 24, 53
func bulkAsTheModel(o *apptest.Account) {
	rapid.Check(o.T, func(t *rapid.T) {
		o.Caller = o.NewCaller()
		m := &bulkModel{Account: o, unsubscribed: make(map[string]bool), unique: true}
		m.id = o.AddList()
		o.AddField(m.id, "name", "State", "type", "text", "default_value", "none", "length", 5)
		t.Repeat(map[string]func(*rapid.T){
			"add": m.add, "edit": m.edit, "delete": m.deleteIDs, "delete where": m.deleteWhere,
			"subscribe": m.subscribeOne, "unsubscribe": m.unsubscribe, "allow": m.allow, "": m.check,
		})
	})
}

// bulkModel is the expected state of a List.
type bulkModel struct {
	*apptest.Account
	id           enlist.ListID
	unique       bool             // duplicates are disallowed
	people       []*person        // sorted by ID
	last         enlist.ContactID // the highest ID that a Contact has had so far
	unsubscribed map[string]bool  // the normalised addresses that are on the Unsubscriber List
}

// person is an expected Contact. Of all Contacts with the same Key, exactly one has First: the primary
// Contact.
type person struct {
	ID                   enlist.ContactID
	Email, Mobile, State string
	Key                  string
	First, Unsubscribed  bool
}

// sentRow has the values that a call sends for one Contact. A nil value is not sent.
type sentRow struct{ email, mobile, state *string }

// drawRow draws a random row from a few values, so that rows often have the same address. The Service
// refuses the email "invalid". It also refuses the state "too long", because of the Field's length.
func drawRow(t *rapid.T) sentRow {
	of := func(what string, values ...string) *string {
		return rapid.OneOf(rapid.Just[*string](nil), rapid.Ptr(rapid.SampledFrom(values), false)).Draw(t, what)
	}
	return sentRow{
		email:  of("email", "a@example.com", "A@Example.COM", "b@example.com", "c@example.com", "", "invalid"),
		mobile: of("mobile", "0400000001", "+61 400 000 001", "0400000002", ""),
		state:  of("state", "x", "y", "", "too long"),
	}
}

func (r sentRow) details() []enlist.Detail {
	var pairs []any
	for _, v := range []struct {
		name string
		text *string
	}{{"State", r.state}, {"Email", r.email}, {"Mobile Phone", r.mobile}} {
		if v.text != nil {
			pairs = append(pairs, v.name, *v.text)
		}
	}
	return apptest.Details(pairs...)
}

// valid reports whether the Service accepts all values of the row.
func (r sentRow) valid() bool {
	return (r.email == nil || *r.email != "invalid") && (r.state == nil || *r.state != "too long")
}

// appliedTo returns a copy of p with the values that the row sends.
func (r sentRow) appliedTo(p person) person {
	for _, v := range []struct {
		into *string
		text *string
	}{{&p.Email, r.email}, {&p.Mobile, r.mobile}, {&p.State, r.state}} {
		if v.text != nil {
			*v.into = *v.text
		}
	}
	p.Key = cmp.Or(strings.ToLower(p.Email), mobileKey(p.Mobile))
	return p
}

// mobileKey returns the normalised address of an Australian number.
func mobileKey(mobile string) string {
	mobile = strings.ReplaceAll(mobile, " ", "")
	if rest, national := strings.CutPrefix(mobile, "0"); national {
		return "+61" + rest
	}
	return mobile
}

// first returns the primary Contact of an address, or nil.
func (m *bulkModel) first(key string) *person {
	for _, p := range m.people {
		if p.First && p.Key == key {
			return p
		}
	}
	return nil
}

// find returns the Contact with an ID, or nil.
func (m *bulkModel) find(id enlist.ContactID) *person {
	for _, p := range m.people {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// promote makes the Contact with the lowest ID the primary of an address, if the address has no
// primary.
func (m *bulkModel) promote(key string) {
	if m.first(key) != nil {
		return
	}
	for _, p := range m.people { // in the order of IDs
		if p.Key == key {
			p.First = true
			return
		}
	}
}

// insert adds a Contact to the model. The method got later sets its ID.
func (m *bulkModel) insert(p person) *person {
	p.First = m.first(p.Key) == nil
	m.people = append(m.people, &p)
	return &p
}

// got checks the ID that a call returned for the person p. If p is nil, the ID must be 0. The ID of a new
// Contact must be higher than the IDs of all earlier Contacts. The method got stores this ID in p.
func (m *bulkModel) got(t *rapid.T, p *person, id enlist.ContactID) {
	switch {
	case p == nil && id == 0:
	case p != nil && p.ID == 0 && id > m.last:
		p.ID, m.last = id, id
	case p == nil || p.ID != id:
		t.Fatalf("the call returned the ID %d, want that of %+v; the highest ID so far is %d", id, p, m.last)
	}
}

// check compares the List with the model.
func (m *bulkModel) check(t *rapid.T) {
	want := make([]person, len(m.people))
	for i, p := range m.people {
		want[i] = *p
	}
	err := m.Store.View(context.Background(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, m.id)
		if err != nil {
			return err
		}
		var got []person
		err = search.Contacts(tx, &enlist.Search{Schema: schema}, func(c *enlist.Contact) error {
			got = append(got, person{ID: c.ID})
			return nil
		})
		if err != nil {
			return err
		}
		for i := range got {
			c, err := contacts.ByID(tx, m.id, got[i].ID)
			if err != nil {
				return err
			}
			got[i] = person{ID: c.ID, Email: c.Values.Get(schema.Email().ID), Mobile: c.Values.Get(schema.Mobile().ID),
				State: c.Values.Get(schema.FieldNamed("State").ID), Key: c.Key, First: c.IsFirst,
				Unsubscribed: c.IsUnsubscribed}
			if c.Mobile != mobileKey(got[i].Mobile) {
				t.Errorf("Contact %d has the normalised number %q, want that of its Mobile Phone", c.ID, c.Mobile)
			}
		}
		if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the List (-want +got)\n%s", diff)
		}
		n, err := tx.ContactCount(m.id)
		if err != nil {
			return err
		}
		all, err := tx.AccountContacts(m.Caller.Account.ID)
		if n != int64(len(want)) || all != n {
			t.Errorf("the counter of the List is %d and that of the Account %d, want %d", n, all, len(want))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
