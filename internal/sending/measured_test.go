package sending_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/reports"
	"enlist/internal/sending"
)

// This file tests which mails count as measured. Contacts 0 and 1 have agreed, 2 has refused, and 3 to 5 have not decided.

// covers: decision 162, spec batch.measured, spec batch.winner
func TestMeasured(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(6), []apptest.Rule[*apptest.SentBatch]{
		{Name: "a report has how many of the mails that arrived are measured, by each policy", Test: measuredByPolicy},
		{Name: "a Batch without tracking measures nobody, and its copy too", Test: untrackedBatch},
		{Name: "a mail that bounces is no longer one that is not measured", Test: unmeasuredBounces},
		{Name: "a refusal after the mail was sent leaves it measured", Test: refusalAfterMail},
		{Name: "an autoresponder measures a Contact if one of its mails was measured", Test: measuredAutoresponder},
		{Name: "a test chooses by what is measured, or takes the first variant if that is too little", Test: winnerOfMeasured},
		{Name: "who could not be measured is not among those who did not open, unless it is asked for", Test: notOpenedMeasured},
	})
}

// decide stores the decisions, and sets the policies of the List.
func decide(f *apptest.SentBatch, opens, clicks enlist.TrackingPolicy) {
	f.Helper()
	f.Decide(f.News, enlist.TrackingGranted, f.Contacts[:2]...)
	f.Decide(f.News, enlist.TrackingDenied, f.Contacts[2])
	f.Must(second(f.App.Lists.EditList(f.Context(), f.Caller, f.News,
		apptest.Details("open_policy", string(opens), "click_policy", string(clicks)))))
}

// send sends a Batch to the List and makes it the one of the fixture.
func send(f *apptest.SentBatch, o batches.BatchOptions) *reports.BatchReport {
	f.Helper()
	f.Created = f.Now.Unix()
	f.ID = f.AddWith(o)
	f.SendAll(nil)
	f.Pass(time.Minute)
	return f.Report()
}

func wantMeasured(f *apptest.SentBatch, r *reports.BatchReport, opens, clicks int64) {
	f.Helper()
	if r.MeasuredOpens() != opens || r.MeasuredClicks() != clicks {
		f.Errorf("measured are opens of %d and clicks of %d mails, want %d and %d: %+v", r.MeasuredOpens(), r.MeasuredClicks(),
			opens, clicks, r.Counts)
	}
	var of recipients.DomainSums
	for _, s := range r.ByDomain() {
		of.Add(&s)
	}
	if of.Unmeasured != r.Unmeasured {
		f.Errorf("the domains lack %+v, the Batch %+v", of.Unmeasured, r.Unmeasured)
	}
}

func measuredByPolicy(f *apptest.SentBatch) {
	wantMeasured(f, f.Report(), 6, 6)
	for _, c := range []struct {
		opens, clicks  enlist.TrackingPolicy
		opened, linked int64
	}{
		{enlist.TrackUnlessDenied, enlist.TrackUnlessDenied, 5, 5}, {enlist.TrackWhoAgreed, enlist.TrackUnlessDenied, 2, 5},
		{enlist.TrackNobody, enlist.TrackWhoAgreed, 0, 2}, {enlist.TrackNobody, enlist.TrackNobody, 0, 0},
	} {
		decide(f, c.opens, c.clicks)
		wantMeasured(f, send(f, batches.BatchOptions{}), c.opened, c.linked)
	}
}

func untrackedBatch(f *apptest.SentBatch) {
	wantMeasured(f, send(f, batches.BatchOptions{Untracked: true}), 0, 0)
	again, err := f.App.Batches.Copy(f.Context(), f.Caller, f.ID)
	f.Must(err)
	if !again.Options.Untracked || !f.Batches.Batch(f.ID).Untracked {
		f.Error("the Batch or its copy is tracked")
	}
	later := f.AddAt(f.Now.Unix()+enlist.Hour, apptest.Whole(f.News))
	f.Edit(later, "untrack")
	f.Pass(2 * time.Hour)
	f.Prepare(later)
	f.SendAll(nil)
	f.ID = later
	wantMeasured(f, f.Report(), 0, 0)
	f.Refused(f.App.Batches.EditBatch(f.Context(), f.Caller, later, "track", 0), enlist.InvalidParameters, "has begun")
}

func unmeasuredBounces(f *apptest.SentBatch) {
	decide(f, enlist.TrackUnlessDenied, enlist.TrackUnlessDenied)
	send(f, batches.BatchOptions{})
	for range 2 {
		_, err := f.App.Sending.Bounced(f.Context(), f.Mail(f.Contacts[2]), "smtp; 550 5.1.1 no such user")
		f.Must(err)
	}
	_, err := f.App.Sending.Complained(f.Context(), f.Mail(f.Contacts[2]), "spam")
	f.Must(err)
	r := f.Report()
	wantMeasured(f, r, 5, 5)
	if r.Delivered() != 5 {
		f.Errorf("%d mails arrived, want 5", r.Delivered())
	}
}

