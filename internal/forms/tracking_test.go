package forms_test

import (
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/forms"
)

// ticks sends a Form with the tick for recording to Lists that share decisions: one asks to confirm, one does not.
func ticks(o *apptest.Account) {
	o.Must(o.App.Accounts.EditAccount(o.Context(), o.Caller.Account.ID, func(a *enlist.Account) { a.SharesTracking = true }))
	confirms := o.AddList("double_opt_in_required", true, "track_opens", true, "open_policy", "ask")
	open := o.AddList("track_opens", true, "open_policy", "ask")
	first, second := newForm(o, confirms), newForm(o, open)
	tick := func(id enlist.FormID, list enlist.ListID, email string) {
		o.Helper()
		p, err := o.App.Forms.Show(o.Context(), id)
		o.Must(err)
		e := &forms.Entry{Values: map[enlist.FieldID][]string{p.Schema.Email().ID: {email}}, Title: "News", IP: "192.0.2.7", Tracking: "Count me", Version: "7"}
		_, err = o.App.Forms.Send(o.Context(), id, e)
		o.Must(err)
	}
	decided := func(list enlist.ListID, want enlist.TrackingConsent) {
		o.Helper()
		if got := find(o, list).TrackingConsent; got != want {
			o.Errorf("the Contact of the List %d has decided %s, want %s", list, got, want)
		}
	}
	tick(first, confirms, "ann@example.com")
	decided(confirms, enlist.TrackingUnknown)
	o.Subscribe(open, "Email", "ann@example.com")
	tick(second, open, "ann@example.com") // by anyone: it holds in this List only
	decided(open, enlist.TrackingGranted)
	decided(confirms, enlist.TrackingUnknown)
	ann := find(o, confirms).ID
	_, err := o.App.Contacts.DecideTracking(o.Context(), o.Caller, contacts.TrackingRequest{List: open, Contact: find(o, open).ID,
		Decision: contacts.TrackingDecision{Consent: enlist.TrackingDenied, By: contacts.Origin{Method: contacts.MethodTracking}}})
	o.Must(err)
	decided(confirms, enlist.TrackingDenied)
	tick(second, open, "ann@example.com")
	decided(open, enlist.TrackingDenied)
	tick(first, confirms, "ann@example.com")
	decided(confirms, enlist.TrackingDenied)
	_, err = o.App.Contacts.Confirm(o.Context(), o.Caller, contacts.ContactRequest{List: confirms, Contact: ann})
	o.Must(err)
	decided(confirms, enlist.TrackingDenied) // a program shows the person no text
	var row enlist.LedgerRow
	apptest.View(o.T, o.Store, func(tx *db.Tx) error {
		rows, err := contacts.LedgerRows(tx, confirms, ann, 2, 0)
		row = rows[1]
		return err
	})
	if row.Text != "Count me" || row.TextVersion != "7" || row.Method != contacts.MethodTick {
		o.Errorf("the row of the ledger is %+v", row)
	}
}
