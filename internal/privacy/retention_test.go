package privacy_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/privacy"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file tests how old opens and clicks, and old texts in the records of mails, are removed.

func TestRetentionIsScheduled(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a job a day removes old data", Test: retentionIsScheduled},
	})
}

// covers: decision 102, decision 105, decision 106, decision 118
func TestRetention(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(6), []apptest.Rule[*apptest.SentBatch]{
		{Name: "old opens and clicks are removed, and the numbers stay", Test: oldEventsAreRemoved},
		{Name: "opens and clicks stay while a Batch needs them to choose its recipients", Test: awaitedEventsStay},
		{Name: "opens and clicks stay while a Batch needs them because of a Segment", Test: awaitedEventsOfSegmentStay},
		{Name: "opens and clicks stay for a Batch that is added before the removal begins", Test: batchAddedBeforeRemoval},
		{Name: "a removal waits for a Batch that is being added", Test: removalBeginsWhileABatchIsAdded},
		{Name: "old opens and clicks of autoresponders are removed, and those of younger mails stay", Test: oldEventsOfAutorespondersAreRemoved},
		{Name: "old records of mails lose their texts, and still prove what was sent", Test: oldTextsAreRemoved},
	})
}

// removeOldEvents runs the steps of the job, and checks how many opens and clicks were removed.
func removeOldEvents(f *apptest.SentBatch, want int64) {
	f.Helper()
	if events, _ := f.RemoveOld(); events != want {
		f.Errorf("%d events were removed, want %d", events, want)
	}
}

// wantPlan checks what a dry run says.
func wantPlan(o *apptest.Account, events, deliveries int64, delayed ...enlist.BatchID) {
	o.Helper()
	account, err := o.App.Accounts.Operator(o.Context(), o.Caller.Account.ID)
	o.Must(err)
	plans, err := o.App.Privacy.PlanRetention(o.Context(), account, account.Account.Retention)
	o.Must(err)
	if plans[0].Rows != events || plans[1].Rows != deliveries || (events > 0) != (plans[0].Oldest > 0) || len(plans[0].Delayed) != len(delayed) {
		o.Errorf("the plan is %+v, want %d events, %d deliveries and the delayed Batches %v", plans, events, deliveries, delayed)
	}
}

// accessAll opens all mails of the fixture and clicks a link of the first.
func accessAll(f *apptest.SentBatch) {
	f.Helper()
	for _, contact := range f.Contacts {
		f.Open(contact, apptest.PersonAgent)
	}
	f.Click(f.Contacts[0], f.Links[0], apptest.PersonAgent)
}

// search returns the error of a search for the Contacts that opened the Batch.
func search(f *apptest.SentBatch, key, operator string) error {
	_, err := f.App.Contacts.CountContacts(f.Context(), f.Caller, f.News, apptest.Criterion(key, operator, int(f.ID)))
	return err
}

func oldEventsAreRemoved(f *apptest.SentBatch) {
	accessAll(f)
	wantPlan(f.Batches.Account, 0, 0)
	before := f.Report().Sums
	f.Retain(30, 0)
	f.Pass(29 * 24 * time.Hour)
	wantPlan(f.Batches.Account, 0, 0)
	if events, _ := f.RemoveOld(); events != 0 {
		f.Errorf("after 29 days %d events were removed", events)
	}
	f.Must(search(f, "batch_opened", "exactly"))
	f.Pass(48 * time.Hour)
	wantPlan(f.Batches.Account, 8, 0)
	apptest.Crashes(f.Account, func(s *app.App) (bool, error) {
		_, done, err := s.Privacy.ApplyRetention(f.Context(), privacy.ApplyRetention{Account: f.Caller.Account.ID})
		return done, err
	})
	wantPlan(f.Batches.Account, 0, 0)
	if events, _ := f.RemoveOld(); events != 0 {
		f.Errorf("a second run removed %d events", events)
	}
	f.WantSums(before)
	accessAll(f) // late
	f.WantSums(before)
	if c := f.Contact(f.News, f.Contacts[0]); c.LastOpenTime != f.Now.Unix() {
		f.Errorf("a late open leaves last_open_time at %d, want %d", c.LastOpenTime, f.Now.Unix())
	}
	f.Case("what needs the events is refused, and is not empty", func() {
		for _, key := range []string{"batch_opened", "batch_clicked"} {
			f.Refused(search(f, key, "exactly"), enlist.InvalidSearch, "the opens and clicks of Batch")
			f.Refused(search(f, key, "not"), enlist.InvalidSearch, "the opens and clicks of Batch")
		}
		f.Must(search(f, "batch_sent", "exactly"))
		for _, kind := range []recipients.EventKind{recipients.EventOpened, recipients.EventClicked, recipients.EventLink, recipients.RowsNotOpened} {
			err := f.App.Reports.BatchRows(f.Context(), f.Caller, reports.RowsRequest{Batch: f.ID, Kind: kind}, enlist.Query{}, nil)
			f.Refused(err, enlist.InvalidSearch, "the opens and clicks of Batch")
		}
		_, err := f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(f.News)},
			Options: batches.BatchOptions{Exclude: batches.Exclusion{Criteria: apptest.Criterion("batch_opened", "exactly", int(f.ID))}}})
		f.Refused(err, enlist.InvalidSearch, "the opens and clicks of Batch")
	})
}

