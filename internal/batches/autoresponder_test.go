package batches_test

import (
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/recipients"
)

func TestAutorespondersAreReturnedAsStored(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewStore, []apptest.Rule[apptest.Store]{
		{Name: "an autoresponder is returned with the content that was stored", Test: autoresponders},
	})
}

// The Batch of an autoresponder is found by getAutoresponderBatchId only, and changes with the autoresponder only.
func autoresponderBatchIsHidden(e *apptest.SentBatch) {
	sent := e.ID
	f := apptest.NewAutoresponder(e)
	found, err := f.App.Batches.SearchBatches(f.Context(), f.Caller, enlist.Query{})
	f.Must(err)
	if len(found) != 1 || found[0].ID != sent {
		f.Errorf("the search found %d Batches, want the one that was sent", len(found))
	}
	current, err := f.App.Batches.CurrentBatches(f.Context(), f.Caller)
	f.Must(err)
	if len(current) != 0 {
		f.Errorf("%d Batches have not ended, want 0", len(current))
	}
	for _, command := range []string{"pause", "unpause", "cancel", "reschedule"} {
		err := f.App.Batches.EditBatch(f.Context(), f.Caller, f.ID, command, f.Now.Unix())
		f.Refused(err, enlist.InvalidParameters, "autoresponder")
	}
	f.Refused(f.App.Batches.DeleteBatch(f.Context(), f.Caller, f.ID), enlist.InvalidParameters, "autoresponder")
	if s := f.Lease("a"); s != nil {
		f.Errorf("a sender has leased a slice of Batch %d", s.Batch)
	}
	f.Send(f.Contacts[0])
	june := f.AddMessage("June")
	_, err = f.App.Batches.EditAutoresponder(f.Context(), f.Caller, f.Autoresponder, apptest.Details("message_id", int(june)))
	f.Must(err)
	if f.Batches.Batch(f.ID).MessageID != june {
		f.Error("the Batch does not have the new Message of the autoresponder")
	}
	later, err := f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: june, SendTime: f.Now.Unix() + 3600,
		Populations: []batches.PopulationRequest{{List: f.News, Time: "send"}},
		Options:     batches.BatchOptions{Exclude: batches.Exclusion{Batches: []enlist.BatchID{f.ID}}}})
	f.Must(err)
	err = f.App.Batches.DeleteAutoresponder(f.Context(), f.Caller, f.Autoresponder)
	f.Refused(err, enlist.InvalidParameters, "leaves out")
	f.Edit(later, "cancel")
	f.Must(f.App.Batches.DeleteAutoresponder(f.Context(), f.Caller, f.Autoresponder))
	_, err = f.App.Batches.Batch(f.Context(), f.Caller, f.ID)
	f.Refused(err, enlist.NoBatch, "no Batch")
	for done := false; !done; {
		done, err = f.App.Batches.RemoveBatch(f.Context(), batches.RemoveBatch{Batch: f.ID})
		f.Must(err)
	}
	apptest.View(f.T, f.Store, func(tx *db.Tx) error {
		rows, err := recipients.ByID(tx, f.News, f.ID, f.Contacts)
		if len(rows) != 0 {
			f.Errorf("%d recipients are left", len(rows))
		}
		return err
	})
}

func autoresponders(o apptest.Store) {
	t, s := o.T, o.Engine
	schema := apptest.NewSchema(t, s)
	account, list := schema.List.AccountID, schema.List.ID
	full := enlist.Autoresponder{AccountID: account, ListID: list, CreatorKeyID: 2, CreatorName: "test key",
		CreationTime: 3, LastModifiedTime: 4, MessageID: 5, Event: enlist.EventConfirm, FolderID: 6,
		TimeZone: "Europe/Berlin", IsActive: true, CriteriaType: enlist.CriteriaSpecific,
		Timestamp: 7, OffsetValue: 8, OffsetPeriod: "week", SpecificHour: 9, SpecificMinute: 10}
	plain := enlist.Autoresponder{AccountID: account, ListID: list}
	foreign := enlist.Autoresponder{AccountID: account + 1, ListID: list + 1}
	apptest.Update(t, s, func(tx *db.Tx) error {
		for _, a := range []*enlist.Autoresponder{&full, &plain, &foreign} {
			if err := batches.AddAutoresponder(tx, a); err != nil {
				return err
			}
		}
		return nil
	})
	check := func(what string, want ...enlist.Autoresponder) {
		t.Helper()
		apptest.View(t, s, func(tx *db.Tx) error {
			all, err := batches.Autoresponders(tx, account)
			if err != nil {
				return err
			}
			apptest.Same(t, what, all, want)
			schema, err := lists.Schema(tx, list)
			if err == nil {
				apptest.Same(t, what+", in the Schema", schema.Autoresponders, want)
				apptest.Same(t, "time zone", schema.TimeZone, "UTC")
			}
			return err
		})
	}
	check("as added", full, plain)
	edited := full
	edited.LastModifiedTime, edited.MessageID, edited.FolderID, edited.TimeZone = 20, 21, 22, ""
	edited.Event, edited.IsActive, edited.CriteriaType = enlist.EventSubscribe, false, enlist.CriteriaDelay
	edited.Timestamp, edited.OffsetValue, edited.OffsetPeriod = 23, 24, "day"
	edited.SpecificHour, edited.SpecificMinute = 11, 12
	apptest.Update(t, s, func(tx *db.Tx) error { return batches.UpdateAutoresponder(tx, &edited) })
	check("as edited", edited, plain)
	apptest.Update(t, s, func(tx *db.Tx) error { return batches.DeleteAutoresponder(tx, full.ID) })
	check("after a deletion", plain)
	apptest.Update(t, s, func(tx *db.Tx) error { return lists.MarkListDeleted(tx, list) })
	apptest.View(t, s, func(tx *db.Tx) error {
		all, err := batches.Autoresponders(tx, account)
		apptest.Same(t, "of a deleted List", all, []enlist.Autoresponder(nil))
		return err
	})
}
