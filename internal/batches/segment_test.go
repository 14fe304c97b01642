package batches_test

import (
	"fmt"
	"sync"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file tests that Segments in use stay, and which populations and autoresponders may name a Segment.

// covers: spec segment.used, batch.segment, autoresponder.segment, decision 129
func TestSegmentsOfBatches(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "a Segment stays until each Batch that uses it has searched its recipients", Test: segmentOfBatchStays},
		{Name: "of a Batch that is added and the deletion of its Segment, one is refused", Test: usedWhileDeleted},
		{Name: "a Segment stays while an autoresponder sends to it", Test: segmentOfAutoresponderStays},
		{Name: "a population names a Segment of its List, and nothing else", Test: populationsAreChecked},
		{Name: "an autoresponder names a Segment of its List", Test: autorespondersAreChecked},
		{Name: "a relative date of a Segment counts from the day on which a Batch reads its recipients, or a mail is due", Test: relativeSegments},
	})
}

func emailContains(text string) *enlist.Criteria { return apptest.Criterion("Email", "contains", text) }

func deleteSegment(f *apptest.Batches, id enlist.SegmentID) error {
	return f.App.Contacts.DeleteSegment(f.Context(), f.Caller, f.News, id)
}

func segmentOfBatchStays(f *apptest.Batches) {
	f.SubscribeMany(f.News, 3)
	at := f.Now.Unix() + 3600
	segment := f.SetSegment(f.News, "Readers", emailContains("a1"))
	named := apptest.Criterion("segment_id", "in", []any{segment})
	for _, c := range []struct {
		rule    string
		request batches.BatchRequest
	}{
		{"as a population", batches.BatchRequest{Populations: []batches.PopulationRequest{{List: f.News, Segment: segment, Time: "send"}}}},
		{"in criteria of a population", batches.BatchRequest{Populations: []batches.PopulationRequest{apptest.Whole(f.News),
			{List: f.News, Time: "send", Criteria: &enlist.Criteria{Any: []enlist.Criteria{*emailContains("x"), *named}}}}}},
		{"in the criteria of exclude", batches.BatchRequest{Populations: []batches.PopulationRequest{{List: f.News, Time: "send"}},
			Options: batches.BatchOptions{Exclude: batches.Exclusion{Criteria: named}}}},
	} {
		f.Case(c.rule, func() {
			c.request.Message, c.request.SendTime = f.Message, at
			id := f.AddChecked(c.request)
			refused := fmt.Sprintf("segment_id: Batch %d uses the Segment", id)
			f.Refused(deleteSegment(f, segment), enlist.InvalidParameters, refused)
			f.Edit(id, "pause")
			f.Refused(deleteSegment(f, segment), enlist.InvalidParameters, refused)
			f.Edit(id, "cancel")
		})
	}
	other := f.SetSegment(f.News, "Others", emailContains("a2"))
	populated := f.AddAt(at, batches.PopulationRequest{List: f.News, Segment: segment})
	f.AddAt(at, batches.PopulationRequest{List: f.News, Segment: other, Time: "send"})
	f.WantStatus(populated, batches.BatchPending)
	f.Must(deleteSegment(f, segment))
	f.Now = f.Now.Add(3600e9)
	f.Prepare(populated)
	f.WantAddresses(f.SendAll(nil), "a1@example.com")
}

// usedWhileDeleted adds and deletes at the same time.
func usedWhileDeleted(f *apptest.Batches) {
	for range 10 {
		segment := f.SetSegment(f.News, "Readers", emailContains("a1"))
		var deleted, added error
		var id enlist.BatchID
		var both sync.WaitGroup
		both.Go(func() { deleted = deleteSegment(f, segment) })
		both.Go(func() {
			id, added = f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message,
				Populations: []batches.PopulationRequest{{List: f.News, Segment: segment}}})
		})
		both.Wait()
		if (deleted == nil) == (added == nil) {
			f.Fatalf("the deletion says %v, and addBatch %v; want one error", deleted, added)
		}
		if added == nil {
			f.Edit(id, "cancel")
		}
	}
}

func segmentOfAutoresponderStays(f *apptest.Batches) {
	segment := f.SetSegment(f.News, "Readers", emailContains("a1"))
	id, err := f.App.Batches.AddAutoresponder(f.Context(), f.Caller, apptest.Details("list_id", int(f.News), "message_id", int(f.Message),
		"event_type", "subscribe", "segment_id", segment, "is_active", false))
	f.Must(err)
	f.Refused(deleteSegment(f, segment), enlist.InvalidParameters, fmt.Sprintf("segment_id: the autoresponder %d", id))
	_, err = f.App.Batches.EditAutoresponder(f.Context(), f.Caller, id, apptest.Details("segment_id", 0))
	f.Must(err)
	f.Must(deleteSegment(f, segment))
	a, err := f.App.Batches.Autoresponder(f.Context(), f.Caller, id)
	f.Must(err)
	if a.SegmentID != 0 {
		f.Errorf("the autoresponder has the Segment %d, want none", a.SegmentID)
	}
}

