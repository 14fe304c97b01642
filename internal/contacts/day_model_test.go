package contacts_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/messages"

	"pgregory.net/rapid"
)

// This file compares the counts of days with a recount: it reads all Contacts after each random call, and counts
// how they differ from those before.

// covers: spec listday.counts, decision 130
func TestDaysHaveTheCountsOfARecount(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "random calls have the counts of a recount of all Contacts", Test: daysAsTheModel},
	})
}

// daysAsTheModel runs random calls on a List, on random days and in random time zones.
func daysAsTheModel(o *apptest.Account) {
	rapid.Check(o.T, func(t *rapid.T) {
		o.Now = time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC) // clocks of Europe go forward two days later
		o.Caller = o.NewCaller()
		m := &dayModel{Account: o, want: make(map[int64]counts), zone: "UTC"}
		m.id = o.AddList("disallow_duplicate_contacts", rapid.Bool().Draw(t, "unique"))
		t.Repeat(map[string]func(*rapid.T){
			"subscribe": m.call(m.subscribe), "add": m.call(m.add), "import": m.call(m.importFile),
			"import others": m.call(m.importOthers), "confirm": m.call(m.confirm), "unsubscribe": m.call(m.unsubscribe),
			"resubscribe": m.call(m.resubscribe), "deactivate": m.call(m.deactivate), "edit": m.call(m.edit),
			"report": m.call(m.report), "bounce": m.call(m.bounce), "delete": m.call(m.remove), "clear": m.call(m.clear),
			"erase": m.call(m.erase), "later": m.later, "zone": m.move, "": m.check,
		})
	})
}

// dayModel is a List and the expected counts of its days.
type dayModel struct {
	*apptest.Account
	id       enlist.ListID
	zone     string
	stored   map[enlist.ContactID]seen // after the last call
	want     map[int64]counts          // Contacts is the change of the number of Contacts on the day
	isReport bool                      // the present call reports mails as spam
}

// seen is what the model sees of a Contact.
type seen struct{ active, bounced, unsubscribed, confirmed bool }

func (s seen) receiving() bool { return s.active && !s.unsubscribed }

// all reads the Contacts of the List.
func (m *dayModel) all() map[enlist.ContactID]seen {
	m.Helper()
	found := make(map[enlist.ContactID]seen)
	ids := m.All(m.id)
	apptest.View(m.T, m.Store, func(tx *db.Tx) error {
		all, err := contacts.AllByID(tx, m.id, ids)
		for i := range all {
			c := &all[i]
			found[c.ID] = seen{c.IsActive, c.IsBounceDeactivated, c.IsUnsubscribed, c.DoubleOptIn}
		}
		return err
	})
	return found
}

// call returns a call that the model counts.
func (m *dayModel) call(run func(*rapid.T) error) func(*rapid.T) {
	return func(t *rapid.T) {
		m.isReport = false
		before := m.stored
		if err := run(t); err != nil {
			t.Fatal(err)
		}
		after := m.all()
		m.stored = after
		day := enlist.DayOf(m.Now.Unix(), m.zone)
		sum := m.want[day]
		sum.Contacts += int64(len(after) - len(before))
		for id, now := range after {
			was, stored := before[id]
			m.count(&sum, was, now, stored)
		}
		for id, was := range before {
			if _, stored := after[id]; !stored && was.receiving() {
				sum.Removed++
			}
		}
		m.want[day] = sum
	}
}

// count counts the change of a Contact that is still stored.
func (m *dayModel) count(sum *counts, was, now seen, wasStored bool) {
	switch {
	case !was.receiving() && now.receiving():
		sum.Added++
	case was.receiving() == now.receiving():
		if wasStored && !was.confirmed && now.confirmed {
			sum.Confirmed++
		}
	case now.unsubscribed && m.isReport:
		sum.Complained++
	case now.unsubscribed:
		sum.Left++
	case now.bounced:
		sum.Bounced++
	default:
		sum.Removed++
	}
}

