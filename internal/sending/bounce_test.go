package sending_test

import (
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file tests reports of bounces and complaints.

// covers: decision 51
func TestBouncesAndComplaints(t *testing.T) {
	apptest.Run(t, apptest.Own, newList, []apptest.Rule[*listWithOneContact]{
		{Name: "three consecutive bounces deactivate a Contact", Test: threeInARow},
		{Name: "a delivered mail resets the count of bounces", Test: oneArrived},
		{Name: "bounces of a previous address are not counted", Test: anotherAddress},
		{Name: "after a reactivation three new bounces are needed", Test: bouncesAfterReactivation},
		{Name: "a permanent refusal of the recipient is a bounce", Test: refusedAtOnce},
		{Name: "a bounce report can arrive before the record of its mail", Test: bounceBeforeSent},
		{Name: "a complaint unsubscribes a Contact once", Test: complaint},
		{Name: "a complaint about an old mail unsubscribes its address", Test: complaintOfAnOldAddress},
		{Name: "bounces count also after old texts were removed", Test: bouncesBeyondRetention},
		{Name: "reports about deleted Contacts are ignored", Test: bounceOfDeletedContact},
	})
}

func complaintOfAnOldAddress(m *listWithOneContact) {
	old := m.send()
	m.EditEmail(m.id, m.contactID, "new@example.com")
	other := m.Subscribe(m.id, "Email", "Ann@example.com")
	m.complain(old, true)
	m.status(old, messages.DeliveryComplained)
	if m.Contact(m.id, m.contactID).IsUnsubscribed || !m.Contact(m.id, other).IsUnsubscribed {
		m.Error("the complaint did not unsubscribe the Contact with the address of the mail, and only this one")
	}
	var entries int
	m.Must(m.Store.View(m.Context(), func(tx *db.Tx) error {
		entries = 0
		n, err := contacts.CountUnsubscribers(tx, &contacts.UnsubscriberSearch{Account: m.Caller.Account.ID, Lists: []enlist.ListID{m.id}})
		entries = int(n)
		return err
	}))
	if entries != 1 {
		m.Errorf("the Unsubscriber List has %d entries, want 1", entries)
	}
}

// listWithOneContact is a List with one Contact. The tests send mail to the Contact.
type listWithOneContact struct {
	*apptest.Account
	id        enlist.ListID
	contactID enlist.ContactID
}

func newList(t *testing.T, store db.Engine) *listWithOneContact {
	return newListWithOneContact(apptest.NewAccount(t, store))
}

func newListWithOneContact(o *apptest.Account) *listWithOneContact {
	m := &listWithOneContact{Account: o, id: o.AddList()}
	m.contactID = o.Subscribe(m.id, "Email", "ann@example.com")
	return m
}

// nextMail moves the clock one hour forward and returns a mail to the Contact.
func (m *listWithOneContact) nextMail() *messages.OutgoingMail {
	m.Helper()
	m.Now = m.Now.Add(time.Hour)
	l := &messages.OutgoingMail{
		Contact:  m.Contact(m.id, m.contactID),
		Delivery: enlist.DeliveryKey{List: m.id, Contact: m.contactID, Time: m.Now.Unix(), Cause: "a1"},
	}
	m.Must(m.Store.View(m.Context(), func(tx *db.Tx) (err error) {
		l.Schema, err = lists.Schema(tx, m.id)
		return err
	}))
	l.Address = l.Contact.Values.Get(l.Schema.Email().ID)
	return l
}

// send records that the mail server of the recipient accepted a mail.
func (m *listWithOneContact) send() enlist.DeliveryKey {
	m.Helper()
	l := m.nextMail()
	m.Must(m.App.Sending.RecordSent(m.Context(), []messages.Delivery{m.App.Sending.Sent(l, "Hello")}))
	return l.Delivery
}

// bounce reports a bounce and checks whether the Service treats the report as new.
func (m *listWithOneContact) bounce(k enlist.DeliveryKey, isNew bool) {
	m.Helper()
	got, err := m.App.Sending.Bounced(m.Context(), k, "5.1.1 user unknown")
	m.Must(err)
	if got != isNew {
		m.Errorf("new: %v, want %v", got, isNew)
	}
}

// complain reports a complaint and checks whether the Service treats the report as new.
func (m *listWithOneContact) complain(k enlist.DeliveryKey, isNew bool) {
	m.Helper()
	got, err := m.App.Sending.Complained(m.Context(), k, "abuse")
	m.Must(err)
	if got != isNew {
		m.Errorf("new: %v, want %v", got, isNew)
	}
}

func (m *listWithOneContact) active(want bool) {
	m.Helper()
	c := m.Contact(m.id, m.contactID)
	if c.IsActive != want || c.IsBounceDeactivated == want {
		m.Errorf("active %v, deactivated by bounces %v; want active %v", c.IsActive, c.IsBounceDeactivated, want)
	}
}

func (m *listWithOneContact) status(k enlist.DeliveryKey, want messages.DeliveryStatus) {
	m.Helper()
	m.Must(m.Store.View(m.Context(), func(tx *db.Tx) error {
		d, err := messages.LoadDelivery(tx, k)
		if err == nil && d.Status != want {
			m.Errorf("delivery %+v, want the status %s", d, want)
		}
		return err
	}))
}

// Three consecutive bounces deactivate the Contact.
func threeInARow(m *listWithOneContact) {
	first, second, third := m.send(), m.send(), m.send()
	m.bounce(third, true)
	m.bounce(first, true)
	m.bounce(first, false) // a repeated report
	m.active(true)
	m.bounce(second, true)
	m.active(false)
	m.status(first, messages.DeliveryBounced)
	if m.Contact(m.id, m.contactID).IsUnsubscribed {
		m.Error("the bounces unsubscribed the Contact, want it only deactivated")
	}
}

// If a mail does not bounce within a day, the Service treats it as delivered. This sets the
// number of consecutive bounces back to 0.
func oneArrived(m *listWithOneContact) {
	m.bounce(m.send(), true)
	m.bounce(m.send(), true)
	m.send()
	m.Now = m.Now.Add(25 * time.Hour)
	m.bounce(m.send(), true)
	m.active(true)
	m.bounce(m.send(), true)
	m.bounce(m.send(), true)
	m.active(false)
}

// Bounces of a previous address are not counted for the new address.
func anotherAddress(m *listWithOneContact) {
	m.bounce(m.send(), true)
	m.bounce(m.send(), true)
	old := m.send()
	m.Must(m.Store.Update(m.Context(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, m.id)
		if err != nil {
			return err
		}
		c, err := contacts.ByID(tx, m.id, m.contactID)
		if err != nil {
			return err
		}
		changed := *c
		changed.Key, changed.Values = "bob@example.com", changed.Values.Set(schema.Email().ID, "Bob@example.com")
		return contacts.Update(tx, &changed)
	}))
	m.bounce(old, true)
	m.bounce(m.send(), true)
	m.bounce(m.send(), true)
	m.active(true)
	m.bounce(m.send(), true)
	m.active(false)
}

