package contacts

import (
	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file shows and changes what a person has decided about the counting of opens and clicks.

// trackingText says in a sentence what the person has decided, and what that means in the List.
func trackingText(r *ui.Request, p *contacts.OfPerson) string {
	c, s := &p.Contact, p.Schema
	key := "contacts.tracking_unknown"
	switch c.TrackingConsent {
	case enlist.TrackingGranted:
		key = "contacts.tracking_granted"
	case enlist.TrackingDenied:
		key = "contacts.tracking_denied"
	}
	what := "contacts.tracked_neither"
	switch opens, clicks := s.TracksOpens(c.TrackingConsent), s.TracksClicks(c.TrackingConsent); {
	case opens && clicks:
		what = "contacts.tracked_both"
	case opens:
		what = "contacts.tracked_opens"
	case clicks:
		what = "contacts.tracked_clicks"
	}
	return r.Text(key, "time", r.Date(c.TrackingTime), "what", r.Text(what))
}

// trackingForm returns the form of a decision that the person has told the user.
func trackingForm(r *ui.Request) ui.Form {
	return ui.Form{{Name: "tracking_consent", Label: r.Text("contacts.tracking_decision"), Kind: ui.InputChoice,
		Options: ui.Choices(enlist.TrackingDenied.String(), r.Text("contacts.tracking_refuses"),
			enlist.TrackingGranted.String(), r.Text("contacts.tracking_agrees"))},
		{Name: "tracking_text", Label: r.Text("contacts.tracking_text"), Kind: ui.InputArea, Rows: 2,
			Most: contacts.MaxConsentText, Also: []string{"text"}}}
}

// decideTracking stores a decision. An agreement needs the words in which the person gave it.
func (p *pages) decideTracking(r *ui.Request) (*ui.View, error) {
	list, id := enlist.ListID(ui.Int(r.FormValue("list"))), enlist.ContactID(ui.Int(r.FormValue("contact")))
	f := trackingForm(r)
	f.Read(r)
	d := contacts.TrackingDecision{Consent: enlist.TrackingDenied,
		By: contacts.Origin{Method: contacts.MethodUser, Text: f.Value("tracking_text")}}
	if f.Value("tracking_consent") == enlist.TrackingGranted.String() {
		d.Consent = enlist.TrackingGranted
	}
	switch {
	case d.Consent == enlist.TrackingGranted && d.By.Text == "":
		f.Refused("tracking_text", r.Text("contacts.write_how_asked"))
	case len([]rune(d.By.Text)) > contacts.MaxConsentText:
		f.Refused("tracking_text", r.Text("contacts.too_long", "n", contacts.MaxConsentText))
	}
	if f.IsWrong() {
		return p.showPerson(r, refusedForms{contact: id, tracking: f})
	}
	if _, err := r.App.Contacts.DecideTracking(r.Context(), r.Caller, contacts.TrackingRequest{List: list, Contact: id,
		Decision: d}); err != nil {
		return nil, err
	}
	return ui.GoTo(personPath(list, id), r.Text("contacts.tracking_stored")), nil
}
