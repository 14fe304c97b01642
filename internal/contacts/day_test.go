package contacts_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// The tests compare the counts of days with the Contacts. day_model_test.go has random calls.
//
// covers: spec listday.counts, listday.day, listday.contacts, decision 130
func TestDaysOfAList(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "each kind of change counts in one column on its day", Test: daysOfEachCall},
		{Name: "concurrent subscriptions are all counted", Test: daysOfConcurrentCalls},
		{Name: "a call that fails counts nothing", Test: daysOfAFailure},
		{Name: "the days of a deleted List are removed", Test: daysOfADeletedList},
	})
}

// counts are the counts of a day, in the order of the record.
type counts struct{ Added, Confirmed, Left, Bounced, Complained, Removed, Contacts int64 }

func countsOf(d *lists.ListDay) counts {
	c := &d.Counts
	return counts{c[enlist.DayAdded], c[enlist.DayConfirmed], c[enlist.DayLeft], c[enlist.DayBounced],
		c[enlist.DayComplained], c[enlist.DayRemoved], d.Contacts}
}

// daysOf returns the days of a List on which something was counted.
func daysOf(o *apptest.Account, list enlist.ListID, from string) map[string]counts {
	o.Helper()
	days, err := o.App.Lists.ListDays(o.Context(), o.Caller, list, from, "")
	o.Must(err)
	found := make(map[string]counts)
	for i := range days {
		c := countsOf(&days[i])
		if only := c; only != (counts{Contacts: c.Contacts}) {
			found[days[i].Day.Format(time.DateOnly)] = c
		}
	}
	return found
}

// wantDay checks the counts of the present day, and sets the clock to the next one.
func wantDay(o *apptest.Account, list enlist.ListID, what string, want counts) {
	o.Helper()
	day := o.Now.Format(time.DateOnly)
	if got := daysOf(o, list, day)[day]; got != want {
		o.Errorf("%s counts %+v, want %+v", what, got, want)
	}
	o.Now = o.Now.Add(24 * time.Hour)
}

func daysOfEachCall(o *apptest.Account) {
	ctx, s, c := o.Context(), o.App.Contacts, o.Caller
	list := o.AddList()
	file := func(text, as string) func() {
		return func() {
			o.ImportFile(list, text, func(i *imports.ImportOptions) {
				i.As, i.Existing, i.Skip = as, imports.ExistingOverwrite, imports.SkipNoAddress
				if as != "" {
					i.Existing, i.Skip = "", ""
				}
			})
		}
	}
	must := func(_ any, err error) { o.Helper(); o.Must(err) }
	of := func(id enlist.ContactID) contacts.ContactRequest {
		return contacts.ContactRequest{List: list, Contact: id}
	}
	var ann, bob enlist.ContactID
	for _, day := range []struct {
		what string
		call func()
		want counts
	}{
		{"subscribeContact", func() {
			ann = o.Subscribe(list, "Email", "ann@example.com")
			bob = o.Subscribe(list, "Email", "bob@example.com")
		}, counts{Added: 2, Contacts: 2}},
		{"a repeated subscription", func() { o.Subscribe(list, "Email", "ann@example.com") }, counts{}},
		{"confirmContact", func() { must(s.Confirm(ctx, c, of(ann))) }, counts{Confirmed: 1, Contacts: 2}},
		{"a second confirmation", func() { must(s.Confirm(ctx, c, of(ann))) }, counts{}},
		{"unsubscribeContact", func() {
			must(s.Unsubscribe(ctx, c, contacts.UnsubscribeRequest{List: list, Address: "ann@example.com"}))
		}, counts{Left: 1, Contacts: 2}},
		{"a change of a Contact that left", func() {
			must(s.Deactivate(ctx, c, list, ann))
			must(s.Reactivate(ctx, c, list, ann))
		}, counts{}},
		{"resubscribeContact", func() {
			must(s.Resubscribe(ctx, c, contacts.ResubscribeRequest{List: list, Contact: ann}))
		}, counts{Added: 1, Contacts: 2}},
		{"unsubscribeContactById", func() { must(s.UnsubscribeByID(ctx, c, of(ann))) }, counts{Left: 1, Contacts: 2}},
		{"a subscription after an unsubscription", func() { o.Subscribe(list, "Email", "ann@example.com") },
			counts{Added: 1, Contacts: 2}},
		{"deactivateContact", func() { must(s.Deactivate(ctx, c, list, ann)) }, counts{Removed: 1, Contacts: 2}},
		{"reactivateContact", func() { must(s.Reactivate(ctx, c, list, ann)) }, counts{Added: 1, Contacts: 2}},
		{"a complaint", func() {
			k := enlist.DeliveryKey{List: list, Contact: ann, Time: o.Now.Unix(), Cause: messages.CauseConfirmation}
			must(o.App.Sending.Complained(ctx, k, "abuse"))
		}, counts{Complained: 1, Contacts: 2}},
		{"addContacts", func() {
			must(s.AddContacts(ctx, c, contacts.AddRequest{List: list, Contacts: [][]enlist.Detail{
				apptest.Details("Email", "cy@example.com"), apptest.Details("Email", "di@example.com"),
				apptest.Details("Email", "bob@example.com")}}))
		}, counts{Added: 2, Contacts: 4}},
		{"an Import", file("Email,is_active,is_bounce_deactivated,is_unsubscribed,confirmed_time\n"+
			"ed@example.com,1,0,0,\nfay@example.com,0,0,0,\ngus@example.com,1,0,1,\nhal@example.com,1,0,0,1000000000\n"+
			"bob@example.com,1,0,0,1000000000\ncy@example.com,1,1,0,\n", ""),
			counts{Added: 2, Confirmed: 1, Bounced: 1, Contacts: 8}},
		{"an Import of unsubscribers", file("Email\ned@example.com\ngus@example.com\n", imports.AsUnsubscribers),
			counts{Left: 1, Contacts: 8}},
		{"an Import of complaints", file("Email\nhal@example.com\n", imports.AsComplained),
			counts{Complained: 1, Contacts: 8}},
		{"an Import of bounces", file("Email\ndi@example.com\ncy@example.com\n", imports.AsBounced),
			counts{Bounced: 1, Contacts: 8}},
		{"deleteContacts", func() {
			must(s.DeleteContacts(ctx, c, contacts.DeleteRequest{List: list, Contacts: []enlist.ContactID{ann, bob}}))
		}, counts{Removed: 1, Contacts: 6}},
		{"an erasure", func() {
			o.Subscribe(list, "Email", "ida@example.com")
			must(o.App.Privacy.ErasePerson(ctx, c, "ida@example.com"))
		}, counts{Added: 1, Removed: 1, Contacts: 6}},
		{"clearList", func() {
			o.Subscribe(list, "Email", "jo@example.com")
			o.Must(s.ClearList(ctx, c, list))
		}, counts{Added: 1, Removed: 1}},
	} {
		day.call()
		wantDay(o, list, day.what, day.want)
	}
	days, err := o.App.Lists.ListDays(ctx, c, list, "2026-06-15", "")
	o.Must(err)
	var receiving int64
	for i := range days {
		n := countsOf(&days[i])
		receiving += n.Added - n.Left - n.Bounced - n.Complained - n.Removed
	}
	if last := days[len(days)-1]; receiving != 0 || last.Contacts != 0 {
		o.Errorf("the sum of all days is %d, and %d Contacts are left, want 0", receiving, last.Contacts)
	}
	bounces(o)
}