func refusalAfterMail(f *apptest.SentBatch) {
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Decide(f.News, enlist.TrackingDenied, f.Contacts[0])
	wantMeasured(f, f.Report(), 6, 6)
}

func measuredAutoresponder(e *apptest.SentBatch) {
	decide(e, enlist.TrackWhoAgreed, enlist.TrackUnlessDenied)
	f := apptest.NewAutoresponder(e)
	f.Send(f.Contacts...)
	wantMeasured(e, f.Report(), 2, 5)
	f.Pass(time.Hour)
	f.Decide(f.News, enlist.TrackingDenied, f.Contacts[0])
	f.Decide(f.News, enlist.TrackingGranted, f.Contacts[4])
	keys := f.Send(f.Contacts...)
	wantMeasured(e, f.Report(), 3, 5)
	_, err := f.App.Sending.Bounced(f.Context(), keys[2], "smtp; 550 5.1.1 no such user")
	f.Must(err)
	wantMeasured(e, f.Report(), 3, 5)
	f.Must(second(f.App.Batches.EditAutoresponder(f.Context(), f.Caller, f.Autoresponder, apptest.Details("track", false))))
	f.Pass(time.Hour)
	if m := f.PrepareMail(f.Contacts[1]); m.Unmeasured() != enlist.UnmeasuredOpens|enlist.UnmeasuredClicks {
		f.Errorf("the mail of an autoresponder without tracking lacks %d, want both", m.Unmeasured())
	}
}

func second[T any](_ T, err error) error { return err }

// testOf returns a test of two subjects with most of a List.
func testOf(f *apptest.SentBatch, list enlist.ListID) batches.BatchRequest {
	return batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(list)},
		Options: batches.BatchOptions{VariantOptions: batches.VariantOptions{Variants: twoSubjects, Share: 90, Hours: 1}}}
}

// winnerOfMeasured sends two tests to 200 Contacts: in one, 5 of each variant are measured, in the other 60.
func winnerOfMeasured(f *apptest.SentBatch) {
	list := f.AddList("track_opens", true, "track_clicks", true, "open_policy", "ask", "click_policy", "ask")
	ids := f.SubscribeMany(list, 200)
	for _, n := range []int{10, 150} {
		f.Decide(list, enlist.TrackingGranted, ids[:n]...)
		check, err := f.App.Batches.CheckBatch(f.Context(), f.Caller, testOf(f, list))
		f.Must(err)
		if warns := slices.ContainsFunc(check.Findings, func(found messages.Finding) bool {
			return found.Code == batches.FindingFewMeasured && strings.Contains(found.Text, "only 10 of 200 recipients")
		}); warns != (n == 10) {
			f.Errorf("with %d of 200 measured the check says %+v", n, check.Findings)
		}
		f.Created = f.Now.Unix()
		f.ID = f.AddChecked(testOf(f, list))
		second := make(map[enlist.ContactID]bool)
		f.SendAll(func(m *sending.BatchMail) *messages.Undelivered {
			second[m.Contact.ID] = m.Message.Subject == "Other"
			return nil
		})
		f.Pass(time.Minute)
		for _, id := range ids[:n] {
			if second[id] {
				l := enlist.Link{Kind: enlist.LinkClick, Target: f.Links[0], DeliveryKey: enlist.DeliveryKey{List: list, Contact: id,
					Time: f.Created, Cause: batches.CauseBatch(f.ID)}}
				f.Must(f.App.Sending.Clicked(f.Context(), l, apptest.PersonAgent))
			}
		}
		f.Pass(time.Hour)
		f.SendAll(nil)
		r := f.Report()
		want, why := int64(1), "variant 1, because only"
		if n > 100 {
			want, why = 2, "variant 2 was clicked by persons in 100.0 %"
		}
		if r.Variants.Chosen != want || !strings.HasPrefix(r.Variants.Verdict, why) {
			f.Errorf("with %d of 200 measured the winner is %d: %s", n, r.Variants.Chosen, r.Variants.Verdict)
		}
	}
}

func notOpenedMeasured(f *apptest.SentBatch) {
	decide(f, enlist.TrackWhoAgreed, enlist.TrackWhoAgreed)
	send(f, batches.BatchOptions{})
	f.Open(f.Contacts[0], apptest.PersonAgent)
	if n := f.Report().MeasuredNotOpened(); n != 1 {
		f.Errorf("%d measured mails were not opened, want 1", n)
	}
	for unmeasured, want := range map[bool]int64{false: 1, true: 5} {
		all, err := f.App.Batches.NotOpened(f.Context(), f.Caller, f.ID, unmeasured)
		f.Must(err)
		n, err := f.App.Contacts.CountContacts(f.Context(), f.Caller, f.News, all[0].Criteria)
		f.Must(err)
		if n != want {
			f.Errorf("%d Contacts did not open, want %d with unmeasured ones: %t", n, want, unmeasured)
		}
	}
}
