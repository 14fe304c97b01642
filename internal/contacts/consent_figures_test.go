package contacts_test

import (
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file tests what the pages need and the API does not have: figures of consent, and the end of an entry of the
// Unsubscriber List.

func TestConsentOfPages(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a consent in the ledger counts as provable, for Contacts that can get mail", Test: consentFigures},
		{Name: "an address is taken off the Unsubscriber List only for the whole Account, with a row of the audit log",
			Test: removeUnsubscriber},
	})
}

func consentFigures(o *apptest.Account) {
	list := o.AddList()
	subscribe := func(email string, consent contacts.Consent) enlist.ContactID {
		o.Helper()
		id, err := o.App.Contacts.Subscribe(o.Context(), o.Caller, contacts.SubscribeRequest{List: list,
			Details: apptest.Details("Email", email), Consent: consent})
		o.Must(err)
		return id
	}
	subscribe("a@x.io", contacts.Consent{Type: enlist.ConsentGDPR, Text: "I agree"})
	direct := subscribe("b@x.io", contacts.Consent{Type: contacts.ConsentDirect})
	subscribe("c@x.io", contacts.Consent{})
	subscribe("d@x.io", contacts.Consent{Type: contacts.ConsentDirect})
	_, err := o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: list, Address: "d@x.io"})
	o.Must(err)
	got, err := o.App.Contacts.ConsentFigures(o.Context(), o.Caller, list)
	if want := (contacts.ConsentFigures{Receiving: 3, Provable: 2}); err != nil || got != want {
		o.Errorf("the figures are %+v, %v; want %+v", got, err, want)
	}
	_, err = o.App.Lists.EditList(o.Context(), o.Caller, list, apptest.Details("double_opt_in_required", true))
	o.Must(err)
	got, err = o.App.Contacts.ConsentFigures(o.Context(), o.Caller, list)
	if want := (contacts.ConsentFigures{Unconfirmed: 3}); err != nil || got != want {
		o.Errorf("the figures of a List with double opt-in are %+v, %v; want %+v", got, err, want)
	}
	_, err = o.App.Contacts.Confirm(o.Context(), o.Caller, contacts.ContactRequest{List: list, Contact: direct})
	o.Must(err)
	got, err = o.App.Contacts.ConsentFigures(o.Context(), o.Caller, list)
	if want := (contacts.ConsentFigures{Receiving: 1, Confirmed: 1, Provable: 1, Unconfirmed: 2}); err != nil || got != want {
		o.Errorf("the figures with one confirmed Contact are %+v, %v; want %+v", got, err, want)
	}
	_, err = o.App.Contacts.ConsentFigures(o.Context(), o.NewCaller(), list)
	o.Refused(err, enlist.NoList, "")
}

func removeUnsubscriber(o *apptest.Account) {
	list := o.AddList()
	o.Subscribe(list, "Email", "Ann@x.io")
	for _, l := range []enlist.ListID{list, 0} {
		_, err := o.App.Contacts.Unsubscribe(o.Context(), o.Caller, contacts.UnsubscribeRequest{List: l, Address: "ann@x.io"})
		o.Must(err)
	}
	for _, c := range []*enlist.Caller{o.NewCaller(), o.Restricted(list)} {
		if _, err := o.App.Contacts.RemoveUnsubscriber(o.Context(), c, list, "ann@x.io"); err == nil {
			o.Error("another caller removes the entry")
		}
	}
	n, err := o.App.Contacts.RemoveUnsubscriber(o.Context(), o.Caller, 0, "ann@x.io")
	o.Must(err)
	left, err := o.App.Contacts.CountUnsubscribers(o.Context(), o.Caller, 0, nil)
	o.Must(err)
	if n != 1 || left != 1 {
		o.Errorf("%d entries are removed and %d left, want 1 and 1", n, left)
	}
	_, err = o.App.Contacts.RemoveUnsubscriber(o.Context(), o.Caller, 0, "ann@x.io")
	o.Refused(err, enlist.InvalidParameters, "")
	_, err = o.App.Contacts.RemoveUnsubscriber(o.Context(), o.Caller, 0, contacts.ErasedPrefix+"x")
	o.Refused(err, enlist.InvalidParameters, "erased")
	rows := o.AuditLog(o.Caller.Account.ID)
	if last := rows[0]; last.Object != "Unsubscriber" || last.Before != `{"address":"ann@x.io","entries":1}` {
		o.Errorf("the last row of the audit log is %+v", last)
	}
}
