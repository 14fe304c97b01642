package sending_test

import (
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file tests reports of bounces and complaints about mails of Batches.

// covers: spec batch.status, decision 59, 63, 101
func TestABatchIsPaused(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "a Batch that is 6 hours late is paused", Test: latePauses},
		{Name: "with local_time a Batch is late if a zone is", Test: localTimeIsLatePerZone},
		{Name: "with local_time a Batch that begins late for a zone is paused", Test: localTimeIsLateAtTheBeginning},
		{Name: "50 bounces among 1,000 mails pause a Batch", Test: bouncesPause},
		{Name: "50 bounces that are reported later pause a Batch", Test: reportedBouncesPause},
		{Name: "3 complaints among 1,000 mails pause a Batch, and 3 further ones after unpause", Test: complaintsPause},
		{Name: "complaints about earlier mails lose their weight", Test: complaintsLoseWeight},
	})
}

// covers: decision 101
func TestReportsAfterTheEndOfABatch(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "a complaint about a mail of a deleted Batch unsubscribes its Contact once", Test: complaintAfterDeletion},
		{Name: "bounces of deleted Batches count towards the deactivation", Test: bouncesAfterDeletion},
		{Name: "a complaint about a mail that was not sent changes nothing", Test: complaintBeforeSending},
	})
}

// sendKeys sends all mails of the Batches and returns the keys of the accepted ones by Contact.
func sendKeys(f *apptest.Batches) map[enlist.ContactID]enlist.DeliveryKey {
	f.Helper()
	keys := make(map[enlist.ContactID]enlist.DeliveryKey)
	f.SendAll(func(m *sending.BatchMail) *messages.Undelivered {
		keys[m.Contact.ID] = m.Delivery
		return nil
	})
	return keys
}

// complain reports a complaint, and checks whether the Service treats the report as new.
func complain(f *apptest.Batches, k enlist.DeliveryKey, isNew bool) {
	f.Helper()
	changed, err := f.App.Sending.Complained(f.Context(), k, "abuse")
	f.Must(err)
	if changed != isNew {
		f.Errorf("a complaint about %v is new: %t, want %t", k, changed, isNew)
	}
}

func wantUnsubscribed(f *apptest.Batches, id enlist.ContactID, want bool) {
	f.Helper()
	if c := f.Contact(f.News, id); c.IsUnsubscribed != want {
		f.Errorf("Contact %d is unsubscribed: %t, want %t", id, c.IsUnsubscribed, want)
	}
}

func complaintAfterDeletion(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 4)
	id := f.Add(apptest.Whole(f.News))
	keys := sendKeys(f)
	f.Must(f.App.Messages.DeleteMessage(f.Context(), f.Caller, f.Message))
	complain(f, keys[ids[0]], true)
	f.Must(f.App.Batches.DeleteBatch(f.Context(), f.Caller, id))
	complain(f, keys[ids[1]], true) // before the job has removed the rows
	for done := false; !done; {
		var err error
		done, err = f.App.Batches.RemoveBatch(f.Context(), batches.RemoveBatch{Batch: id})
		f.Must(err)
	}
	complain(f, keys[ids[2]], true)
	for _, id := range ids[:3] {
		wantUnsubscribed(f, id, true)
	}
	for _, id := range ids[1:3] {
		_, err := f.App.Contacts.Resubscribe(f.Context(), f.Caller, contacts.ResubscribeRequest{List: f.News, Contact: id})
		f.Must(err)
		complain(f, keys[id], false) // a repeated report
		wantUnsubscribed(f, id, false)
	}
	wantUnsubscribed(f, ids[3], false)
	sent := f.MessagesSent(f.News, ids[2])
	if len(sent) != 1 || sent[0].Status != messages.DeliveryComplained || sent[0].Address != "a2@example.com" {
		f.Errorf("the mails to the Contact are %+v, want one with the complaint", sent)
	}
}

func bouncesAfterDeletion(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 2)
	bounce := func(k enlist.DeliveryKey) {
		f.Helper()
		for _, isNew := range []bool{true, false} {
			changed, err := f.App.Sending.Bounced(f.Context(), k, "5.1.1 user unknown")
			f.Must(err)
			if changed != isNew {
				f.Errorf("a bounce of %v is new: %t, want %t", k, changed, isNew)
			}
		}
	}
	var first enlist.DeliveryKey // of the second Contact; its report is late
	for n := range 4 {
		id := f.Add(apptest.Whole(f.News))
		keys := sendKeys(f)
		if n != 1 {
			f.RemoveBatch(id)
		}
		f.Now = f.Now.Add(25 * time.Hour)
		if n < 3 {
			bounce(keys[ids[0]])
			if c := f.Contact(f.News, ids[0]); c.IsActive != (n < 2) || c.IsBounceDeactivated == c.IsActive {
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
	if c := f.Contact(f.News, ids[1]); !c.IsActive {
		f.Error("a mail that arrived between three bounces did not end their row")
	}
}

func complaintBeforeSending(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 1)
	id := f.Add(apptest.Whole(f.News))
	complain(f, enlist.DeliveryKey{List: f.News, Contact: ids[0], Time: f.Batch(id).CreationTime, Cause: batches.CauseBatch(id)}, false)
	wantUnsubscribed(f, ids[0], false)
}

// sendSome sends n mails of a slice and returns their keys.
func sendSome(f *apptest.Batches, s *sending.LeasedSlice, n int) (keys []enlist.DeliveryKey) {
	f.Helper()
	var results []sending.BatchResult
	for i, m := range f.Mails(s) {
		results = append(results, sending.BatchResult{Recipient: m.Recipient, NotTried: i >= n})
		keys = append(keys, m.Delivery)
	}
	f.Advance(sending.BatchProgress{Slice: s, Results: results, Release: true})
	return keys[:n]
}

func complaintsPause(f *apptest.Batches) {
	f.SubscribeMany(f.News, 20)
	id := f.Add(apptest.Whole(f.News))
	keys := sendSome(f, f.Lease("a"), 10)
	for round := range 2 {
		for i, key := range keys[round*3 : round*3+3] {
			if b := f.Batch(id); b.Status != batches.BatchSending {
				f.Errorf("round %d: after %d complaints the Batch is %s", round, i, b.Status)
			}
			complain(f, key, true)
		}
		if b := f.Batch(id); b.Status != batches.BatchPaused || !strings.Contains(b.Reason, "complaints") {
			f.Errorf("round %d: after 3 complaints the Batch is %s (%s), want it paused", round, b.Status, b.Reason)
		}
		f.Edit(id, "unpause")
		f.Prepare(id)
	}
	if got := f.SendAll(nil); len(got) != 10 {
		f.Errorf("after unpause %d mails were sent, want 10", len(got))
	}
}

func complaintsLoseWeight(f *apptest.Batches) {
	f.AddMany(f.News, 2200)
	id := f.Add(apptest.Whole(f.News))
	complaints := 0
	for s := f.Lease("a"); s != nil; s = f.Lease("a") {
		key := sendSome(f, s, len(s.Recipients))[0]
		if f.Batch(id).Status == batches.BatchSending {
			complain(f, key, true) // one of 500
			complaints++
		}
	}
	if b := f.Batch(id); complaints != 5 || b.Status != batches.BatchCompleted {
		f.Errorf("after %d complaints among 2,200 mails the Batch is %s (%s), want 5 and it completed", complaints, b.Status, b.Reason)
	}
}
