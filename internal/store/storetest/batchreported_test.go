package storetest

import (
	"strings"
	"time"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file tests reports of bounces and complaints about mails of Batches.

// sendKeys sends all mails of the Batches and returns the keys of the accepted ones by Contact.
func (f *batchFixture) sendKeys() map[enlist.ContactID]enlist.DeliveryKey {
	f.Helper()
	keys := make(map[enlist.ContactID]enlist.DeliveryKey)
	f.sendAll(func(m *sending.BatchMail) *messages.Undelivered {
		keys[m.Contact.ID] = m.Delivery
		return nil
	})
	return keys
}

// complain reports a complaint, and checks whether the Service treats the report as new.
func (f *batchFixture) complain(k enlist.DeliveryKey, isNew bool) {
	f.Helper()
	changed, err := f.service.Sending.Complained(f.Context(), k, "abuse")
	f.must(err)
	if changed != isNew {
		f.Errorf("a complaint about %v is new: %t, want %t", k, changed, isNew)
	}
}

func (f *batchFixture) wantUnsubscribed(id enlist.ContactID, want bool) {
	f.Helper()
	if c := f.contact(f.news, id); c.IsUnsubscribed != want {
		f.Errorf("Contact %d is unsubscribed: %t, want %t", id, c.IsUnsubscribed, want)
	}
}

func complaintAfterDeletion(f *batchFixture) {
	ids := f.subscribeMany(f.news, 4)
	id := f.add(whole(f.news))
	keys := f.sendKeys()
	f.must(f.service.Messages.DeleteMessage(f.Context(), f.caller, f.message))
	f.complain(keys[ids[0]], true)
	f.must(f.service.Batches.DeleteBatch(f.Context(), f.caller, id))
	f.complain(keys[ids[1]], true) // before the job has removed the rows
	for done := false; !done; {
		var err error
		done, err = f.service.Batches.RemoveBatch(f.Context(), batches.RemoveBatch{Batch: id})
		f.must(err)
	}
	f.complain(keys[ids[2]], true)
	for _, id := range ids[:3] {
		f.wantUnsubscribed(id, true)
	}
	for _, id := range ids[1:3] {
		_, err := f.service.Contacts.Resubscribe(f.Context(), f.caller, contacts.ResubscribeRequest{List: f.news, Contact: id})
		f.must(err)
		f.complain(keys[id], false) // a repeated report
		f.wantUnsubscribed(id, false)
	}
	f.wantUnsubscribed(ids[3], false)
	sent := f.messagesSent(f.news, ids[2])
	if len(sent) != 1 || sent[0].Status != messages.DeliveryComplained || sent[0].Address != "a2@example.com" {
		f.Errorf("the mails to the Contact are %+v, want one with the complaint", sent)
	}
}

func bouncesAfterDeletion(f *batchFixture) {
	ids := f.subscribeMany(f.news, 2)
	bounce := func(k enlist.DeliveryKey) {
		f.Helper()
		for _, isNew := range []bool{true, false} {
			changed, err := f.service.Sending.Bounced(f.Context(), k, "5.1.1 user unknown")
			f.must(err)
			if changed != isNew {
				f.Errorf("a bounce of %v is new: %t, want %t", k, changed, isNew)
			}
		}
	}
	var first enlist.DeliveryKey // of the second Contact; its report is late
	for n := range 4 {
		id := f.add(whole(f.news))
		keys := f.sendKeys()
		if n != 1 {
			f.removeBatch(id)
		}
		f.now = f.now.Add(25 * time.Hour)
		if n < 3 {
			bounce(keys[ids[0]])
			if c := f.contact(f.news, ids[0]); c.IsActive != (n < 2) || c.IsBounceDeactivated == c.IsActive {
				f.Errorf("after %d bounces, the Contact is active: %t", n+1, c.IsActive)
			}
		}
		switch n {
		case 0:
			first = keys[ids[1]]
		case 1: // the mail arrived
		default:
			bounce(keys[ids[1]])
		}
	}
	bounce(first)
	if c := f.contact(f.news, ids[1]); !c.IsActive {
		f.Error("a mail that arrived between three bounces did not end their row")
	}
}

func complaintBeforeSending(f *batchFixture) {
	ids := f.subscribeMany(f.news, 1)
	id := f.add(whole(f.news))
	f.complain(enlist.DeliveryKey{List: f.news, Contact: ids[0], Time: f.batch(id).CreationTime, Cause: batches.CauseBatch(id)}, false)
	f.wantUnsubscribed(ids[0], false)
}

// sendSome sends n mails of a slice and returns their keys.
func (f *batchFixture) sendSome(s *sending.LeasedSlice, n int) (keys []enlist.DeliveryKey) {
	f.Helper()
	var results []sending.BatchResult
	for i, m := range f.mails(s) {
		results = append(results, sending.BatchResult{Recipient: m.Recipient, NotTried: i >= n})
		keys = append(keys, m.Delivery)
	}
	f.advance(sending.BatchProgress{Slice: s, Results: results, Release: true})
	return keys[:n]
}

func complaintsPause(f *batchFixture) {
	f.subscribeMany(f.news, 20)
	id := f.add(whole(f.news))
	keys := f.sendSome(f.lease("a"), 10)
	for round := range 2 {
		for i, key := range keys[round*3 : round*3+3] {
			if b := f.batch(id); b.Status != batches.BatchSending {
				f.Errorf("round %d: after %d complaints the Batch is %s", round, i, b.Status)
			}
			f.complain(key, true)
		}
		if b := f.batch(id); b.Status != batches.BatchPaused || !strings.Contains(b.Reason, "complaints") {
			f.Errorf("round %d: after 3 complaints the Batch is %s (%s), want it paused", round, b.Status, b.Reason)
		}
		f.edit(id, "unpause")
		f.prepare(id)
	}
	if got := f.sendAll(nil); len(got) != 10 {
		f.Errorf("after unpause %d mails were sent, want 10", len(got))
	}
}

func complaintsLoseWeight(f *batchFixture) {
	f.addMany(f.news, 2200)
	id := f.add(whole(f.news))
	complaints := 0
	for s := f.lease("a"); s != nil; s = f.lease("a") {
		key := f.sendSome(s, len(s.Recipients))[0]
		if f.batch(id).Status == batches.BatchSending {
			f.complain(key, true) // one of 500
			complaints++
		}
	}
	if b := f.batch(id); complaints != 5 || b.Status != batches.BatchCompleted {
		f.Errorf("after %d complaints among 2,200 mails the Batch is %s (%s), want 5 and it completed", complaints, b.Status, b.Reason)
	}
}
