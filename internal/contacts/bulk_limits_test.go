package contacts_test

import (
	"fmt"
	"slices"
	"sync"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests two limits of the calls that take many Contacts: the Contact limit of the Account,
// and how much one Update may write.

// bulkLimit tests that a call adds no Contact if it would exceed the Contact limit.
// reference.md: limit.contacts
func bulkLimit(o *apptest.Account) {
	list := o.AddList()
	o.Limit(many)
	add(o, list, contactRows(1000, "a"))
	tooMany := contacts.AddRequest{List: list, Contacts: contactRows(many+1, "a")}
	_, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, tooMany)
	o.Refused(err, enlist.ContactLimit, "1700 Contacts and has 1000")
	counted(o, list, 1000)
	if ids := add(o, list, contactRows(many, "a")); ids[999] != 0 || ids[1000] == 0 || ids[many-1] == 0 {
		o.Error("want IDs for the new rows only: the first 1000 rows have addresses that are already stored")
	}
	counted(o, list, many)
}

// bulkLimitConcurrent tests that concurrent calls never exceed the Contact limit, and that a
// refused call adds no Contact.
func bulkLimitConcurrent(o *apptest.Account) {
	list := o.AddList()
	const limit, calls = 1500, 6
	o.Limit(limit)
	var mu sync.Mutex
	added := int64(0)
	concurrently(o, calls, func(i int) error {
		rows := contactRows(700, string(rune('a'+i)))
		ids, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, contacts.AddRequest{List: list, Contacts: rows})
		if enlist.KindOf(err) == enlist.ContactLimit {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		for _, id := range ids {
			if id != 0 {
				added++
			}
		}
		return err
	})
	if added > limit {
		o.Errorf("%d Contacts were added, want at most %d", added, limit)
	}
	counted(o, list, added)
}

// bulkMessages tests a call in which each Contact causes several mails. An Update must take fewer
// Contacts, and all mails must be stored.
func bulkMessages(o *apptest.Account) {
	list := o.AddList("on_update_address", apptest.Addresses(8))
	ids := add(o, list, contactRows(350, "a"))
	rows := make([]contacts.EditRow, len(ids))
	for i, id := range ids {
		rows[i] = contacts.EditRow{ID: id, Details: apptest.Details("Mobile Phone", "0400000000")}
	}
	counting := &apptest.CountingStore{Engine: o.Store}
	service := app.New(counting, o.Clock)
	edit := contacts.EditRequest{List: list, Contacts: rows, Trigger: true}
	_, err := service.Contacts.EditContacts(o.Context(), o.Caller, edit)
	o.Must(err)
	if counting.Effects != 8*350 || counting.Most > 8*100 {
		o.Errorf("%d effects in total, at most %d in one Update; want 2800 and at most 800", counting.Effects, counting.Most)
	}
}

// bulkValues adds and edits Contacts of a List with 1,000 Fields, half of which have a default. An
// Update must take few of these Contacts.
func bulkValues(o *apptest.Account) {
	list := o.AddList()
	o.Update(func(tx *db.Tx) error {
		for i := range 998 {
			f := enlist.Field{ListID: list, Name: fmt.Sprint("f", i), Type: enlist.Text}
			if i%2 == 0 {
				f.DefaultValue = "x"
			}
			if err := lists.AddField(tx, &f); err != nil {
				return err
			}
		}
		return nil
	})
	counting := &apptest.CountingStore{Engine: o.Store}
	service := app.New(counting, o.Clock)
	ids, err := service.Contacts.AddContacts(o.Context(), o.Caller, contacts.AddRequest{List: list, Contacts: contactRows(50, "a")})
	o.Must(err)
	rows := make([]contacts.EditRow, len(ids))
	for i, id := range ids {
		rows[i] = contacts.EditRow{ID: id, Details: apptest.Details("f1", "y")}
	}
	_, err = service.Contacts.EditContacts(o.Context(), o.Caller, contacts.EditRequest{List: list, Contacts: rows})
	o.Must(err)
	if counting.Writes != 100 || counting.MostWrites > 21 {
		o.Errorf("%d Contacts in total, at most %d in one Update; want 100 and at most 21", counting.Writes, counting.MostWrites)
	}
	if c := o.Contact(list, ids[49]); len(c.Values) != 501 || c.Values[2].Text != "y" || c.Values[500].Text != "x" {
		o.Errorf("a Contact has %d values, want 501: its address, 499 defaults and f1", len(c.Values))
	}
}

// bulkLimitLeftOut adds as many Contacts as the limit allows, in a call that has further rows.
func bulkLimitLeftOut(o *apptest.Account) {
	list := o.AddList()
	o.Limit(3)
	add(o, list, contactRows(1, "a"))
	rows := append(contactRows(3, "a"), contactRows(3, "a")...)
	rows = append(rows, apptest.Details("Email", "no address"))
	o.App = app.New(o.Store, o.Clock) // it has looked up no row before
	if ids := add(o, list, rows); ids[0] != 0 || ids[1] == 0 || ids[2] == 0 || slices.Max(ids[3:]) != 0 {
		o.Errorf("IDs %v, want IDs only for the rows 1 and 2", ids)
	}
	counted(o, list, 3)
	overwrite := contacts.AddRequest{List: list, Contacts: rows, Overwrite: true}
	ids, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, overwrite)
	o.Must(err)
	if ids[0] == 0 || ids[0] != ids[3] || ids[2] != ids[5] || ids[6] != 0 {
		o.Errorf("IDs %v, want the ID of its Contact for each row except the last one", ids)
	}
}
