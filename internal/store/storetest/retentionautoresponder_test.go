package storetest

import (
	"time"

	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

// This file tests the removal of opens and clicks of autoresponders.

// oldEventsOfAutorespondersAreRemoved sends mails of an autoresponder on two days. Only what belongs to the older one goes.
func oldEventsOfAutorespondersAreRemoved(e *eventFixture) {
	f := newAutoresponderFixture(e)
	track := func(keys ...enlist.DeliveryKey) {
		f.Helper()
		for _, key := range keys {
			f.must(f.service.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: key}, personAgent))
		}
		f.must(f.service.Sending.Clicked(f.Context(), enlist.Link{Kind: enlist.LinkClick, DeliveryKey: keys[0], Target: f.links[0]}, personAgent))
	}
	old := f.send(f.contacts[:2]...)
	f.pass(time.Minute)
	track(old...)
	f.retain(40, 0)
	f.removeOldEvents(0)
	f.must(f.search("batch_opened", "exactly")) // nothing is old enough
	f.pass(39 * 24 * time.Hour)
	young := f.send(f.contacts[1:3]...) // also the second mail to a Contact
	f.pass(2 * 24 * time.Hour)
	track(young...)
	before := f.report().BatchSums
	f.wantPlan(3, 0) // the open, the click and its link of the first Contact
	f.removeOldEvents(3)
	f.wantPlan(0, 0)
	f.removeOldEvents(0)
	f.wantSums(before)
	all := enlist.Query{}
	f.wantRows(batches.EventOpened, all, "a1", "a2")
	f.wantRows(batches.EventClicked, all, "a1")
	err := f.service.Reports.BatchRows(f.Context(), f.caller, reports.RowsRequest{Batch: f.batch, Kind: batches.RowsNotOpened}, all, nil)
	f.refused(err, enlist.InvalidSearch, "the opens and clicks of Batch")
	f.refused(f.search("batch_opened", "exactly"), enlist.InvalidSearch, "the opens and clicks of Batch")
	f.run("a late open of an old mail only changes the time of the Contact", func() {
		f.pass(time.Second)
		track(old[0])
		f.wantSums(before)
		if c := f.contact(f.news, f.contacts[0]); c.LastOpenTime != f.now.Unix() {
			f.Errorf("a late open leaves last_open_time at %d, want %d", c.LastOpenTime, f.now.Unix())
		}
	})
	f.run("the open of a new mail is counted", func() {
		fresh := f.send(f.contacts[0])
		f.pass(time.Minute)
		f.must(f.service.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: fresh[0]}, personAgent))
		before.Opens, before.ImageOpened, before.HumanOpened = before.Opens+1, before.ImageOpened+1, before.HumanOpened+1
		f.wantSums(before)
	})
	f.run("a month later the next mails are old", func() {
		f.pass(39 * 24 * time.Hour)
		f.removeOldEvents(4)
		f.wantRows(batches.EventOpened, all, "a0")
	})
}
