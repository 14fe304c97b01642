package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/privacy"
	"enlist/internal/reports"
)

// This file tests how old opens and clicks, and old texts in the records of mails, are removed.

// retain sets the days of both kinds.
func (o *accountFixture) retain(events, deliveries int64) {
	o.Helper()
	o.must(o.service.Privacy.SetRetention(o.Context(), o.caller.Account.ID, enlist.Retention{Events: events, Deliveries: deliveries}))
}

// removeOld runs the steps of the job. It returns how many rows were removed or lost their texts.
func (o *accountFixture) removeOld() (events, deliveries int64) {
	o.Helper()
	step := privacy.ApplyRetention{Account: o.caller.Account.ID}
	for done := false; !done; {
		var err error
		step, done, err = o.service.Privacy.ApplyRetention(o.Context(), step)
		o.must(err)
	}
	return step.Events, step.Deliveries
}

// removeOldEvents runs the steps of the job, and checks how many opens and clicks were removed.
func (f *eventFixture) removeOldEvents(want int64) {
	f.Helper()
	if events, _ := f.removeOld(); events != want {
		f.Errorf("%d events were removed, want %d", events, want)
	}
}

// wantPlan checks what a dry run says.
func (o *accountFixture) wantPlan(events, deliveries int64, delayed ...enlist.BatchID) {
	o.Helper()
	account, err := o.service.Accounts.Operator(o.Context(), o.caller.Account.ID)
	o.must(err)
	plans, err := o.service.Privacy.PlanRetention(o.Context(), account, account.Account.Retention)
	o.must(err)
	if plans[0].Rows != events || plans[1].Rows != deliveries || (events > 0) != (plans[0].Oldest > 0) || len(plans[0].Delayed) != len(delayed) {
		o.Errorf("the plan is %+v, want %d events, %d deliveries and the delayed Batches %v", plans, events, deliveries, delayed)
	}
}

// accessAll opens all mails of the fixture and clicks a link of the first.
func (f *eventFixture) accessAll() {
	f.Helper()
	for _, contact := range f.contacts {
		f.open(contact, personAgent)
	}
	f.click(f.contacts[0], f.links[0], personAgent)
}

// search returns the error of a search for the Contacts that opened the Batch.
func (f *eventFixture) search(key, operator string) error {
	_, err := f.service.Contacts.CountContacts(f.Context(), f.caller, f.news, triple(key, operator, int(f.batch)))
	return err
}

func oldEventsAreRemoved(f *eventFixture) {
	f.accessAll()
	f.wantPlan(0, 0)
	before := f.report().BatchSums
	f.retain(30, 0)
	f.pass(29 * 24 * time.Hour)
	f.wantPlan(0, 0)
	if events, _ := f.removeOld(); events != 0 {
		f.Errorf("after 29 days %d events were removed", events)
	}
	f.must(f.search("batch_opened", "exactly"))
	f.pass(48 * time.Hour)
	f.wantPlan(8, 0)
	crashes(f.accountFixture, func(s *app.App) (bool, error) {
		_, done, err := s.Privacy.ApplyRetention(f.Context(), privacy.ApplyRetention{Account: f.caller.Account.ID})
		return done, err
	})
	f.wantPlan(0, 0)
	if events, _ := f.removeOld(); events != 0 {
		f.Errorf("a second run removed %d events", events)
	}
	f.wantSums(before)
	f.accessAll() // late
	f.wantSums(before)
	if c := f.contact(f.news, f.contacts[0]); c.LastOpenTime != f.now.Unix() {
		f.Errorf("a late open leaves last_open_time at %d, want %d", c.LastOpenTime, f.now.Unix())
	}
	f.run("what needs the events is refused, and is not empty", func() {
		for _, key := range []string{"batch_opened", "batch_clicked"} {
			f.refused(f.search(key, "exactly"), enlist.InvalidSearch, "the opens and clicks of Batch")
			f.refused(f.search(key, "not"), enlist.InvalidSearch, "the opens and clicks of Batch")
		}
		f.must(f.search("batch_sent", "exactly"))
		for _, kind := range []batches.EventKind{batches.EventOpened, batches.EventClicked, batches.EventLink, batches.RowsNotOpened} {
			err := f.service.Reports.BatchRows(f.Context(), f.caller, reports.RowsRequest{Batch: f.batch, Kind: kind}, enlist.Query{}, nil)
			f.refused(err, enlist.InvalidSearch, "the opens and clicks of Batch")
		}
		_, err := f.service.Batches.AddBatch(f.Context(), f.caller, batches.BatchRequest{Message: f.message, Populations: []batches.PopulationRequest{whole(f.news)},
			Options: batches.BatchOptions{Exclude: batches.Exclusion{Criteria: triple("batch_opened", "exactly", int(f.batch))}}})
		f.refused(err, enlist.InvalidSearch, "the opens and clicks of Batch")
	})
}