func populationsAreChecked(f *apptest.Batches) {
	contact := f.Subscribe(f.News, "Email", "a1@example.com")
	segment := f.SetSegment(f.News, "Readers", emailContains("a1"))
	foreign := f.SetSegment(f.AddList(), "Readers", emailContains("a1"))
	for _, c := range []struct {
		rule       string
		population batches.PopulationRequest
		kind       enlist.Kind
		contains   string
	}{
		{"a Segment of another List", batches.PopulationRequest{List: f.News, Segment: foreign}, enlist.InvalidSearch, "segment_id"},
		{"an ID that no Segment has", batches.PopulationRequest{List: f.News, Segment: -1}, enlist.InvalidSearch, "segment_id"},
		{"a Segment with a type", batches.PopulationRequest{List: f.News, Segment: segment, Type: "unsent"}, enlist.InvalidParameters, "populations"},
		{"a Segment with Contacts", batches.PopulationRequest{List: f.News, Segment: segment, Contacts: []enlist.ContactID{contact}},
			enlist.InvalidParameters, "populations"},
		{"a Segment without a List", batches.PopulationRequest{Segment: segment}, enlist.NoListForBatch, ""},
	} {
		f.Case(c.rule, func() {
			r := batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{c.population}}
			_, err := f.App.Batches.AddBatch(f.Context(), f.Caller, r)
			f.Refused(err, c.kind, c.contains)
			_, err = f.App.Batches.CheckBatch(f.Context(), f.Caller, r)
			f.Refused(err, c.kind, c.contains)
		})
	}
}

func autorespondersAreChecked(f *apptest.Batches) {
	segment := f.SetSegment(f.News, "Readers", emailContains("a1"))
	other := f.AddList()
	foreign := f.SetSegment(other, "Readers", emailContains("a1"))
	add := func(list enlist.ListID, segment any) (enlist.AutoresponderID, error) {
		return f.App.Batches.AddAutoresponder(f.Context(), f.Caller, apptest.Details("list_id", int(list), "message_id", int(f.Message),
			"event_type", "subscribe", "segment_id", segment))
	}
	for _, bad := range []any{foreign, 1 << 40, -1, "x"} {
		_, err := add(f.News, bad)
		f.Refused(err, enlist.InvalidParameters, "segment_id")
	}
	id, err := add(f.News, segment)
	f.Must(err)
	edit := func(pairs ...any) error {
		_, err := f.App.Batches.EditAutoresponder(f.Context(), f.Caller, id, apptest.Details(pairs...))
		return err
	}
	f.Refused(edit("list_id", int(other)), enlist.InvalidParameters, "segment_id")
	f.Must(edit("list_id", int(other), "segment_id", foreign))
	f.Must(edit("is_active", false))
	found, err := f.App.Batches.SearchAutoresponders(f.Context(), f.Caller, enlist.Query{Criteria: enlist.InSegment(foreign)})
	f.Must(err)
	if len(found) != 1 || found[0].ID != id || found[0].SegmentID != foreign {
		f.Errorf("the search by the Segment found %+v, want the autoresponder %d", found, id)
	}
}

// relativeSegments has two people with a birthday today and in two days, and a Segment of those with a birthday today.
func relativeSegments(f *apptest.Batches) {
	f.AddField(f.News, "name", "Born", "type", "date")
	var ids []enlist.ContactID
	for i, days := range []int{0, 2} {
		ids = append(ids, f.Subscribe(f.News, "Email", fmt.Sprintf("a%d@example.com", i), "Born", f.Now.AddDate(-30, 0, days).Format("2006-01-02")))
	}
	due := f.Now.AddDate(0, 0, 2)
	segment := f.SetSegment(f.News, "Birthday", apptest.Criterion("Born", "yearly_within_next", "0 days"))
	atOnce := f.AddAt(due.Unix(), batches.PopulationRequest{List: f.News, Segment: segment})
	later := f.AddAt(due.Unix(), batches.PopulationRequest{List: f.News, Segment: segment, Time: "send"})
	responder, err := f.App.Batches.AddAutoresponder(f.Context(), f.Caller, apptest.Details("list_id", int(f.News), "message_id", int(f.Message),
		"event_type", "subscribe", "segment_id", segment, "time_criteria_type", "delay", "time_criteria_offset_value", 2, "time_criteria_offset_period", "day"))
	f.Must(err)
	wantMails := func(want ...bool) {
		f.Helper()
		var all []events.Autorespond
		for _, id := range ids {
			all = append(all, events.Autorespond{List: f.News, Contact: id, Autoresponder: responder, Time: f.Now.Unix()})
		}
		mails, err := f.App.Messages.AutoresponderMails(f.Context(), all)
		f.Must(err)
		for i, m := range mails {
			if (m != nil) != want[i] {
				f.Errorf("at %s, whether the Contact %d gets the mail is %t, want %t", f.Now, i, m != nil, want[i])
			}
		}
	}
	wantMails(true, false)
	f.Now = due
	wantMails(false, true)
	f.Prepare(atOnce)
	f.Prepare(later)
	f.WantAddresses(f.SendAll(nil), "a0@example.com", "a1@example.com")
}
