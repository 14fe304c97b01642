package contacts_test

import (
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file tests for which Contacts a decision about the recording of opens and clicks holds.
//
// covers: spec contact.tracking-address, decision 155
func TestDecisionsAboutRecording(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a decision for all Lists holds in each, also for Contacts that come later", Test: sharedDecision},
		{Name: "a Form decides only for an address without a decision", Test: decisionByForm},
		{Name: "the ledger of an erased person keeps the decision and its version, without text and IP address", Test: erasedDecision},
		{Name: "a decision with the same time as a Contact's last change leaves that change", Test: inheritedModified},
	})
}

// share makes decisions hold for all Lists of the Account.
func share(o *apptest.Account) {
	o.Helper()
	o.Must(o.App.Accounts.EditAccount(o.Context(), o.Caller.Account.ID, func(a *enlist.Account) { a.SharesTracking = true }))
}

// decidedIn checks the decision of the Contacts of Lists, and the method of the newest row of their ledgers with one.
func decidedIn(o *apptest.Account, want enlist.TrackingConsent, method string, in ...enlist.ListID) {
	o.Helper()
	for _, list := range in {
		for _, id := range o.All(list) {
			rows := ledgerOf(o, list, id)
			got := enlist.LedgerRow{}
			for i := range rows {
				if got.Tracking == enlist.TrackingUnknown {
					got = rows[i]
				}
			}
			if c := o.Contact(list, id); c.TrackingConsent != want || got.Tracking != want ||
				want != enlist.TrackingUnknown && got.Method != method {
				o.Errorf("the Contact %d of List %d has %s, and its ledger %s by %s; want %s by %s", id, list, c.TrackingConsent,
					got.Tracking, got.Method, want, method)
			}
		}
	}
}

func sharedDecision(o *apptest.Account) {
	share(o)
	first, second, later, added, imported, other := o.AddList(), o.AddList(), o.AddList(), o.AddList(), o.AddList(), o.AddList()
	o.Subscribe(second, "Email", "ann@example.com")
	o.Subscribe(other, "Email", "bob@example.com")
	reader := o.All(second)[0]
	o.Update(func(tx *db.Tx) error { return contacts.RaiseTimes(tx, second, reader, 0, o.Now.Unix(), 0) })
	o.Subscribe(first, "Email", "Ann@Example.com", "tracking_consent", "denied", "tracking_text", "We count opens.")
	decidedIn(o, enlist.TrackingDenied, "subscribeContact", first, second)
	o.Subscribe(later, "Email", "ann@example.com")
	_, err := o.App.Contacts.AddContacts(o.Context(), o.Caller, contacts.AddRequest{List: added,
		Contacts: [][]enlist.Detail{apptest.Details("Email", "ann@example.com")}})
	o.Must(err)
	o.ImportFile(imported, "Email,tracking_consent\nann@example.com,granted\n", func(*imports.ImportOptions) {})
	decidedIn(o, enlist.TrackingDenied, contacts.MethodSameAddress, later, added, imported)
	decidedIn(o, enlist.TrackingUnknown, "", other)
	if n := o.Jobs("forget_tracking"); n != 1 {
		o.Errorf("%d jobs remove what was recorded, want one for the Contact that had opened a mail", n)
	}
	o.Now = o.Now.Add(time.Minute)
	_, err = o.App.Contacts.EditContacts(o.Context(), o.Caller, contacts.EditRequest{List: later,
		Contacts: []contacts.EditRow{{ID: o.All(later)[0], Details: apptest.Details("tracking_consent", "granted")}}})
	o.Must(err)
	decidedIn(o, enlist.TrackingDenied, "subscribeContact", first, second) // a record that is sent back says nothing
	_, err = o.App.Contacts.EditContacts(o.Context(), o.Caller, contacts.EditRequest{List: later,
		Contacts: []contacts.EditRow{{ID: o.All(later)[0], Details: apptest.Details("tracking_consent", "granted", "tracking_text", "Count mine.")}}})
	o.Must(err)
	decidedIn(o, enlist.TrackingGranted, "editContacts", first, second, later, added, imported)
}

func decisionByForm(o *apptest.Account) {
	share(o)
	list, another := o.AddList(), o.AddList()
	byForm := func(list enlist.ListID, email string) {
		o.Helper()
		form, err := o.App.Forms.SetForm(o.Context(), o.Caller, list, 0, apptest.Details("name", "Form"))
		o.Must(err)
		_, err = o.App.Contacts.Subscribe(o.Context(), o.Caller, contacts.SubscribeRequest{List: list, Form: form,
			Details: apptest.Details("Email", email),
			Ticked: &contacts.TrackingDecision{Consent: enlist.TrackingGranted,
				By: contacts.Origin{Method: contacts.MethodForm, Text: "Count mine."}}})
		o.Must(err)
	}
	o.Subscribe(list, "Email", "ann@example.com", "tracking_consent", "denied")
	byForm(list, "ann@example.com")
	decidedIn(o, enlist.TrackingDenied, "subscribeContact", list)
	byForm(another, "ann@example.com")
	decidedIn(o, enlist.TrackingDenied, contacts.MethodSameAddress, another)
	fresh := o.AddList()
	byForm(fresh, "new@example.com")
	decidedIn(o, enlist.TrackingGranted, contacts.MethodForm, fresh)
	next := o.AddList()
	o.Subscribe(next, "Email", "new@example.com")
	decidedIn(o, enlist.TrackingUnknown, "", next) // anyone can tick a Form
}

func inheritedModified(o *apptest.Account) {
	share(o)
	first, second := o.AddList(), o.AddList()
	o.Subscribe(first, "Email", "ann@example.com", "tracking_consent", "granted")
	at := o.Now.Unix()
	o.Now = o.Now.Add(time.Hour)
	id := o.Subscribe(second, "Email", "ann@example.com")
	if c := o.Contact(second, id); c.TrackingTime != at || c.Modified != o.Now.Unix() {
		o.Errorf("the Contact has decided at %d and was changed at %d, want %d and %d", c.TrackingTime, c.Modified, at, o.Now.Unix())
	}
}

func erasedDecision(o *apptest.Account) {
	list := o.AddList()
	id := o.Subscribe(list, "Email", "ann@example.com", "tracking_consent", "denied", "tracking_text", "Ann told us.", "tracking_text_version", "v3")
	_, err := o.App.Privacy.ErasePerson(o.Context(), o.Caller, "ann@example.com")
	o.Must(err)
	for _, r := range ledgerOf(o, list, id) {
		if r.Tracking != enlist.TrackingUnknown && (r.Tracking != enlist.TrackingDenied || r.TextVersion != "v3" || r.Text != "" || r.IP != "") {
			o.Errorf("the ledger has %+v", r)
		}
	}
	if got := ledgerOf(o, list, id); len(got) != 3 {
		o.Errorf("the ledger has %d rows, want the consent, the decision and the erasure", len(got))
	}
}

// ledgerOf returns the ledger of a Contact, newest first.
func ledgerOf(o *apptest.Account, list enlist.ListID, id enlist.ContactID) (rows []enlist.LedgerRow) {
	o.Helper()
	apptest.View(o.T, o.Store, func(tx *db.Tx) (err error) {
		rows, err = contacts.LedgerRows(tx, list, id, 0, 0)
		return err
	})
	return rows
}