// After a reactivation three new bounces are needed. Bounces of mails that were sent before the
// reactivation are not counted.
func bouncesAfterReactivation(m *listWithOneContact) {
	late := m.send()
	for range 3 {
		m.bounce(m.send(), true)
	}
	m.active(false)
	_, err := m.App.Contacts.Reactivate(m.Context(), m.Caller, m.id, m.contactID)
	m.Must(err)
	m.bounce(late, true)
	m.bounce(m.send(), true)
	m.bounce(m.send(), true)
	m.active(true)
	m.bounce(m.send(), true)
	m.active(false)
}

// If the mail server refuses the recipient permanently during delivery, the Service counts this
// refusal as a bounce. Other refusals are not counted.
func refusedAtOnce(m *listWithOneContact) {
	for _, why := range []messages.Undelivered{
		{Permanent: true, Recipient: true, Code: 550, Detail: "user unknown"},
		{Permanent: true, Code: 554, Detail: "5.7.1 blocked"},
		{Code: 451, Detail: "later"},
		{Permanent: true, Recipient: true, Code: 550, Detail: "user unknown"},
	} {
		m.Must(m.App.Sending.RecordNotSent(m.Context(), m.nextMail(), &why))
	}
	m.active(true)
	m.bounce(m.send(), true)
	m.active(false)
}

// A bounce report can arrive before the job records that the mail was sent.
func bounceBeforeSent(m *listWithOneContact) {
	l := m.nextMail()
	m.bounce(l.Delivery, true)
	m.Must(m.App.Sending.RecordSent(m.Context(), []messages.Delivery{m.App.Sending.Sent(l, "Hello")}))
	m.status(l.Delivery, messages.DeliveryBounced)
}

// A complaint unsubscribes the Contact. A repeated report of the same complaint does not
// unsubscribe it again.
func complaint(m *listWithOneContact) {
	k := m.send()
	m.complain(k, true)
	m.status(k, messages.DeliveryComplained)
	if !m.Contact(m.id, m.contactID).IsUnsubscribed {
		m.Error("the complaint did not unsubscribe the Contact")
	}
	m.Subscribe(m.id, "Email", "ann@example.com")
	m.Must(m.Store.Update(m.Context(), func(tx *db.Tx) error {
		c, err := contacts.ByID(tx, m.id, m.contactID)
		if err != nil {
			return err
		}
		again := *c
		again.IsUnsubscribed = false
		return contacts.Update(tx, &again)
	}))
	m.complain(k, false) // a repeated report
	m.bounce(k, false)
	if m.Contact(m.id, m.contactID).IsUnsubscribed {
		m.Error("a repeated report unsubscribed the Contact again")
	}
}

// Reports about unknown Contacts and deleted Lists are ignored.
func bounceOfDeletedContact(m *listWithOneContact) {
	k := m.send()
	unknownContact, unknownList := k, k
	unknownContact.Contact += 100
	unknownList.List += 100
	m.bounce(unknownContact, false)
	m.complain(unknownList, false)
	m.Must(m.App.Contacts.DeleteList(m.Context(), m.Caller, m.id))
	m.bounce(k, false)
	m.complain(k, false)
}

// bouncesBeyondRetention tests that the rule of three bounces is the same after texts were removed.
func bouncesBeyondRetention(m *listWithOneContact) {
	m.Retain(0, 30)
	month := func() {
		m.Now = m.Now.Add(31 * 24 * time.Hour)
		m.RemoveOld()
	}
	for range 2 {
		m.bounce(m.send(), true)
		month()
	}
	m.send() // arrives, and ends the row of bounces
	month()
	m.bounce(m.send(), true)
	m.active(true)
	month()
	m.bounce(m.send(), true)
	month()
	m.active(true)
	m.bounce(m.send(), true)
	m.active(false)
}
