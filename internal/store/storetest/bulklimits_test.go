package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests two limits of the calls that take many Contacts: the Contact limit of the Account,
// and how much one Update may write.

// bulkLimit tests that a call adds no Contact if it would exceed the Contact limit.
// reference.md: limit.contacts
func bulkLimit(o *accountFixture) {
	list := o.addList()
	o.limit(many)
	o.add(list, contactRows(1000, "a"))
	tooMany := contacts.AddRequest{List: list, Contacts: contactRows(many+1, "a")}
	_, err := o.service.Contacts.AddContacts(o.Context(), o.caller, tooMany)
	o.refused(err, enlist.ContactLimit, "1700 Contacts and has 1000")
	o.counted(list, 1000)
	if ids := o.add(list, contactRows(many, "a")); ids[999] != 0 || ids[1000] == 0 || ids[many-1] == 0 {
		o.Error("want IDs for the new rows only: the first 1000 rows have addresses that are already stored")
	}
	o.counted(list, many)
}

// bulkLimitConcurrent tests that concurrent calls never exceed the Contact limit, and that a
// refused call adds no Contact.
func bulkLimitConcurrent(o *accountFixture) {
	list := o.addList()
	const limit, calls = 1500, 6
	o.limit(limit)
	var mu sync.Mutex
	added := int64(0)
	concurrently(o, calls, func(i int) error {
		rows := contactRows(700, string(rune('a'+i)))
		ids, err := o.service.Contacts.AddContacts(o.Context(), o.caller, contacts.AddRequest{List: list, Contacts: rows})
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
	o.counted(list, added)
}

func (o *accountFixture) limit(n int64) {
	o.Helper()
	o.must(o.service.Accounts.SetContactLimit(o.Context(), o.caller.Account.ID, n))
	o.update(func(tx *db.Tx) (err error) {
		o.caller.Account, err = accounts.ByID(tx, o.caller.Account.ID)
		return err
	})
}

// bulkMessages tests a call in which each Contact causes several mails. An Update must take fewer
// Contacts, and all mails must be stored.
func bulkMessages(o *accountFixture) {
	list := o.addList("on_update_address", addresses(8))
	ids := o.add(list, contactRows(350, "a"))
	rows := make([]contacts.EditRow, len(ids))
	for i, id := range ids {
		rows[i] = contacts.EditRow{ID: id, Details: details("Mobile Phone", "0400000000")}
	}
	counting := &countingStore{Engine: o.store}
	service := app.New(counting, o.clock)
	edit := contacts.EditRequest{List: list, Contacts: rows, Trigger: true}
	_, err := service.Contacts.EditContacts(o.Context(), o.caller, edit)
	o.must(err)
	if counting.effects != 8*350 || counting.most > 8*100 {
		o.Errorf("%d effects in total, at most %d in one Update; want 2800 and at most 800", counting.effects, counting.most)
	}
}

// bulkValues adds and edits Contacts of a List with 1,000 Fields, half of which have a default. An
// Update must take few of these Contacts.
func bulkValues(o *accountFixture) {
	list := o.addList()
	o.update(func(tx *db.Tx) error {
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
	counting := &countingStore{Engine: o.store}
	service := app.New(counting, o.clock)
	ids, err := service.Contacts.AddContacts(o.Context(), o.caller, contacts.AddRequest{List: list, Contacts: contactRows(50, "a")})
	o.must(err)
	rows := make([]contacts.EditRow, len(ids))
	for i, id := range ids {
		rows[i] = contacts.EditRow{ID: id, Details: details("f1", "y")}
	}
	_, err = service.Contacts.EditContacts(o.Context(), o.caller, contacts.EditRequest{List: list, Contacts: rows})
	o.must(err)
	if counting.writes != 100 || counting.mostWrites > 21 {
		o.Errorf("%d Contacts in total, at most %d in one Update; want 100 and at most 21", counting.writes, counting.mostWrites)
	}
	if c := o.contact(list, ids[49]); len(c.Values) != 501 || c.Values[2].Text != "y" || c.Values[500].Text != "x" {
		o.Errorf("a Contact has %d values, want 501: its address, 499 defaults and f1", len(c.Values))
	}
}

// bulkLimitLeftOut adds as many Contacts as the limit allows, in a call that has further rows.
func bulkLimitLeftOut(o *accountFixture) {
	list := o.addList()
	o.limit(3)
	o.add(list, contactRows(1, "a"))
	rows := append(contactRows(3, "a"), contactRows(3, "a")...)
	rows = append(rows, details("Email", "no address"))
	o.service = app.New(o.store, o.clock) // it has looked up no row before
	if ids := o.add(list, rows); ids[0] != 0 || ids[1] == 0 || ids[2] == 0 || slices.Max(ids[3:]) != 0 {
		o.Errorf("IDs %v, want IDs only for the rows 1 and 2", ids)
	}
	o.counted(list, 3)
	overwrite := contacts.AddRequest{List: list, Contacts: rows, Overwrite: true}
	ids, err := o.service.Contacts.AddContacts(o.Context(), o.caller, overwrite)
	o.must(err)
	if ids[0] == 0 || ids[0] != ids[3] || ids[2] != ids[5] || ids[6] != 0 {
		o.Errorf("IDs %v, want the ID of its Contact for each row except the last one", ids)
	}
}

// countingStore is a Store that counts its Updates, their effects, and the Contacts that they write.
type countingStore struct {
	db.Engine
	updates            int
	effects, most      int
	writes, mostWrites int
}

func (c *countingStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	effects, writes := 0, 0
	err := c.Engine.Update(ctx, func(tx *db.Tx) error {
		effects, writes = 0, 0
		return Watch{
			Effect: func(db.Effect) { effects++ },
			Statement: func(query string, args []any) error {
				writes += writtenContacts(query, args)
				return nil
			},
		}.Run(fn)(tx)
	})
	c.updates++
	c.effects, c.most = c.effects+effects, max(c.most, effects)
	c.writes, c.mostWrites = c.writes+writes, max(c.mostWrites, writes)
	return err
}