// check compares the days with the expected ones, and the sums of all days with all Contacts.
func (m *dayModel) check(t *rapid.T) {
	all := m.stored
	var receiving, contacts int64
	for _, s := range all {
		if s.receiving() {
			receiving++
		}
	}
	want := make(map[string]counts)
	for _, day := range slices.Sorted(maps.Keys(m.want)) {
		n := m.want[day]
		contacts += n.Contacts
		receiving -= n.Added - n.Left - n.Bounced - n.Complained - n.Removed
		n.Contacts = contacts
		if n != (counts{Contacts: contacts}) {
			want[fmt.Sprintf("%d-%02d-%02d", day/10_000, day/100%100, day%100)] = n
		}
	}
	// A change of the zone can make today earlier than a day that was counted.
	days, err := m.App.Lists.ListDays(m.Context(), m.Caller, m.id, "2026-01-01", "")
	if err != nil {
		t.Fatal(err)
	}
	today := enlist.Today(m.Now, m.zone)
	maps.DeleteFunc(want, func(day string, _ counts) bool { return day > today })
	got := make(map[string]counts)
	for i := range days {
		if n := countsOf(&days[i]); n != (counts{Contacts: n.Contacts}) {
			got[days[i].Day.Format(time.DateOnly)] = n
		}
	}
	if !maps.Equal(got, want) || receiving != 0 || contacts != int64(len(all)) {
		t.Fatalf("the days are %v, want %v; of the Contacts that can get mail %d are not in the sum; %d of %d Contacts",
			got, want, receiving, contacts, len(all))
	}
}

func (m *dayModel) later(t *rapid.T) {
	m.Now = m.Now.Add(time.Duration(rapid.IntRange(1, 30).Draw(t, "hours")) * time.Hour)
}

func (m *dayModel) move(t *rapid.T) {
	m.zone = rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "Pacific/Auckland", "America/New_York"}).Draw(t, "zone")
	if err := m.App.Accounts.SetTimeZone(m.Context(), m.Caller.Account.ID, m.zone); err != nil {
		t.Fatal(err)
	}
}

func email(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a@example.com", "b@example.com", "c@example.com", "d@example.com"}).Draw(t, "email")
}

// one draws a Contact of the List, or an unknown one.
func (m *dayModel) one(t *rapid.T) enlist.ContactID {
	return rapid.SampledFrom(append(slices.Sorted(maps.Keys(m.stored)), 1<<40)).Draw(t, "Contact")
}

// ignore returns nil if the Contact does not exist.
func ignore[T any](_ T, err error) error { return enlist.IgnoreKind(enlist.NoContact, err) }

func (m *dayModel) subscribe(t *rapid.T) error {
	return ignore(m.App.Contacts.Subscribe(m.Context(), m.Caller,
		contacts.SubscribeRequest{List: m.id, Details: apptest.Details("Email", email(t))}))
}

func (m *dayModel) add(t *rapid.T) error {
	return ignore(m.App.Contacts.AddContacts(m.Context(), m.Caller, contacts.AddRequest{List: m.id,
		Overwrite: rapid.Bool().Draw(t, "overwrite"), Contacts: [][]enlist.Detail{apptest.Details("Email", email(t)),
			apptest.Details("Email", email(t)), apptest.Details("Email", email(t))}}))
}

func (m *dayModel) importFile(t *rapid.T) error {
	file := "Email,is_active,is_bounce_deactivated,is_unsubscribed,confirmed_time\n"
	bit := rapid.IntRange(0, 1)
	for range 3 {
		file += fmt.Sprintf("%s,%d,%d,%d,%s\n", email(t), bit.Draw(t, "active"), bit.Draw(t, "bounced"),
			bit.Draw(t, "unsubscribed"), strings.Repeat("1000000000", bit.Draw(t, "confirmed")))
	}
	m.ImportFile(m.id, file, func(o *imports.ImportOptions) {
		o.Existing, o.Skip = imports.ExistingOverwrite, imports.SkipNoAddress
	})
	return nil
}

