package reports_test

import (
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file tests what a refusal removes of the opens and clicks of a person.
//
// covers: decision 161
func TestRefusedRecordingIsRemoved(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(6), []apptest.Rule[*apptest.SentBatch]{
		{Name: "what was recorded since a refusal is removed, and on request all of it, but not the sums", Test: forgottenAccesses},
		{Name: "a refusal that arrives twice has one job", Test: refusedTwice},
	})
}

// decideTracking stores a decision of a Contact.
func decideTracking(f *apptest.SentBatch, contact enlist.ContactID, consent enlist.TrackingConsent, forget bool) {
	f.Helper()
	_, err := f.App.Contacts.DecideTracking(f.Context(), f.Caller, contacts.TrackingRequest{List: f.News, Contact: contact,
		Decision: contacts.TrackingDecision{Consent: consent, Forget: forget, By: contacts.Origin{Method: contacts.MethodUser}}})
	f.Must(err)
}

func forgottenAccesses(f *apptest.SentBatch) {
	addMailWebhooks(f)
	reader, first := f.Contacts[0], f.Now.Unix()
	forget := func(since int64) {
		f.Helper()
		for range 2 { // a job can run twice
			f.Must(f.App.Batches.ForgetTracking(f.Context(), db.Job{}, contacts.ForgetTracking{List: f.News, Contact: reader, Since: since}))
		}
	}
	want := func(opened, clicked int64, webhooks int, events ...recipients.Event) {
		f.Helper()
		for i := range events {
			e := &events[i]
			e.List, e.Batch, e.Contact = f.News, f.ID, reader
		}
		var got []recipients.Event
		apptest.View(f.T, f.Store, func(tx *db.Tx) (err error) {
			got, err = recipients.Events(tx, f.News, f.ID, reader)
			return err
		})
		for i := range got {
			got[i].Device, got[i].Client = "", ""
		}
		apptest.Same(f.T, "events", got, events)
		if c := f.Contact(f.News, reader); c.LastOpenTime != opened || c.LastClickTime != clicked {
			f.Errorf("the Contact opened at %d and clicked at %d, want %d and %d", c.LastOpenTime, c.LastClickTime, opened, clicked)
		}
		if n := len(webhookEvents(f)); n != webhooks {
			f.Errorf("%d events wait for webhooks, want %d", n, webhooks)
		}
	}
	f.Click(reader, f.Links[0], apptest.ScannerAgent)
	f.Click(f.Contacts[1], f.Links[0], apptest.PersonAgent)
	f.Pass(time.Minute)
	refused := f.Now.Unix()
	f.Open(reader, apptest.PersonAgent)
	f.Click(reader, f.Links[0], apptest.PersonAgent)
	f.Click(reader, f.Links[1], apptest.PersonAgent)
	sums := f.Report().Sums
	decideTracking(f, reader, enlist.TrackingDenied, false)
	forget(refused)
	event := func(kind recipients.EventKind, link enlist.LinkID) recipients.Event {
		return recipients.Event{Kind: kind, Link: link, Time: first, LastTime: first, Count: 1}
	}
	want(first, first, 4, event(recipients.EventClicked, 0), event(recipients.EventOpened, 0), event(recipients.EventLink, f.Links[0]))
	f.WantSums(sums)

	decideTracking(f, reader, enlist.TrackingDenied, true)
	forget(0)
	want(0, 0, 2)
	f.WantSums(sums)
	f.Pass(time.Minute)
	decideTracking(f, reader, enlist.TrackingGranted, false)
	f.Open(reader, apptest.PersonAgent) // the sums have counted this mail
	want(0, 0, 2)
	f.WantSums(sums)

	f.Created, f.ID = f.Now.Unix(), f.Add(apptest.Whole(f.News))
	f.SendAll(nil)
	f.Pass(time.Minute)
	f.Open(reader, apptest.PersonAgent)
	forget(0) // the job came late: the person has agreed since then
	later := event(recipients.EventOpened, 0)
	later.Time, later.LastTime, later.Human = f.Now.Unix(), f.Now.Unix(), f.Now.Unix()
	want(f.Now.Unix(), 0, 4, later) // with the completed Batch

	_, err := f.App.Contacts.DeleteContacts(f.Context(), f.Caller,
		contacts.DeleteRequest{List: f.News, Contacts: []enlist.ContactID{reader}})
	f.Must(err)
	forget(0)
}

func refusedTwice(f *apptest.SentBatch) {
	f.Open(f.Contacts[0], apptest.PersonAgent)
	decideTracking(f, f.Contacts[1], enlist.TrackingDenied, true) // nothing was recorded
	for i, forget := range []bool{false, false, true} {
		decideTracking(f, f.Contacts[0], enlist.TrackingDenied, forget)
		if n, want := f.Jobs("forget_tracking"), []int{1, 1, 2}[i]; n != want {
			f.Errorf("after %d refusals %d jobs wait, want %d", i+1, n, want)
		}
	}
}
