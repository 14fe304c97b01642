package sending_test

import (
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
)

// This file tests the reader that compares every mail of the tests with the consent of its recipient.

// covers: decision 162
func TestSentMailsAreComparedWithTheConsent(t *testing.T) { dbtest.EachParallel(t, comparesSentMails) }

// comparesSentMails sends mails to three people: the first has agreed, the second has refused, and the third has not decided. When the
// first two change their minds, the reader calls their mails wrong.
func comparesSentMails(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	_, err := p.service.Lists.EditList(t.Context(), p.caller, p.list,
		apptest.Details("track_opens", true, "track_clicks", true, "open_policy", "ask", "click_policy", "ask"))
	p.must(err)
	ids := []enlist.ContactID{p.subscribe("a0@example.com"), p.subscribe("a1@example.com"), p.subscribe("a2@example.com")}
	decide := func(id enlist.ContactID, consent enlist.TrackingConsent) {
		_, err := p.service.Contacts.DecideTracking(t.Context(), p.caller, contacts.TrackingRequest{List: p.list, Contact: id,
			Decision: contacts.TrackingDecision{Consent: consent}})
		p.must(err)
	}
	decide(ids[0], enlist.TrackingGranted)
	decide(ids[1], enlist.TrackingDenied)
	p.startSender()
	p.untilStatus(p.send(batches.BatchRequest{}), batches.BatchCompleted)
	decide(ids[0], enlist.TrackingDenied)
	decide(ids[1], enlist.TrackingGranted)
	mails := p.server.Messages()
	if len(mails) != 3 {
		t.Fatalf("%d mails arrived, want 3", len(mails))
	}
	for _, m := range mails {
		data, isFirst := string(m.Data), m.To[0] == "a0@example.com"
		if has := strings.Contains(data, "/o/") && strings.Contains(data, "/k/"); has != isFirst {
			t.Errorf("the mail to %v has traces: %t", m.To, has)
		}
		if wrong := apptest.WrongTraces(t.Context(), p.store, data); (wrong != "") != (m.To[0] != "a2@example.com") {
			t.Errorf("after the decisions the mail to %v is wrong: %q", m.To, wrong)
		}
	}
}
