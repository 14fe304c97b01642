package privacy_test

import (
	"time"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file tests the removal of opens and clicks of autoresponders.

// oldEventsOfAutorespondersAreRemoved sends mails of an autoresponder on two days. Only what belongs to the older one goes.
func oldEventsOfAutorespondersAreRemoved(e *apptest.SentBatch) {
	f := apptest.NewAutoresponder(e)
	track := func(keys ...enlist.DeliveryKey) {
		f.Helper()
		for _, key := range keys {
			f.Must(f.App.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: key}, apptest.PersonAgent))
		}
		f.Must(f.App.Sending.Clicked(f.Context(), enlist.Link{Kind: enlist.LinkClick, DeliveryKey: keys[0], Target: f.Links[0]}, apptest.PersonAgent))
	}
	old := f.Send(f.Contacts[:2]...)
	f.Pass(time.Minute)
	track(old...)
	f.Retain(40, 0)
	removeOldEvents(f.SentBatch, 0)
	f.Must(search(f.SentBatch, "batch_opened", "exactly")) // nothing is old enough
	f.Pass(39 * 24 * time.Hour)
	young := f.Send(f.Contacts[1:3]...) // also the second mail to a Contact
	f.Pass(2 * 24 * time.Hour)
	track(young...)
	before := f.Report().Sums
	wantPlan(f.SentBatch.Batches.Account, 3, 0) // the open, the click and its link of the first Contact
	removeOldEvents(f.SentBatch, 3)
	wantPlan(f.SentBatch.Batches.Account, 0, 0)
	removeOldEvents(f.SentBatch, 0)
	f.WantSums(before)
	all := enlist.Query{}
	f.WantRows(recipients.EventOpened, all, "a1", "a2")
	f.WantRows(recipients.EventClicked, all, "a1")
	err := f.App.Reports.BatchRows(f.Context(), f.Caller, reports.RowsRequest{Batch: f.ID, Kind: recipients.RowsNotOpened}, all, nil)
	f.Refused(err, enlist.InvalidSearch, "the opens and clicks of Batch")
	f.Refused(search(f.SentBatch, "batch_opened", "exactly"), enlist.InvalidSearch, "the opens and clicks of Batch")
	f.Case("a late open of an old mail only changes the time of the Contact", func() {
		f.Pass(time.Second)
		track(old[0])
		f.WantSums(before)
		if c := f.Contact(f.News, f.Contacts[0]); c.LastOpenTime != f.Now.Unix() {
			f.Errorf("a late open leaves last_open_time at %d, want %d", c.LastOpenTime, f.Now.Unix())
		}
	})
	f.Case("the open of a new mail is counted", func() {
		fresh := f.Send(f.Contacts[0])
		f.Pass(time.Minute)
		f.Must(f.App.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: fresh[0]}, apptest.PersonAgent))
		before.Opens, before.ImageOpened, before.HumanOpened = before.Opens+1, before.ImageOpened+1, before.HumanOpened+1
		f.WantSums(before)
	})
	f.Case("a month later the next mails are old", func() {
		f.Pass(39 * 24 * time.Hour)
		removeOldEvents(f.SentBatch, 4)
		f.WantRows(recipients.EventOpened, all, "a0")
	})
}