func awaitedEventsOfSegmentStay(f *apptest.SentBatch) {
	accessAll(f)
	f.Retain(30, 0)
	f.Pass(40 * 24 * time.Hour)
	openers := apptest.Criterion("batch_opened", "exactly", int(f.ID))
	segment := f.SetSegment(f.News, "Openers", openers)
	id, err := f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message, SendTime: f.Now.Unix() + 3600,
		Populations: []batches.PopulationRequest{{List: f.News, Segment: segment, Time: "send"}}})
	f.Must(err)
	wantPlan(f.Batches.Account, 0, 0, f.ID)
	if events, _ := f.RemoveOld(); events != 0 {
		f.Errorf("%d events were removed, although a Batch needs them", events)
	}
	f.Edit(id, "cancel")
	if events, _ := f.RemoveOld(); events == 0 {
		f.Error("no events were removed after the Batch was cancelled")
	}
	_, err = f.App.Contacts.SetSegment(f.Context(), f.Caller, contacts.SegmentRequest{List: f.News, Name: "Openers", Criteria: openers})
	f.Refused(err, enlist.InvalidSearch, "the opens and clicks of Batch")
}

func awaitedEventsStay(f *apptest.SentBatch) {
	accessAll(f)
	f.Retain(30, 0)
	f.Pass(40 * 24 * time.Hour)
	at := f.Now.Unix() + 3600
	later, err := addAwaiting(f, f.App, f.AddMessage("June"), at)
	f.Must(err)
	wantPlan(f.Batches.Account, 0, 0, f.ID)
	if events, _ := f.RemoveOld(); events != 0 {
		f.Errorf("%d events were removed, although a Batch needs them", events)
	}
	f.Now = time.Unix(at, 0)
	f.Prepare(later)
	f.WantAddresses(f.SendAll(nil))
	if events, _ := f.RemoveOld(); events != 8 {
		f.Errorf("%d events were removed after the Batch has read its recipients, want 8", events)
	}
}

func oldTextsAreRemoved(f *apptest.SentBatch) {
	f.Must(f.App.Sending.RecordNotSent(f.Context(), &messages.OutgoingMail{Contact: f.Contact(f.News, f.Contacts[1]), Address: "a1@example.com",
		Delivery: enlist.DeliveryKey{List: f.News, Contact: f.Contacts[1], Time: 1, Cause: "c"}},
		&messages.Undelivered{Permanent: true, Recipient: true, Code: 550, Detail: "no a1@example.com"}))
	f.Retain(0, 30)
	f.Pass(31 * 24 * time.Hour)
	wantPlan(f.Batches.Account, 0, 7)
	if _, deliveries := f.RemoveOld(); deliveries != 7 {
		f.Errorf("%d records lost their texts, want 7", deliveries)
	}
	wantPlan(f.Batches.Account, 0, 0)
	for _, contact := range f.Contacts {
		for _, m := range f.MessagesSent(f.News, contact) {
			wantAddress := ""
			if m.Status == messages.DeliveryBounced {
				wantAddress = "a1@example.com" // the rule of bounces needs it
			}
			if m.Address != wantAddress || m.Subject != "" || m.Detail != "" || m.SentTime == 0 {
				f.Errorf("the mail is %+v, want only its IDs, times and status", m)
			}
		}
	}
	f.Case("the records still prove what was sent", func() {
		f.Add(batches.PopulationRequest{List: f.News, Type: "unsent"})
		f.WantAddresses(f.SendAll(nil))
		f.AddChecked(batches.BatchRequest{Message: f.AddMessage("June"), Populations: []batches.PopulationRequest{apptest.Whole(f.News)},
			Options: batches.BatchOptions{Exclude: batches.Exclusion{Batches: []enlist.BatchID{f.ID}}}})
		f.WantAddresses(f.SendAll(nil))
		f.Must(search(f, "batch_sent", "exactly"))
	})
	f.Case("an old link unsubscribes, and shows no address, because it may have changed", func() {
		v, err := f.App.Sending.UnsubscribeByLink(f.Context(), f.Mail(f.Contacts[2]), "")
		f.Must(err)
		if v.Address() != "" || !f.Contact(f.News, f.Contacts[2]).IsUnsubscribed {
			f.Errorf("the link shows %q", v.Address())
		}
	})
	f.Case("a late bounce is ignored, and a late complaint unsubscribes without storing its text", func() {
		isNew, err := f.App.Sending.Bounced(f.Context(), f.Mail(f.Contacts[3]), "a3@example.com is gone")
		f.Must(err)
		if isNew {
			f.Error("the late bounce was stored")
		}
		_, err = f.App.Sending.Complained(f.Context(), f.Mail(f.Contacts[4]), "a4@example.com complains")
		f.Must(err)
		if m := f.MessagesSent(f.News, f.Contacts[4]); !f.Contact(f.News, f.Contacts[4]).IsUnsubscribed || strings.Contains(m[0].Detail, "@") {
			f.Errorf("the mails after the complaint are %+v", m)
		}
	})
}