func (m *dayModel) importOthers(t *rapid.T) error {
	as := rapid.SampledFrom([]string{imports.AsUnsubscribers, imports.AsComplained, imports.AsBounced}).Draw(t, "as")
	m.isReport = as == imports.AsComplained
	m.ImportFile(m.id, "Email\n"+email(t)+"\n"+email(t)+"\n", func(o *imports.ImportOptions) { o.As = as })
	return nil
}

func (m *dayModel) confirm(t *rapid.T) error {
	return ignore(m.App.Contacts.Confirm(m.Context(), m.Caller, contacts.ContactRequest{List: m.id, Contact: m.one(t)}))
}

func (m *dayModel) unsubscribe(t *rapid.T) error {
	if rapid.Bool().Draw(t, "by address") {
		return ignore(m.App.Contacts.Unsubscribe(m.Context(), m.Caller,
			contacts.UnsubscribeRequest{List: m.id, Address: email(t)}))
	}
	return ignore(m.App.Contacts.UnsubscribeByID(m.Context(), m.Caller,
		contacts.ContactRequest{List: m.id, Contact: m.one(t)}))
}

func (m *dayModel) resubscribe(t *rapid.T) error {
	return ignore(m.App.Contacts.Resubscribe(m.Context(), m.Caller,
		contacts.ResubscribeRequest{List: m.id, Contact: m.one(t)}))
}

func (m *dayModel) deactivate(t *rapid.T) error {
	if rapid.Bool().Draw(t, "reactivate") {
		return ignore(m.App.Contacts.Reactivate(m.Context(), m.Caller, m.id, m.one(t)))
	}
	return ignore(m.App.Contacts.Deactivate(m.Context(), m.Caller, m.id, m.one(t)))
}

// edit changes an address, which also takes back the confirmation.
func (m *dayModel) edit(t *rapid.T) error {
	_, err := m.App.Contacts.EditContacts(m.Context(), m.Caller, contacts.EditRequest{List: m.id,
		Contacts: []contacts.EditRow{{ID: m.one(t), Details: apptest.Details("Email", email(t))}}})
	return enlist.IgnoreKind(enlist.NothingUpdated, err)
}

func (m *dayModel) report(t *rapid.T) error {
	m.isReport = true
	return ignore(m.App.Sending.Complained(m.Context(), m.mail(t), "abuse"))
}

// bounce reports three bounces, which deactivate a Contact.
func (m *dayModel) bounce(t *rapid.T) (err error) {
	k := m.mail(t)
	for i := range int64(3) {
		if err == nil {
			k.Time += i
			_, err = m.App.Sending.Bounced(m.Context(), k, "550 unknown")
		}
	}
	return err
}

func (m *dayModel) mail(t *rapid.T) enlist.DeliveryKey {
	return enlist.DeliveryKey{List: m.id, Contact: m.one(t), Time: m.Now.Unix(), Cause: messages.CauseConfirmation}
}

func (m *dayModel) remove(t *rapid.T) error {
	r := contacts.DeleteRequest{List: m.id, Contacts: []enlist.ContactID{m.one(t), m.one(t)}}
	if rapid.Bool().Draw(t, "by criteria") {
		r = contacts.DeleteRequest{List: m.id, Query: enlist.Query{Criteria: apptest.Criterion("Email", "exactly", email(t))}}
	}
	return ignore(m.App.Contacts.DeleteContacts(m.Context(), m.Caller, r))
}

func (m *dayModel) clear(*rapid.T) error {
	return m.App.Contacts.ClearList(m.Context(), m.Caller, m.id)
}

func (m *dayModel) erase(t *rapid.T) error {
	// An erased address gets no entry of the Unsubscriber List any more, so erase an address that other calls seldom use.
	return ignore(m.App.Privacy.ErasePerson(m.Context(), m.Caller, "d@example.com"))
}
