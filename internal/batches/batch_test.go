package batches_test

import (
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// covers: spec batch.check, batch.sender, batch.force, decision 91, 102, 110
func TestBatches(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "a search that an empty input makes match all is refused", Test: emptySearchIsRefused},
		{Name: "searches for Batches, and their counts, find what a plain search finds", Test: batchesAreSearched},
		{Name: "a Batch whose Message is gone fails", Test: messageGone},
		{Name: "a deleted Batch loses its recipients", Test: deletedBatch},
		{Name: "a Batch is not deleted while another one must leave out its recipients", Test: awaitedBatchStays},
		{Name: "a Batch is not excluded and deleted at the same time", Test: excludedWhileDeleted},
		{Name: "a Batch has begun when a sender takes its first recipients", Test: takenMeansBegun},
		{Name: "a check finds what does not fit the Lists and the Contacts, and adds nothing", Test: checkFindsMistakes},
		{Name: "a Batch with an error of the check is not added, unless it is forced", Test: errorsStopABatch},
		{Name: "a Batch whose Message has lost its content is paused, and not continued", Test: emptiedMessageStopsABatch},
		{Name: "a check counts who sees the blocks with a condition, and mails without any", Test: checkCountsBlocks},
		{Name: "a check reads all Contacts in steps, and shows its progress", Test: checkReadsAll},
		{Name: "a check ends at its limits with what it has read", Test: checkIsLimited},
		{Name: "the sender of a Batch has one of the domains of its Account", Test: sendersAreChecked},
		{Name: "a user who may not see Contacts tries a mail without one", Test: triedWithoutContact},
		{Name: "what is known of a sender with merge fields is checked", Test: mergedSendersAreChecked},
		{Name: "a Batch is paused if its exclusion does not fit the Fields any more", Test: exclusionDoesNotFit},
	})
}

func TestBatchOfAnAutoresponderIsHidden(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(6), []apptest.Rule[*apptest.SentBatch]{
		{Name: "the Batch of an autoresponder is hidden and changes with the autoresponder only", Test: autoresponderBatchIsHidden},
	})
}

func emptySearchIsRefused(f *apptest.Batches) {
	f.SubscribeMany(f.News, 1)
	_, err := f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message,
		Populations: []batches.PopulationRequest{{List: f.News, Criteria: apptest.Criterion("Email", "contains", "")}}})
	if enlist.KindOf(err) != enlist.InvalidSearch {
		f.Errorf("AddBatch returned the error %v, want an invalid search", err)
	}
}

func messageGone(f *apptest.Batches) {
	f.SubscribeMany(f.News, 1)
	id := f.Add(apptest.Whole(f.News))
	f.Update(func(tx *db.Tx) error { return messages.DeleteMessage(tx, f.Message) })
	f.WantAddresses(f.SendAll(nil))
	f.WantStatus(id, batches.BatchFailed)
}

func deletedBatch(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 2)
	id := f.Add(apptest.Whole(f.News))
	f.SendAll(nil)
	f.RemoveBatch(id)
	sent := f.MessagesSent(f.News, ids[0])
	if len(sent) != 0 {
		f.Errorf("after the deletion the Contact was sent %+v, want nothing", sent)
	}
}

func exclusionDoesNotFit(f *apptest.Batches) {
	f.SubscribeMany(f.News, 2)
	city, err := f.App.Lists.AddField(f.Context(), f.Caller, f.News, apptest.Details("name", "City", "type", "text"))
	f.Must(err)
	id, err := f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(f.News)},
		Options: batches.BatchOptions{Exclude: batches.Exclusion{Criteria: apptest.Criterion("City", "exactly", "Ulm")}}})
	f.Must(err)
	f.Must(f.App.Lists.DeleteField(f.Context(), f.Caller, f.News, city))
	f.Prepare(id)
	if b := f.Batch(id); b.Status != batches.BatchPaused || b.Reason == "" || b.Recipients != 0 {
		f.Errorf("the Batch is %+v, want it paused with a reason and no recipient", *b)
	}
}