// addAwaiting adds a Batch that is sent to who has not opened the Batch of the fixture. It reads its recipients later.
func addAwaiting(f *apptest.SentBatch, s *app.App, message enlist.MessageID, at int64) (enlist.BatchID, error) {
	return s.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: message, SendTime: at,
		Populations: []batches.PopulationRequest{{List: f.News, Time: "send"}},
		Options:     batches.BatchOptions{Exclude: batches.Exclusion{Criteria: apptest.Criterion("batch_opened", "exactly", int(f.ID))}}})
}

// hookedStore calls a function at a moment of the first Update.
type hookedStore struct {
	db.Engine
	before func() // before the transaction
	inside func() // before its commit
}

func (s *hookedStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	before, inside := s.before, s.inside
	s.before, s.inside = nil, nil
	if before != nil {
		before()
	}
	return s.Engine.Update(ctx, func(tx *db.Tx) error {
		err := fn(tx)
		if err == nil && inside != nil {
			inside()
			inside = nil
		}
		return err
	})
}

// batchAddedBeforeRemoval adds a Batch after a run has found what to remove, and before it removes the first row.
func batchAddedBeforeRemoval(f *apptest.SentBatch) {
	accessAll(f)
	f.Retain(30, 0)
	f.Pass(40 * 24 * time.Hour)
	june, at := f.AddMessage("June"), f.Now.Unix()+3600
	var later enlist.BatchID
	store := &hookedStore{Engine: f.Store, before: func() {
		var err error
		later, err = addAwaiting(f, f.App, june, at)
		f.Must(err)
	}}
	step, _, err := app.New(store, f.Clock).Privacy.ApplyRetention(f.Context(), privacy.ApplyRetention{Account: f.Caller.Account.ID})
	f.Must(err)
	if later == 0 || step.Events != 0 {
		f.Errorf("%d events were removed, although the Batch %d needs them", step.Events, later)
	}
	f.Now = time.Unix(at, 0)
	f.Prepare(later)
	f.WantAddresses(f.SendAll(nil)) // all have opened the first Batch
	removeOldEvents(f, 8)
}

// removalBeginsWhileABatchIsAdded begins a run while the transaction of addBatch has not committed.
func removalBeginsWhileABatchIsAdded(f *apptest.SentBatch) {
	accessAll(f)
	f.Retain(30, 0)
	f.Pass(40 * 24 * time.Hour)
	june := f.AddMessage("June")
	removed := make(chan int64, 1)
	store := &hookedStore{Engine: f.Store, inside: func() {
		go func() {
			step, _, err := f.App.Privacy.ApplyRetention(f.Context(), privacy.ApplyRetention{Account: f.Caller.Account.ID})
			if err != nil {
				f.Error(err)
			}
			removed <- step.Events
		}()
		select {
		case n := <-removed:
			f.Errorf("a run did not wait for addBatch, and removed %d events", n)
			removed <- n
		case <-time.After(300 * time.Millisecond): // it waits
		}
	}}
	_, err := addAwaiting(f, app.New(store, f.Clock), june, f.Now.Unix()+3600)
	f.Must(err)
	if n := <-removed; n != 0 {
		f.Errorf("%d events were removed, although a Batch needs them", n)
	}
}

// retentionIsScheduled tests that one job a day is stored for an Account with a Retention.
func retentionIsScheduled(o *apptest.Account) {
	wantJobs := func(want int) {
		o.Helper()
		for range 2 {
			o.Must(o.App.Privacy.ScheduleRetention(o.Context()))
		}
		if n := o.Jobs("apply_retention"); n != want {
			o.Errorf("%d jobs wait, want %d", n, want)
		}
	}
	wantJobs(0)
	for _, days := range []int64{29, -1, 36501} {
		o.Refused(o.App.Privacy.SetRetention(o.Context(), o.Caller.Account.ID, enlist.Retention{Events: days}), enlist.InvalidParameters, "30 to 36500 days")
	}
	o.Retain(365, 0)
	wantJobs(1)
	o.Now = o.Now.Add(24 * time.Hour)
	wantJobs(2)
	o.Retain(0, 0)
	o.Now = o.Now.Add(24 * time.Hour)
	wantJobs(2)
}
