package sending_test

import (
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/sending"
)

// This file tests the options of Batches.

func excludedAreLeftOut(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 5)
	first := f.Add(batches.PopulationRequest{List: f.News, Type: "contacts", Contacts: ids[:2]})
	f.SendAll(nil)
	_, err := f.App.Contacts.UnsubscribeByID(f.Context(), f.Caller, contacts.ContactRequest{List: f.News, Contact: ids[0]})
	f.Must(err)
	id := f.AddWith(batches.BatchOptions{Name: "rest", Exclude: batches.Exclusion{Criteria: apptest.Criterion("Email", "contains", "a4"), Batches: []enlist.BatchID{first, first}}})
	f.WantAddresses(f.SendAll(nil), "a2@example.com", "a3@example.com")
	b := f.Batch(id)
	want := recipients.Counts{Recipients: 2, Sent: 2, LeftUnsubscribed: 1, LeftExcluded: 2,
		Unmeasured: recipients.Unmeasured{Opens: 2, Clicks: 2}}
	if b.Counts != want || b.Name != "rest" {
		f.Errorf("the Batch is %+v, want %+v and the name rest", *b, want)
	}
	f.AddWith(batches.BatchOptions{Exclude: batches.Exclusion{Criteria: &enlist.Criteria{All: []enlist.Criteria{}}}})
	f.WantAddresses(f.SendAll(nil), "a1@example.com", "a2@example.com", "a3@example.com", "a4@example.com")
	f.Must(f.App.Batches.DeleteBatch(f.Context(), f.Caller, id))
	for done := false; !done; {
		done, err = f.App.Batches.RemoveBatch(f.Context(), batches.RemoveBatch{Batch: id})
		f.Must(err)
	}
	f.Must(f.Store.View(f.Context(), func(tx *db.Tx) error {
		x, err := batches.LoadExclusion(tx, id)
		if err == nil && (x.Criteria != nil || x.Batches != nil) {
			f.Errorf("the deleted Batch has the exclusion %+v, want none", x)
		}
		return err
	}))
}

func doubtfulIsSkipped(f *apptest.Batches) {
	f.SubscribeMany(f.News, 4)
	id := f.AddWith(batches.BatchOptions{Doubt: "skip"})
	f.Mails(f.Lease("a")) // marks the recipients, and then the sender dies
	f.Now = f.Now.Add((sending.SliceLease + 1) * time.Second)
	f.WantAddresses(f.SendAll(nil))
	want := recipients.Counts{Recipients: 4, Doubtful: 4}
	b := f.Batch(id)
	if b.Counts != want || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want %+v and completed", *b, want)
	}
	f.AddWith(batches.BatchOptions{Exclude: batches.Exclusion{Batches: []enlist.BatchID{id}}})
	f.WantAddresses(f.SendAll(nil))

	id = f.AddWith(batches.BatchOptions{Doubt: "skip"})
	lost := messages.Undelivered{Unknown: true}
	f.WantAddresses(f.SendAll(func(m *sending.BatchMail) *messages.Undelivered {
		if m.Address == "a0@example.com" {
			return &lost
		}
		return nil
	}), "a1@example.com", "a2@example.com", "a3@example.com")
	if b := f.Batch(id); b.Doubtful != 1 || b.Sent != 3 || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want 3 sent, 1 doubtful, completed", *b)
	}
}

func putBackClockDelaysNothing(f *apptest.Batches) {
	f.SubscribeMany(f.News, 1)
	right := f.Now
	f.Now = right.Add(2 * time.Hour)
	request := batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(f.News)}}
	id, err := f.App.Batches.AddBatch(f.Context(), f.Caller, request)
	f.Must(err)
	f.Now = right
	f.Prepare(id)
	f.WantAddresses(f.SendAll(nil), "a0@example.com")
	request.SendTime = right.Add(time.Hour).Unix()
	id, err = f.App.Batches.AddBatch(f.Context(), f.Caller, request)
	f.Must(err)
	f.Prepare(id)
	if b := f.Batch(id); b.Status != batches.BatchPending {
		f.Errorf("a Batch with a later send time is %s, want it pending", b.Status)
	}
}
