package storetest

import (
	"strings"
	"sync"
	"time"

	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file tests when a Batch has begun, and when it can be deleted.

// removeBatch deletes a Batch and runs the job that removes its recipients.
func (f *batchFixture) removeBatch(id enlist.BatchID) {
	f.Helper()
	f.must(f.service.Batches.DeleteBatch(f.Context(), f.caller, id))
	for done := false; !done; {
		var err error
		done, err = f.service.Batches.RemoveBatch(f.Context(), batches.RemoveBatch{Batch: id})
		f.must(err)
	}
}

func awaitedBatchStays(f *batchFixture) {
	f.subscribeMany(f.news, 2)
	first := f.add(whole(f.news))
	f.sendAll(nil)
	at := f.now.Unix() + 3600
	later := func(message enlist.MessageID, kind string, exclude ...enlist.BatchID) enlist.BatchID {
		return f.addChecked(batches.BatchRequest{Message: message, SendTime: at,
			Populations: []batches.PopulationRequest{{List: f.news, Type: kind, Time: "send"}},
			Options:     batches.BatchOptions{Exclude: batches.Exclusion{Batches: exclude}}})
	}
	june := f.addMessage("June")
	excludes, unsent := later(june, "list", first), later(f.message, "unsent")
	other := later(june, "unsent") // does not need to know who was sent May
	refused := func(by string) {
		f.Helper()
		f.refused(f.service.Batches.DeleteBatch(f.Context(), f.caller, first), enlist.InvalidParameters, by+" leaves out")
	}
	refused("Batch 2")
	f.edit(excludes, "pause")
	refused("Batch 2")
	f.edit(excludes, "unpause")
	f.prepare(excludes)
	f.now = time.Unix(at, 0)
	f.prepare(excludes)
	refused("Batch 3")
	f.prepare(unsent)
	f.wantAddresses(f.sendAll(nil))
	f.removeBatch(first)
	f.prepare(other)
	f.wantAddresses(f.sendAll(nil), "a0@example.com", "a1@example.com")

	// No Contact was sent a Batch that never began, so it can be deleted. So can one that only a cancelled Batch excludes.
	at = f.now.Unix() + 3600
	never := later(june, "list")
	later(june, "list", never)
	f.removeBatch(never)
	f.edit(later(june, "list", other), "cancel")
	f.removeBatch(other)
}

// excludedWhileDeleted adds and deletes at the same time. One of the calls must be refused.
func excludedWhileDeleted(f *batchFixture) {
	f.subscribeMany(f.news, 1)
	for range 10 {
		first := f.add(whole(f.news))
		f.sendAll(nil)
		var deleted, added error
		var second enlist.BatchID
		var both sync.WaitGroup
		both.Go(func() { deleted = f.service.Batches.DeleteBatch(f.Context(), f.caller, first) })
		both.Go(func() {
			second, added = f.service.Batches.AddBatch(f.Context(), f.caller, batches.BatchRequest{Message: f.message,
				Populations: []batches.PopulationRequest{whole(f.news)},
				Options:     batches.BatchOptions{Exclude: batches.Exclusion{Batches: []enlist.BatchID{first}}}})
		})
		both.Wait()
		switch {
		case deleted == nil && added == nil:
			f.Fatalf("Batch %d was deleted and excluded", first)
		case added == nil:
			f.edit(second, "cancel")
		}
	}
}

func takenMeansBegun(f *batchFixture) {
	f.subscribeMany(f.news, 2)
	id := f.add(whole(f.news))
	at := f.now.Unix() + 3600
	f.edit(id, "pause")
	f.must(f.service.Batches.EditBatch(f.Context(), f.caller, id, "reschedule", at)) // no sender has taken a recipient
	f.must(f.service.Batches.EditBatch(f.Context(), f.caller, id, "reschedule", f.now.Unix()))
	f.edit(id, "unpause")
	f.prepare(id)
	f.mails(f.lease("a")) // marks the recipients, and then the sender dies
	f.edit(id, "pause")
	if b := f.batch(id); b.FirstSent != 0 || b.Begun == 0 {
		f.Errorf("the Batch is %+v, want begun and no mail that is known to be sent", *b)
	}
	f.refused(f.service.Batches.EditBatch(f.Context(), f.caller, id, "reschedule", at), enlist.InvalidParameters, "begun")
	f.refused(f.service.Batches.DeleteBatch(f.Context(), f.caller, id), enlist.InvalidParameters, "begun")
	f.edit(id, "unpause")
	f.prepare(id)
	f.now = f.now.Add(7 * time.Hour)
	f.sendAll(nil)
	if b := f.batch(id); b.Status != batches.BatchPaused || strings.Contains(b.Reason, "reschedule") {
		f.Errorf("the Batch is %s (%s), want paused, and no advice to reschedule it", b.Status, b.Reason)
	}
	f.edit(id, "cancel")
	f.removeBatch(id)
}
