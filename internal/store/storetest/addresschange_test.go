package storetest

import (
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file tests what a change of a Contact's address does to its confirmation and to the mails that
// went to the earlier address.

// addressChanges tests changes of an address by editContacts. reference.md: event.confirm; decisions.md: 48, 51
func addressChanges(t *testing.T, e Engine) {
	runRules(t, e.Open, []accountRule{
		{"a changed address is asked to confirm, and the link to the earlier address confirms nothing", changedAddressIsAsked},
		{"an address that was asked in the last ten minutes is not asked again", addressIsAskedOnce},
		{"a change of letter case keeps the confirmation", changedCaseKeepsConfirmation},
		{"a changed address is not confirmed, also on a List without double opt-in", changedAddressIsNotConfirmed},
		{"a complaint about an old mail unsubscribes its address", complaintOfAnOldAddress},
	})
}

// editEmail changes the email address of a Contact.
func (o *accountFixture) editEmail(list enlist.ListID, id enlist.ContactID, email string) {
	o.Helper()
	_, err := o.service.Contacts.EditContacts(o.Context(), o.caller, contacts.EditRequest{List: list,
		Contacts: []contacts.EditRow{{ID: id, Details: details("Email", email)}}})
	o.must(err)
}

// ask prepares the request to confirm of an event and checks its address. It records that the mail was
// sent. An address of "" means that no mail must be sent.
func (o *accountFixture) ask(list enlist.ListID, id enlist.ContactID, at int64, to string) enlist.DeliveryKey {
	o.Helper()
	m, err := o.service.Messages.ConfirmationMail(o.Context(), events.RequestConfirmation{List: list, Contact: id, Time: at})
	o.must(err)
	switch {
	case m == nil && to == "":
		return enlist.DeliveryKey{}
	case m == nil || m.Address != to:
		o.Fatalf("the request to confirm is %+v, want one to %q", m, to)
	}
	o.must(o.service.Sending.RecordSent(o.Context(), []messages.Delivery{o.service.Sending.Sent(m, "Please confirm")}))
	return m.Delivery
}

// confirm follows a link to confirm and checks the state after that.
func (o *accountFixture) confirm(d enlist.DeliveryKey, want sending.Confirmation) {
	o.Helper()
	v, err := o.service.Sending.ConfirmByLink(o.Context(), d, "")
	o.must(err)
	if got := v.Confirmation(); got != want {
		o.Errorf("the state of the confirmation is %d, want %d", got, want)
	}
}

func (o *accountFixture) confirmed(list enlist.ListID, id enlist.ContactID, want bool) {
	o.Helper()
	if c := o.contact(list, id); c.DoubleOptIn != want || (c.DoubleOptInTime > 0) != want {
		o.Errorf("double_opt_in is %v at %d, want %v", c.DoubleOptIn, c.DoubleOptInTime, want)
	}
}

// All events of this test have the same second.
func changedAddressIsAsked(o *accountFixture) {
	list, now := o.addList("double_opt_in_required", true), o.now.Unix()
	id := o.subscribe(list, "Email", "ann@example.com")
	first := o.ask(list, id, now, "ann@example.com")
	o.confirm(first, sending.ConfirmationDone)
	o.confirmed(list, id, true)

	o.editEmail(list, id, "bob@example.com")
	o.confirmed(list, id, false)
	o.confirm(first, sending.ConfirmationMoved)
	o.confirmed(list, id, false)
	second := o.ask(list, id, now+1, "bob@example.com")
	o.confirm(second, sending.ConfirmationDone)
	o.confirmed(list, id, true)
}

func addressIsAskedOnce(o *accountFixture) {
	list, now := o.addList("double_opt_in_required", true), o.now.Unix()
	id := o.subscribe(list, "Email", "ann@example.com")
	first := o.ask(list, id, now, "ann@example.com")
	o.editEmail(list, id, "bob@example.com")
	o.ask(list, id, now+1, "bob@example.com")
	o.editEmail(list, id, "ann@example.com")
	o.ask(list, id, now+2, "")
	o.ask(list, id, now+599, "")
	o.confirm(first, sending.ConfirmationDone) // the earlier link is still valid
	o.confirmed(list, id, true)
	o.editEmail(list, id, "bob@example.com")
	o.ask(list, id, now+601, "bob@example.com")
}

func changedCaseKeepsConfirmation(o *accountFixture) {
	list := o.addList("double_opt_in_required", true)
	id := o.subscribe(list, "Email", "ann@example.com")
	o.confirm(o.ask(list, id, o.now.Unix(), "ann@example.com"), sending.ConfirmationDone)
	o.editEmail(list, id, "Ann@EXAMPLE.com")
	o.confirmed(list, id, true)
}

func changedAddressIsNotConfirmed(o *accountFixture) {
	list := o.addList()
	id := o.subscribe(list, "Email", "ann@example.com")
	_, err := o.service.Contacts.Confirm(o.Context(), o.caller, contacts.ContactRequest{List: list, Contact: id})
	o.must(err)
	o.confirmed(list, id, true)
	o.editEmail(list, id, "bob@example.com")
	o.confirmed(list, id, false)
}

func complaintOfAnOldAddress(o *accountFixture) {
	m := newListWithOneContact(o)
	old := m.send()
	o.editEmail(m.id, m.contactID, "new@example.com")
	other := o.subscribe(m.id, "Email", "Ann@example.com")
	m.complain(old, true)
	m.status(old, messages.DeliveryComplained)
	if o.contact(m.id, m.contactID).IsUnsubscribed || !o.contact(m.id, other).IsUnsubscribed {
		o.Error("the complaint did not unsubscribe the Contact with the address of the mail, and only this one")
	}
	var entries int
	o.must(o.store.View(o.Context(), func(tx *db.Tx) error {
		entries = 0
		n, err := contacts.CountUnsubscribers(tx, &contacts.UnsubscriberSearch{Account: o.caller.Account.ID, Lists: onlyList(m.id)})
		entries = int(n)
		return err
	}))
	if entries != 1 {
		o.Errorf("the Unsubscriber List has %d entries, want 1", entries)
	}
}
