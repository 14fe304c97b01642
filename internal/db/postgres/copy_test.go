package postgres

import (
	"fmt"
	"testing"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// A copy of Contacts to another List meets another transaction that adds, changes or removes the same Contact between the
// moments in which it reads and writes. SQLite has one writer, so this happens on PostgreSQL alone.
//
// covers: spec copy.rules
func TestACopyMeetsAChangeOfTheSameContact(t *testing.T) {
	d := newListFixture(t, open(t))
	update := func(tx *db.Tx, list enlist.ListID, id enlist.ContactID) error {
		c, err := contacts.ByID(tx, list, id)
		if err == nil {
			c.IsUnsubscribed = true
			err = contacts.Update(tx, c)
		}
		return err
	}
	email, from := "", enlist.ListID(0)
	for i, test := range []struct {
		name                                 string
		first                                func(tx *db.Tx, id enlist.ContactID) error
		changed, existed, refused, here, was int64
	}{
		{"the other List gets the Contact", func(tx *db.Tx, _ enlist.ContactID) error {
			_, err := d.insert(tx, email)
			return err
		}, 1, 1, 0, 1, 0},
		{"the other List gets the Contact, which then leaves it", func(tx *db.Tx, _ enlist.ContactID) error {
			id, err := d.insert(tx, email)
			if err == nil {
				err = update(tx, d.list, id)
			}
			return err
		}, 0, 0, 1, 1, 1},
		{"the Contact is unsubscribed", func(tx *db.Tx, id enlist.ContactID) error { return update(tx, from, id) }, 0, 0, 1, 0, 1},
		{"the Contact is removed", func(tx *db.Tx, id enlist.ContactID) error {
			_, err := d.service.Contacts.RemoveContactsByID(tx, time.Now().Unix(), from, []enlist.ContactID{id})
			return err
		}, 0, 0, 0, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			email = fmt.Sprintf("a%d@example.com", i)
			var err error
			from, err = d.service.Lists.AddList(t.Context(), d.caller, []enlist.Detail{detail("name", test.name)})
			d.must(err)
			before, err := d.service.Contacts.CountContacts(t.Context(), d.caller, d.list, nil)
			d.must(err)
			id, err := d.service.Contacts.Subscribe(t.Context(), d.caller, contacts.SubscribeRequest{List: from,
				Details: []enlist.Detail{detail("Email", email)}})
			d.must(err)
			change, err := d.service.Contacts.StartChange(t.Context(), d.caller, contacts.ChangeRequest{List: from, Target: d.list,
				Contacts: []enlist.ContactID{id}, Action: contacts.ChangeMove, Count: contacts.AnyCount})
			d.must(err)
			d.whileOneWaits(func(tx *db.Tx) error { return test.first(tx, id) }, func() {
				for done := false; !done; {
					done, err = d.service.Contacts.CopyContacts(t.Context(), contacts.CopyContacts{ID: change})
					d.must(err)
				}
			})
			c, err := d.service.Contacts.Change(t.Context(), d.caller, change)
			d.must(err)
			if c.Changed != test.changed || c.Existed != test.existed || c.Refused != test.refused || c.State() != "done" {
				t.Errorf("the change is %+v", c)
			}
			for list, want := range map[enlist.ListID]int64{d.list: before + test.here, from: test.was} {
				if n, err := d.service.Contacts.CountContacts(t.Context(), d.caller, list, nil); err != nil || n != want {
					t.Errorf("the List %d has %d Contacts, %v; want %d", list, n, err, want)
				}
			}
		})
	}
}