func awaitedEventsStay(f *eventFixture) {
	f.accessAll()
	f.retain(30, 0)
	f.pass(40 * 24 * time.Hour)
	at := f.now.Unix() + 3600
	later, err := f.addAwaiting(f.service, f.addMessage("June"), at)
	f.must(err)
	f.wantPlan(0, 0, f.batch)
	if events, _ := f.removeOld(); events != 0 {
		f.Errorf("%d events were removed, although a Batch needs them", events)
	}
	f.now = time.Unix(at, 0)
	f.prepare(later)
	f.wantAddresses(f.sendAll(nil))
	if events, _ := f.removeOld(); events != 8 {
		f.Errorf("%d events were removed after the Batch has read its recipients, want 8", events)
	}
}

func oldTextsAreRemoved(f *eventFixture) {
	f.must(f.service.Sending.RecordNotSent(f.Context(), &messages.OutgoingMail{Contact: f.contact(f.news, f.contacts[1]), Address: "a1@example.com",
		Delivery: enlist.DeliveryKey{List: f.news, Contact: f.contacts[1], Time: 1, Cause: "c"}},
		&messages.Undelivered{Permanent: true, Recipient: true, Code: 550, Detail: "no a1@example.com"}))
	f.retain(0, 30)
	f.pass(31 * 24 * time.Hour)
	f.wantPlan(0, 7)
	if _, deliveries := f.removeOld(); deliveries != 7 {
		f.Errorf("%d records lost their texts, want 7", deliveries)
	}
	f.wantPlan(0, 0)
	for _, contact := range f.contacts {
		for _, m := range f.messagesSent(f.news, contact) {
			wantAddress := ""
			if m.Status == messages.DeliveryBounced {
				wantAddress = "a1@example.com" // the rule of bounces needs it
			}
			if m.Address != wantAddress || m.Subject != "" || m.Detail != "" || m.SentTime == 0 {
				f.Errorf("the mail is %+v, want only its IDs, times and status", m)
			}
		}
	}
	f.run("the records still prove what was sent", func() {
		f.add(batches.PopulationRequest{List: f.news, Type: "unsent"})
		f.wantAddresses(f.sendAll(nil))
		f.addChecked(batches.BatchRequest{Message: f.addMessage("June"), Populations: []batches.PopulationRequest{whole(f.news)},
			Options: batches.BatchOptions{Exclude: batches.Exclusion{Batches: []enlist.BatchID{f.batch}}}})
		f.wantAddresses(f.sendAll(nil))
		f.must(f.search("batch_sent", "exactly"))
	})
	f.run("an old link unsubscribes, and shows no address, because it may have changed", func() {
		v, err := f.service.Sending.UnsubscribeByLink(f.Context(), f.mail(f.contacts[2]), "")
		f.must(err)
		if v.Address() != "" || !f.contact(f.news, f.contacts[2]).IsUnsubscribed {
			f.Errorf("the link shows %q", v.Address())
		}
	})
	f.run("a late bounce is ignored, and a late complaint unsubscribes without storing its text", func() {
		isNew, err := f.service.Sending.Bounced(f.Context(), f.mail(f.contacts[3]), "a3@example.com is gone")
		f.must(err)
		if isNew {
			f.Error("the late bounce was stored")
		}
		_, err = f.service.Sending.Complained(f.Context(), f.mail(f.contacts[4]), "a4@example.com complains")
		f.must(err)
		if m := f.messagesSent(f.news, f.contacts[4]); !f.contact(f.news, f.contacts[4]).IsUnsubscribed || strings.Contains(m[0].Detail, "@") {
			f.Errorf("the mails after the complaint are %+v", m)
		}
	})
}

