package batches_test

import (
	"strings"
	"sync"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file tests when a Batch has begun, and when it can be deleted.

func awaitedBatchStays(f *apptest.Batches) {
	f.SubscribeMany(f.News, 2)
	first := f.Add(apptest.Whole(f.News))
	f.SendAll(nil)
	at := f.Now.Unix() + 3600
	later := func(message enlist.MessageID, kind string, exclude ...enlist.BatchID) enlist.BatchID {
		return f.AddChecked(batches.BatchRequest{Message: message, SendTime: at,
			Populations: []batches.PopulationRequest{{List: f.News, Type: kind, Time: "send"}},
			Options:     batches.BatchOptions{Exclude: batches.Exclusion{Batches: exclude}}})
	}
	june := f.AddMessage("June")
	excludes, unsent := later(june, "list", first), later(f.Message, "unsent")
	other := later(june, "unsent") // does not need to know who was sent May
	refused := func(by string) {
		f.Helper()
		f.Refused(f.App.Batches.DeleteBatch(f.Context(), f.Caller, first), enlist.InvalidParameters, by+" leaves out")
	}
	refused("Batch 2")
	f.Edit(excludes, "pause")
	refused("Batch 2")
	f.Edit(excludes, "unpause")
	f.Prepare(excludes)
	f.Now = time.Unix(at, 0)
	f.Prepare(excludes)
	refused("Batch 3")
	f.Prepare(unsent)
	f.WantAddresses(f.SendAll(nil))
	f.RemoveBatch(first)
	f.Prepare(other)
	f.WantAddresses(f.SendAll(nil), "a0@example.com", "a1@example.com")

	// No Contact was sent a Batch that never began, so it can be deleted. So can one that only a cancelled Batch excludes.
	at = f.Now.Unix() + 3600
	never := later(june, "list")
	later(june, "list", never)
	f.RemoveBatch(never)
	f.Edit(later(june, "list", other), "cancel")
	f.RemoveBatch(other)
}

// excludedWhileDeleted adds and deletes at the same time. One of the calls must be refused.
func excludedWhileDeleted(f *apptest.Batches) {
	f.SubscribeMany(f.News, 1)
	for range 10 {
		first := f.Add(apptest.Whole(f.News))
		f.SendAll(nil)
		var deleted, added error
		var second enlist.BatchID
		var both sync.WaitGroup
		both.Go(func() { deleted = f.App.Batches.DeleteBatch(f.Context(), f.Caller, first) })
		both.Go(func() {
			second, added = f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message,
				Populations: []batches.PopulationRequest{apptest.Whole(f.News)},
				Options:     batches.BatchOptions{Exclude: batches.Exclusion{Batches: []enlist.BatchID{first}}}})
		})
		both.Wait()
		switch {
		case deleted == nil && added == nil:
			f.Fatalf("Batch %d was deleted and excluded", first)
		case added == nil:
			f.Edit(second, "cancel")
		}
	}
}

func takenMeansBegun(f *apptest.Batches) {
	f.SubscribeMany(f.News, 2)
	id := f.Add(apptest.Whole(f.News))
	at := f.Now.Unix() + 3600
	f.Edit(id, "pause")
	f.Must(f.App.Batches.EditBatch(f.Context(), f.Caller, id, "reschedule", at)) // no sender has taken a recipient
	f.Must(f.App.Batches.EditBatch(f.Context(), f.Caller, id, "reschedule", f.Now.Unix()))
	f.Edit(id, "unpause")
	f.Prepare(id)
	f.Mails(f.Lease("a")) // marks the recipients, and then the sender dies
	f.Edit(id, "pause")
	if b := f.Batch(id); b.FirstSent != 0 || b.Begun == 0 {
		f.Errorf("the Batch is %+v, want begun and no mail that is known to be sent", *b)
	}
	f.Refused(f.App.Batches.EditBatch(f.Context(), f.Caller, id, "reschedule", at), enlist.InvalidParameters, "begun")
	f.Refused(f.App.Batches.DeleteBatch(f.Context(), f.Caller, id), enlist.InvalidParameters, "begun")
	f.Edit(id, "unpause")
	f.Prepare(id)
	f.Now = f.Now.Add(7 * time.Hour)
	f.SendAll(nil)
	if b := f.Batch(id); b.Status != batches.BatchPaused || strings.Contains(b.Reason, "reschedule") {
		f.Errorf("the Batch is %s (%s), want paused, and no advice to reschedule it", b.Status, b.Reason)
	}
	f.Edit(id, "cancel")
	f.RemoveBatch(id)
}
