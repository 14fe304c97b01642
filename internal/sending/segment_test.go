package sending_test

import (
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file tests who gets the mails of Batches and autoresponders that name a Segment.

// covers: spec segment.use, batch.segment, autoresponder.segment, decision 129
func TestMailsToSegments(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "a Batch to a Segment follows changes until it searches its recipients", Test: batchFollowsSegment},
		{Name: "exclude may name a Segment", Test: excludeNamesSegment},
		{Name: "an autoresponder with a Segment sends to its Contacts only, as they are when the mail is due", Test: autoresponderFollowsSegment},
		{Name: "an autoresponder whose Segment does not fit the Fields any more has a failed mail", Test: autoresponderOfBrokenSegment},
	})
}

func emailContains(text string) *enlist.Criteria { return apptest.Criterion("Email", "contains", text) }

func batchFollowsSegment(f *apptest.Batches) {
	f.SubscribeMany(f.News, 4)
	at := f.Now.Unix() + 3600
	segment := f.SetSegment(f.News, "Readers", emailContains("a1"))
	atOnce := f.AddAt(at, batches.PopulationRequest{List: f.News, Segment: segment})
	later := f.AddAt(at, batches.PopulationRequest{List: f.News, Segment: segment, Time: "send"})
	f.SetSegment(f.News, "Readers", emailContains("a2"))
	f.Now = time.Unix(at, 0)
	f.Prepare(atOnce)
	f.WantAddresses(f.SendAll(nil), "a1@example.com")
	f.Prepare(later)
	f.SetSegment(f.News, "Readers", emailContains("a3"))
	f.WantAddresses(f.SendAll(nil), "a2@example.com")
}

func excludeNamesSegment(f *apptest.Batches) {
	f.SubscribeMany(f.News, 3)
	segment := f.SetSegment(f.News, "Readers", emailContains("a1"))
	id := f.AddWith(batches.BatchOptions{Exclude: batches.Exclusion{Criteria: enlist.InSegment(segment)}})
	if b := f.Batch(id); b.LeftExcluded != 1 {
		f.Errorf("%d Contacts are left out, want 1", b.LeftExcluded)
	}
	f.WantAddresses(f.SendAll(nil), "a0@example.com", "a2@example.com")
}

// autoresponderTo adds an autoresponder with a Segment.
func autoresponderTo(f *apptest.Batches, segment enlist.SegmentID) enlist.AutoresponderID {
	f.Helper()
	id, err := f.App.Batches.AddAutoresponder(f.Context(), f.Caller, apptest.Details("list_id", int(f.News), "message_id", int(f.Message),
		"event_type", "update_profile", "segment_id", segment))
	f.Must(err)
	return id
}

// dueMails returns the addresses of the mails to Contacts that are due now, and what prevents the first one.
func dueMails(f *apptest.Batches, id enlist.AutoresponderID, contacts []enlist.ContactID) (addresses []string, problem string) {
	f.Helper()
	var all []events.Autorespond
	for _, contact := range contacts {
		all = append(all, events.Autorespond{List: f.News, Contact: contact, Autoresponder: id, Time: f.Now.Unix()})
	}
	mails, err := f.App.Messages.AutoresponderMails(f.Context(), all)
	f.Must(err)
	for _, m := range mails {
		if m != nil {
			addresses, problem = append(addresses, m.Address), m.Problem
		}
	}
	return addresses, problem
}

func autoresponderFollowsSegment(f *apptest.Batches) {
	contacts := f.SubscribeMany(f.News, 3)
	segment := f.SetSegment(f.News, "Readers", &enlist.Criteria{Any: []enlist.Criteria{*emailContains("a0"), *emailContains("a2")}})
	id := autoresponderTo(f, segment)
	mails, _ := dueMails(f, id, contacts)
	f.WantAddresses(mails, "a0@example.com", "a2@example.com")
	f.SetSegment(f.News, "Readers", emailContains("a1"))
	mails, problem := dueMails(f, id, contacts)
	f.WantAddresses(mails, "a1@example.com")
	if problem != "" {
		f.Errorf("the mail has the problem %q", problem)
	}
	mails, _ = dueMails(f, id, contacts[:1])
	f.WantAddresses(mails)
}

func autoresponderOfBrokenSegment(f *apptest.Batches) {
	contacts := f.SubscribeMany(f.News, 1)
	city := f.AddField(f.News, "name", "City", "type", "text")
	id := autoresponderTo(f, f.SetSegment(f.News, "Berlin", apptest.Criterion("City", "exactly", "Berlin")))
	f.Must(f.App.Lists.DeleteField(f.Context(), f.Caller, f.News, city))
	if _, problem := dueMails(f, id, contacts); !strings.Contains(problem, `no key "City"`) {
		f.Errorf("the problem is %q, want one that names the Field", problem)
	}
}
