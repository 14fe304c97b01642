package storetest

import (
	"time"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file tests the options of Batches.

// addWith adds a Batch with options for the whole List and populates it.
func (f *batchFixture) addWith(o batches.BatchOptions) enlist.BatchID {
	f.Helper()
	return f.addChecked(batches.BatchRequest{Message: f.message, Options: o,
		Populations: []batches.PopulationRequest{whole(f.news)}})
}

func excludedAreLeftOut(f *batchFixture) {
	ids := f.subscribeMany(f.news, 5)
	first := f.add(batches.PopulationRequest{List: f.news, Type: "contacts", Contacts: ids[:2]})
	f.sendAll(nil)
	_, err := f.service.Contacts.UnsubscribeByID(f.Context(), f.caller, contacts.ContactRequest{List: f.news, Contact: ids[0]})
	f.must(err)
	id := f.addWith(batches.BatchOptions{Name: "rest", Exclude: batches.Exclusion{Criteria: triple("Email", "contains", "a4"), Batches: []enlist.BatchID{first, first}}})
	f.wantAddresses(f.sendAll(nil), "a2@example.com", "a3@example.com")
	b := f.batch(id)
	want := batches.BatchCounts{Recipients: 2, Sent: 2, LeftUnsubscribed: 1, LeftExcluded: 2}
	if b.BatchCounts != want || b.Name != "rest" {
		f.Errorf("the Batch is %+v, want %+v and the name rest", *b, want)
	}
	f.addWith(batches.BatchOptions{Exclude: batches.Exclusion{Criteria: &enlist.Criteria{All: []enlist.Criteria{}}}})
	f.wantAddresses(f.sendAll(nil), "a1@example.com", "a2@example.com", "a3@example.com", "a4@example.com")
	f.must(f.service.Batches.DeleteBatch(f.Context(), f.caller, id))
	for done := false; !done; {
		done, err = f.service.Batches.RemoveBatch(f.Context(), batches.RemoveBatch{Batch: id})
		f.must(err)
	}
	f.must(f.store.View(f.Context(), func(tx *db.Tx) error {
		x, err := batches.LoadExclusion(tx, id)
		if err == nil && (x.Criteria != nil || x.Batches != nil) {
			f.Errorf("the deleted Batch has the exclusion %+v, want none", x)
		}
		return err
	}))
}

func exclusionDoesNotFit(f *batchFixture) {
	f.subscribeMany(f.news, 2)
	city, err := f.service.Lists.AddField(f.Context(), f.caller, f.news, details("name", "City", "type", "text"))
	f.must(err)
	id, err := f.service.Batches.AddBatch(f.Context(), f.caller, batches.BatchRequest{Message: f.message, Populations: []batches.PopulationRequest{whole(f.news)},
		Options: batches.BatchOptions{Exclude: batches.Exclusion{Criteria: triple("City", "exactly", "Ulm")}}})
	f.must(err)
	f.must(f.service.Lists.DeleteField(f.Context(), f.caller, f.news, city))
	f.prepare(id)
	if b := f.batch(id); b.Status != batches.BatchPaused || b.Reason == "" || b.Recipients != 0 {
		f.Errorf("the Batch is %+v, want it paused with a reason and no recipient", *b)
	}
}

func doubtfulIsSkipped(f *batchFixture) {
	f.subscribeMany(f.news, 4)
	id := f.addWith(batches.BatchOptions{Doubt: "skip"})
	f.mails(f.lease("a")) // marks the recipients, and then the sender dies
	f.now = f.now.Add((sending.SliceLease + 1) * time.Second)
	f.wantAddresses(f.sendAll(nil))
	want := batches.BatchCounts{Recipients: 4, Doubtful: 4}
	b := f.batch(id)
	if b.BatchCounts != want || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want %+v and completed", *b, want)
	}
	f.addWith(batches.BatchOptions{Exclude: batches.Exclusion{Batches: []enlist.BatchID{id}}})
	f.wantAddresses(f.sendAll(nil))

	id = f.addWith(batches.BatchOptions{Doubt: "skip"})
	lost := messages.Undelivered{Unknown: true}
	f.wantAddresses(f.sendAll(func(m *sending.BatchMail) *messages.Undelivered {
		if m.Address == "a0@example.com" {
			return &lost
		}
		return nil
	}), "a1@example.com", "a2@example.com", "a3@example.com")
	if b := f.batch(id); b.Doubtful != 1 || b.Sent != 3 || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want 3 sent, 1 doubtful, completed", *b)
	}
}

func putBackClockDelaysNothing(f *batchFixture) {
	f.subscribeMany(f.news, 1)
	right := f.now
	f.now = right.Add(2 * time.Hour)
	request := batches.BatchRequest{Message: f.message, Populations: []batches.PopulationRequest{whole(f.news)}}
	id, err := f.service.Batches.AddBatch(f.Context(), f.caller, request)
	f.must(err)
	f.now = right
	f.prepare(id)
	f.wantAddresses(f.sendAll(nil), "a0@example.com")
	request.SendTime = right.Add(time.Hour).Unix()
	id, err = f.service.Batches.AddBatch(f.Context(), f.caller, request)
	f.must(err)
	f.prepare(id)
	if b := f.batch(id); b.Status != batches.BatchPending {
		f.Errorf("a Batch with a later send time is %s, want it pending", b.Status)
	}
}