// addAwaiting adds a Batch that is sent to who has not opened the Batch of the fixture. It reads its recipients later.
func (f *eventFixture) addAwaiting(s *app.App, message enlist.MessageID, at int64) (enlist.BatchID, error) {
	return s.Batches.AddBatch(f.Context(), f.caller, batches.BatchRequest{Message: message, SendTime: at,
		Populations: []batches.PopulationRequest{{List: f.news, Time: "send"}},
		Options:     batches.BatchOptions{Exclude: batches.Exclusion{Criteria: triple("batch_opened", "exactly", int(f.batch))}}})
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
func batchAddedBeforeRemoval(f *eventFixture) {
	f.accessAll()
	f.retain(30, 0)
	f.pass(40 * 24 * time.Hour)
	june, at := f.addMessage("June"), f.now.Unix()+3600
	var later enlist.BatchID
	store := &hookedStore{Engine: f.store, before: func() {
		var err error
		later, err = f.addAwaiting(f.service, june, at)
		f.must(err)
	}}
	step, _, err := app.New(store, f.clock).Privacy.ApplyRetention(f.Context(), privacy.ApplyRetention{Account: f.caller.Account.ID})
	f.must(err)
	if later == 0 || step.Events != 0 {
		f.Errorf("%d events were removed, although the Batch %d needs them", step.Events, later)
	}
	f.now = time.Unix(at, 0)
	f.prepare(later)
	f.wantAddresses(f.sendAll(nil)) // all have opened the first Batch
	f.removeOldEvents(8)
}

// removalBeginsWhileABatchIsAdded begins a run while the transaction of addBatch has not committed.
func removalBeginsWhileABatchIsAdded(f *eventFixture) {
	f.accessAll()
	f.retain(30, 0)
	f.pass(40 * 24 * time.Hour)
	june := f.addMessage("June")
	removed := make(chan int64, 1)
	store := &hookedStore{Engine: f.store, inside: func() {
		go func() {
			step, _, err := f.service.Privacy.ApplyRetention(f.Context(), privacy.ApplyRetention{Account: f.caller.Account.ID})
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
	_, err := f.addAwaiting(app.New(store, f.clock), june, f.now.Unix()+3600)
	f.must(err)
	if n := <-removed; n != 0 {
		f.Errorf("%d events were removed, although a Batch needs them", n)
	}
}

// retentionIsScheduled tests that one job a day is stored for an Account with a Retention.
func retentionIsScheduled(t *testing.T, e Engine) {
	o := newAccountFixture(t, e.Open)
	wantJobs := func(want int) {
		t.Helper()
		for range 2 {
			o.must(o.service.Privacy.ScheduleRetention(t.Context()))
		}
		if n := e.Jobs(t, o.store, "apply_retention"); n != want {
			t.Errorf("%d jobs wait, want %d", n, want)
		}
	}
	wantJobs(0)
	for _, days := range []int64{29, -1, 36501} {
		o.refused(o.service.Privacy.SetRetention(t.Context(), o.caller.Account.ID, enlist.Retention{Events: days}), enlist.InvalidParameters, "30 to 36500 days")
	}
	o.retain(365, 0)
	wantJobs(1)
	o.now = o.now.Add(24 * time.Hour)
	wantJobs(2)
	o.retain(0, 0)
	o.now = o.now.Add(24 * time.Hour)
	wantJobs(2)
}

// bouncesBeyondRetention tests that the rule of three bounces is the same after texts were removed.
func bouncesBeyondRetention(m *listWithOneContact) {
	m.retain(0, 30)
	month := func() {
		m.now = m.now.Add(31 * 24 * time.Hour)
		m.removeOld()
	}
	for range 2 {
		m.bounce(m.send(), true)
		month()
	}
	m.send() // arrives, and ends the row of bounces
	month()
	m.bounce(m.send(), true)
	m.active(true)
	month()
	m.bounce(m.send(), true)
	month()
	m.active(true)
	m.bounce(m.send(), true)
	m.active(false)
}
