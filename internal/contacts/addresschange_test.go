package contacts_test

import (
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file tests what a change of a Contact's address does to its confirmation and to the mails that
// went to the earlier address.

// covers: spec event.confirm
func TestChangedAddresses(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a changed address is asked to confirm, and the link to the earlier address confirms nothing", Test: changedAddressIsAsked},
		{Name: "an address that was asked in the last ten minutes is not asked again", Test: addressIsAskedOnce},
		{Name: "a change of letter case keeps the confirmation", Test: changedCaseKeepsConfirmation},
		{Name: "a changed address is not confirmed, also on a List without double opt-in", Test: changedAddressIsNotConfirmed},
	})
}

// ask prepares the request to confirm of an event and checks its address. It records that the mail was
// sent. An address of "" means that no mail must be sent.
func ask(o *apptest.Account, list enlist.ListID, id enlist.ContactID, at int64, to string) enlist.DeliveryKey {
	o.Helper()
	m, err := o.App.Messages.ConfirmationMail(o.Context(), contacts.RequestConfirmation{List: list, Contact: id, Time: at})
	o.Must(err)
	switch {
	case m == nil && to == "":
		return enlist.DeliveryKey{}
	case m == nil || m.Address != to:
		o.Fatalf("the request to confirm is %+v, want one to %q", m, to)
	}
	o.Must(o.App.Sending.RecordSent(o.Context(), []messages.Delivery{o.App.Sending.Sent(m, "Please confirm")}))
	return m.Delivery
}

// confirm follows a link to confirm and checks the state after that.
func confirm(o *apptest.Account, d enlist.DeliveryKey, want sending.Confirmation) {
	o.Helper()
	v, err := o.App.Sending.ConfirmByLink(o.Context(), d, "", nil)
	o.Must(err)
	if got := v.Confirmation(); got != want {
		o.Errorf("the state of the confirmation is %d, want %d", got, want)
	}
}

func confirmed(o *apptest.Account, list enlist.ListID, id enlist.ContactID, want bool) {
	o.Helper()
	if c := o.Contact(list, id); c.DoubleOptIn != want || (c.DoubleOptInTime > 0) != want {
		o.Errorf("double_opt_in is %v at %d, want %v", c.DoubleOptIn, c.DoubleOptInTime, want)
	}
}

// All events of this test have the same second.
func changedAddressIsAsked(o *apptest.Account) {
	list, now := o.AddList("double_opt_in_required", true), o.Now.Unix()
	id := o.Subscribe(list, "Email", "ann@example.com")
	first := ask(o, list, id, now, "ann@example.com")
	confirm(o, first, sending.ConfirmationDone)
	confirmed(o, list, id, true)

	o.EditEmail(list, id, "bob@example.com")
	confirmed(o, list, id, false)
	confirm(o, first, sending.ConfirmationMoved)
	confirmed(o, list, id, false)
	second := ask(o, list, id, now+1, "bob@example.com")
	confirm(o, second, sending.ConfirmationDone)
	confirmed(o, list, id, true)
}

func addressIsAskedOnce(o *apptest.Account) {
	list, now := o.AddList("double_opt_in_required", true), o.Now.Unix()
	id := o.Subscribe(list, "Email", "ann@example.com")
	first := ask(o, list, id, now, "ann@example.com")
	o.EditEmail(list, id, "bob@example.com")
	ask(o, list, id, now+1, "bob@example.com")
	o.EditEmail(list, id, "ann@example.com")
	ask(o, list, id, now+2, "")
	ask(o, list, id, now+599, "")
	confirm(o, first, sending.ConfirmationDone) // the earlier link is still valid
	confirmed(o, list, id, true)
	o.EditEmail(list, id, "bob@example.com")
	ask(o, list, id, now+601, "bob@example.com")
}

func changedCaseKeepsConfirmation(o *apptest.Account) {
	list := o.AddList("double_opt_in_required", true)
	id := o.Subscribe(list, "Email", "ann@example.com")
	confirm(o, ask(o, list, id, o.Now.Unix(), "ann@example.com"), sending.ConfirmationDone)
	o.EditEmail(list, id, "Ann@EXAMPLE.com")
	confirmed(o, list, id, true)
}

func changedAddressIsNotConfirmed(o *apptest.Account) {
	list := o.AddList()
	id := o.Subscribe(list, "Email", "ann@example.com")
	_, err := o.App.Contacts.Confirm(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: id})
	o.Must(err)
	confirmed(o, list, id, true)
	o.EditEmail(list, id, "bob@example.com")
	confirmed(o, list, id, false)
}