// bounces checks that a Contact whose last three mails bounced counts as bounced.
func bounces(o *apptest.Account) {
	list := o.AddList()
	id := o.Subscribe(list, "Email", "kim@example.com")
	o.Now = o.Now.Add(24 * time.Hour)
	for range 3 {
		o.Now = o.Now.Add(time.Hour)
		k := enlist.DeliveryKey{List: list, Contact: id, Time: o.Now.Unix(), Cause: messages.CauseConfirmation}
		_, err := o.App.Sending.Bounced(o.Context(), k, "550 unknown")
		o.Must(err)
	}
	wantDay(o, list, "three bounces", counts{Bounced: 1, Contacts: 1})
}

func daysOfConcurrentCalls(o *apptest.Account) {
	list := o.AddList()
	var all sync.WaitGroup
	const callers, each = 16, 20
	for i := range callers {
		all.Go(func() {
			for j := range each {
				r := contacts.SubscribeRequest{List: list,
					Details: apptest.Details("Email", fmt.Sprintf("a%d@example.com", (i*each+j)%300))}
				if _, err := o.App.Contacts.Subscribe(context.Background(), o.Caller, r); err != nil {
					o.Error(err)
				}
			}
		})
	}
	all.Wait()
	wantDay(o, list, "320 subscriptions of 300 addresses", counts{Added: 300, Contacts: 300})
}

func daysOfAFailure(o *apptest.Account) {
	list := o.AddList()
	id := o.Subscribe(list, "Email", "ann@example.com")
	err := o.Store.Update(o.Context(), func(tx *db.Tx) error {
		c, err := contacts.ByID(tx, list, id)
		if err != nil {
			return err
		}
		c.IsActive = false
		if err := contacts.Update(tx, c); err != nil {
			return err
		}
		return enlist.ErrNoContact
	})
	o.Refused(err, enlist.NoContact, "")
	wantDay(o, list, "a transaction that is rolled back", counts{Added: 1, Contacts: 1})
}

func daysOfADeletedList(o *apptest.Account) {
	list, other := o.AddList(), o.AddList()
	for _, l := range []enlist.ListID{list, other} {
		o.Subscribe(l, "Email", "ann@example.com")
	}
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, list))
	for done := false; !done; {
		var err error
		done, err = o.App.Contacts.RemoveContacts(o.Context(), contacts.RemoveContacts{List: list, Upto: 1 << 40, Delete: true})
		o.Must(err)
	}
	o.Must(o.Store.View(o.Context(), func(tx *db.Tx) error {
		days, err := lists.CountedDays(tx, list, 0)
		if len(days) > 0 {
			o.Errorf("a deleted List has the days %+v", days)
		}
		return err
	}))
	wantDay(o, other, "another List", counts{Added: 1, Contacts: 1})
}
