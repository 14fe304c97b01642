package sending_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/sending"
)

// This file tests Batches without a mail server: which Contacts become recipients, and how senders
// lease slices and store results.

// The tests populate Batches, lease slices of them as senders do, and store all kinds of results.
//
// covers: spec batch.populations, batch.once, batch.counts, batch.status, batch.exclude, batch.local_time
// covers: decision 59, 62, 78, 101
func TestRecipientsOfABatch(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "each Contact that may get the mail becomes a recipient once", Test: populationLeavesOut},
		{Name: "an address gets one mail in all Lists of a Batch", Test: oneMailForAnAddress},
		{Name: "unsent leaves out the Contacts that were sent the Message", Test: unsentLeavesOut},
		{Name: "unsent leaves out the Contacts that were sent the Message as a variant", Test: unsentKnowsVariants},
		{Name: "a search finds the recipients", Test: populationBySearch},
		{Name: "two jobs that search the recipients at the same time store them once", Test: searchesAtTheSameTime},
		{Name: "recipients of the time send are read at the send time", Test: populationAtSendTime},
		{Name: "a population of thousands is stored in steps and slices", Test: populationInSteps},
		{Name: "a Contact that unsubscribed after the population gets nothing", Test: unsubscribedGetsNothing},
		{Name: "after a lease ended, another sender sends the recipients in doubt again", Test: doubtIsSentAgain},
		{Name: "a paused Batch gives out no slice", Test: pausedGivesNoSlice},
		{Name: "a temporary failure is tried again later", Test: deferredIsTriedAgain},
		{Name: "the counts of a Batch equal its recipients", Test: countsEqualRecipients},
		{Name: "a deleted Contact is skipped", Test: deletedContact},
		{Name: "results that are stored twice count once", Test: resultsCountOnce},
		{Name: "the result of a mail does not store the address of a person who was erased meanwhile", Test: erasedWhileSent},
		{Name: "the mark of a recipient does not store the new address of a person who was erased meanwhile", Test: erasedBeforeSending},
		{Name: "an address on the Unsubscriber List for all Lists gets no mail, until it is subscribed again", Test: suppressedGetsNothing},
		{Name: "excluded Contacts are left out and counted", Test: excludedAreLeftOut},
		{Name: "a Batch that skips doubtful mails does not send them again", Test: doubtfulIsSkipped},
		{Name: "a Batch without a send time is sent although the clock was put back", Test: putBackClockDelaysNothing},
		{Name: "with local_time each recipient gets the mail at the send time of its zone", Test: localTimeFollowsTheZones},
		{Name: "on daylight-saving nights a skipped time is its end, and a repeated time is the first", Test: localTimeOnDaylightSavingNights},
		{Name: "with local_time recipients whose time has passed get the mail at once", Test: localTimeThatHasPassed},
		{Name: "local_time needs the Field, and without it means the Account's zone", Test: localTimeNeedsTheField},
	})
}

func populationLeavesOut(f *apptest.Batches) {
	confirmed := f.AddList("double_opt_in_required", true)
	f.Subscribe(confirmed, "Email", "waiting@x.io")
	_, err := f.App.Contacts.Confirm(f.Context(), f.Caller, contacts.ContactRequest{List: confirmed, Contact: f.Subscribe(confirmed, "Email", "asked@x.io")})
	f.Must(err)
	f.Subscribe(f.News, "Email", "ann@x.io")
	_, err = f.App.Contacts.UnsubscribeByID(f.Context(), f.Caller, contacts.ContactRequest{List: f.News, Contact: f.Subscribe(f.News, "Email", "left@x.io")})
	f.Must(err)
	off := f.Subscribe(f.News, "Email", "off@x.io")
	_, err = f.App.Contacts.Deactivate(f.Context(), f.Caller, f.News, off)
	f.Must(err)
	id := f.Add(apptest.Whole(f.News), apptest.Whole(confirmed),
		batches.PopulationRequest{List: f.News, Type: "contacts", Contacts: []enlist.ContactID{off, 99_999}})
	b := f.Batch(id)
	want := recipients.Counts{Recipients: 2, LeftUnsubscribed: 1, LeftInactive: 2, LeftUnconfirmed: 1, LeftGone: 1}
	if b.Counts != want || b.Status != batches.BatchSending || !b.IsPopulated {
		f.Errorf("the Batch is %+v, want %+v, sending and populated", *b, want)
	}
	f.WantAddresses(f.SendAll(nil), "ann@x.io", "asked@x.io")
	f.WantStatus(id, batches.BatchCompleted)
}

func oneMailForAnAddress(f *apptest.Batches) {
	other, all := f.AddList(), f.AddList("allow_send_to_duplicates", true)
	id := f.Subscribe(f.News, "Email", "ann@x.io")
	f.Subscribe(f.News, "Email", "bob@x.io")
	for _, l := range []enlist.ListID{f.News, other, all} {
		added, err := f.App.Contacts.AddContacts(f.Context(), f.Caller, contacts.AddRequest{List: l,
			Contacts: [][]enlist.Detail{apptest.Details("Email", "Ann@x.io"), apptest.Details("Email", "eve@x.io")}})
		f.Must(err)
		if len(added) != 2 {
			f.Fatalf("added %v", added)
		}
	}
	again := batches.PopulationRequest{List: f.News, Type: "contacts", Contacts: []enlist.ContactID{id}}
	batch := f.Add(apptest.Whole(f.News), apptest.Whole(other), again)
	f.WantAddresses(f.SendAll(nil), "ann@x.io", "bob@x.io", "eve@x.io")
	if n := f.Batch(batch).LeftDuplicate; n != 3 {
		f.Errorf("%d duplicates were left out, want 3", n)
	}
	f.Add(apptest.Whole(all), apptest.Whole(all))
	f.WantAddresses(f.SendAll(nil), "Ann@x.io", "eve@x.io")
}

func unsentLeavesOut(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 2)
	f.Add(batches.PopulationRequest{List: f.News, Type: "contacts", Contacts: ids[:1]})
	f.SendAll(nil)
	f.Add(batches.PopulationRequest{List: f.News, Type: "unsent"})
	f.WantAddresses(f.SendAll(nil), "a1@example.com")
	last := f.Add(batches.PopulationRequest{List: f.News, Type: "unsent"})
	f.WantAddresses(f.SendAll(nil))
	f.WantStatus(last, batches.BatchCompleted)
	if n := f.Batch(last).LeftSentBefore; n != 2 {
		f.Errorf("%d Contacts were sent the Message before, want 2", n)
	}
}

func unsentKnowsVariants(f *apptest.Batches) {
	f.SubscribeMany(f.News, 3)
	other := f.AddMessage("June")
	f.AddWith(batches.BatchOptions{VariantOptions: batches.VariantOptions{Share: 100,
		Variants: []batches.Variant{{Message: other}, {Message: other, Subject: "Other"}}}})
	f.SendAll(nil)
	f.Message = other
	f.Add(batches.PopulationRequest{List: f.News, Type: "unsent"})
	f.WantAddresses(f.SendAll(nil))
}

func populationBySearch(f *apptest.Batches) {
	f.SubscribeMany(f.News, 3)
	f.Add(batches.PopulationRequest{List: f.News, Criteria: apptest.Criterion("Email", "contains", "a1")})
	f.WantAddresses(f.SendAll(nil), "a1@example.com")
	at := f.Now.Unix() + 3600
	id := f.AddAt(at, batches.PopulationRequest{List: f.News, Criteria: apptest.Criterion("Email", "contains", "late"), Time: "send"})
	f.Subscribe(f.News, "Email", "late@x.io")
	f.Now = time.Unix(at, 0)
	f.Prepare(id)
	f.WantAddresses(f.SendAll(nil), "late@x.io")
}

// searchesAtTheSameTime prepares a Batch while another job has searched its recipients and not stored them, as after a
// pause that was short.
func searchesAtTheSameTime(f *apptest.Batches) {
	f.SubscribeMany(f.News, 3)
	id, err := f.App.Batches.AddBatch(f.Context(), f.Caller, batches.BatchRequest{Message: f.Message,
		Populations: []batches.PopulationRequest{{List: f.News, Criteria: apptest.Criterion("Email", "contains", "a")}}})
	f.Must(err)
	other := app.New(&apptest.CrashingStore{Engine: f.Store, At: 2, Then: func() { f.Prepare(id) }}, f.Clock)
	for done := false; !done; {
		done, _, err = other.Sending.PrepareBatch(f.Context(), batches.PrepareBatch{Batch: id})
		f.Must(err)
	}
	if b := f.Batch(id); b.Counts != (recipients.Counts{Recipients: 3}) {
		f.Errorf("the counts are %+v, want 3 recipients", b.Counts)
	}
	apptest.View(f.T, f.Store, func(tx *db.Tx) error {
		all, err := batches.Populations(tx, id)
		if len(all) != 1 || !all[0].Done {
			f.Errorf("the populations are %+v, want one that is done", all)
		}
		return err
	})
}

func populationAtSendTime(f *apptest.Batches) {
	f.SubscribeMany(f.News, 1)
	at := f.Now.Unix() + 3600
	id := f.AddAt(at, batches.PopulationRequest{List: f.News, Time: "send"})
	f.WantStatus(id, batches.BatchPending)
	f.Subscribe(f.News, "Email", "later@x.io")
	f.Now = f.Now.Add(time.Hour)
	f.Prepare(id)
	f.WantAddresses(f.SendAll(nil), "a0@example.com", "later@x.io")
}

func populationInSteps(f *apptest.Batches) {
	const n = 5200
	f.AddMany(f.News, n)
	id := f.Add(apptest.Whole(f.News))
	if got := slices.Compact(f.SendAll(nil)); len(got) != n {
		f.Errorf("%d addresses got a mail, want %d", len(got), n)
	}
	if b := f.Batch(id); b.Sent != n || b.Status != batches.BatchCompleted || b.FirstSent != f.Now.Unix() {
		f.Errorf("the Batch is %+v, want %d sent and completed", *b, n)
	}
}

func unsubscribedGetsNothing(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 2)
	id := f.Add(apptest.Whole(f.News))
	_, err := f.App.Contacts.UnsubscribeByID(f.Context(), f.Caller, contacts.ContactRequest{List: f.News, Contact: ids[0]})
	f.Must(err)
	f.WantAddresses(f.SendAll(nil), "a1@example.com")
	b := f.Batch(id)
	want := recipients.Counts{Recipients: 2, Sent: 1, Skipped: 1, LeftUnsubscribed: 1,
		Unmeasured: recipients.Unmeasured{Opens: 1, Clicks: 1}}
	if b.Counts != want || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want %+v and completed", *b, want)
	}
}

func doubtIsSentAgain(f *apptest.Batches) {
	f.SubscribeMany(f.News, 2)
	id := f.Add(apptest.Whole(f.News))
	s := f.Lease("a")
	mails := f.Mails(s)
	f.Advance(sending.BatchProgress{Slice: s, Results: []sending.BatchResult{{Recipient: mails[0].Recipient, Address: mails[0].Address}}})
	if f.Lease("b") != nil {
		f.Error("another sender got the slice before the lease ended")
	}
	f.Now = f.Now.Add((sending.SliceLease + 1) * time.Second)
	again := f.Lease("b")
	if again == nil || len(again.Recipients) != 1 {
		f.Fatalf("the other sender got %+v, want the recipient in doubt", again)
	}
	lost, err := f.App.Sending.RenewSlices(f.Context(), []recipients.Slice{s.Slice})
	f.Must(err)
	if len(lost) != 1 {
		f.Error("the first sender could renew its lease, want it lost")
	}
	repeated := f.Mails(again)
	if repeated[0].Delivery != mails[1].Delivery {
		f.Errorf("the repeated mail has the key %v, want %v, so that its Message-ID is the same", repeated[0].Delivery, mails[1].Delivery)
	}
	f.Advance(sending.BatchProgress{Slice: again, Results: []sending.BatchResult{{Recipient: repeated[0].Recipient}}, Release: true})
	f.SendAll(nil)
	if b := f.Batch(id); b.Sent != 2 || b.Repeated != 1 || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want 2 sent, 1 repeated, completed", *b)
	}
}

func pausedGivesNoSlice(f *apptest.Batches) {
	f.SubscribeMany(f.News, 3)
	id := f.Add(apptest.Whole(f.News))
	s := f.Lease("a")
	f.Edit(id, "pause")
	if f.Advance(f.Next(s)) {
		f.Error("the recipients of a paused Batch were marked")
	}
	f.Advance(sending.BatchProgress{Slice: s, Release: true})
	if f.Lease("b") != nil {
		f.Error("a sender got a slice of a paused Batch")
	}
	_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("subject", "New"))
	f.Must(err)
	f.Edit(id, "unpause")
	f.Prepare(id)
	s = f.Lease("b")
	if s == nil || s.Contents[0].Message.Subject != "New" || len(s.Recipients) != 3 {
		f.Fatalf("after unpause the sender got %+v, want 3 recipients and the new subject", s)
	}
	f.Edit(id, "cancel")
	f.Advance(sending.BatchProgress{Slice: s, Release: true})
	f.WantAddresses(f.SendAll(nil))
	f.WantStatus(id, batches.BatchCancelled)
}

func deferredIsTriedAgain(f *apptest.Batches) {
	f.SubscribeMany(f.News, 2)
	id := f.Add(apptest.Whole(f.News))
	first := true
	later := func(m *sending.BatchMail) *messages.Undelivered {
		if first {
			first = false
			return &messages.Undelivered{Code: 451, Detail: "later"}
		}
		return nil
	}
	f.WantAddresses(f.SendAll(later), "a1@example.com")
	f.WantStatus(id, batches.BatchSending)
	f.Now = f.Now.Add(time.Minute)
	f.WantAddresses(f.SendAll(later), "a0@example.com")
	f.WantStatus(id, batches.BatchCompleted)
	if b := f.Batch(id); b.Failed != 0 || b.Sent != 2 || b.Repeated != 0 {
		f.Errorf("the Batch is %+v, want 2 sent", *b)
	}
}

func countsEqualRecipients(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 5)
	id := f.Add(apptest.Whole(f.News))
	var keys []enlist.DeliveryKey
	f.SendAll(func(m *sending.BatchMail) *messages.Undelivered {
		keys = append(keys, m.Delivery)
		switch m.Contact.ID {
		case ids[0]:
			return &messages.Undelivered{Permanent: true, Recipient: true, Code: 550, Detail: "no such user"}
		case ids[1]:
			return &messages.Undelivered{Permanent: true, Detail: "too long"}
		}
		return nil
	})
	for range 2 { // a second report or visit changes nothing
		_, err := f.App.Sending.Bounced(f.Context(), keys[2], "mailbox gone")
		f.Must(err)
		_, err = f.App.Sending.Complained(f.Context(), keys[3], "spam")
		f.Must(err)
		_, err = f.App.Sending.UnsubscribeByLink(f.Context(), keys[4], "")
		f.Must(err)
	}
	want := recipients.Counts{Recipients: 5, Sent: 3, Refused: 1, Bounced: 2, Failed: 1, Complained: 1, Unsubscribed: 2,
		Unmeasured: recipients.Unmeasured{Opens: 2, Clicks: 2}}
	if b := f.Batch(id); b.Counts != want {
		f.Errorf("the counts are %+v, want %+v", b.Counts, want)
	}
	for i, status := range []messages.DeliveryStatus{messages.DeliveryBounced, messages.DeliveryFailed, messages.DeliveryBounced, messages.DeliveryComplained, messages.DeliverySent} {
		sent := f.MessagesSent(f.News, ids[i])
		if len(sent) != 1 || sent[0].Status != status || sent[0].Name != "May" || sent[0].Address != fmt.Sprintf("a%d@example.com", i) {
			f.Errorf("Contact %d was sent %+v, want the status %s", i, sent, status)
		}
	}
	if c := f.Contact(f.News, ids[4]); !c.IsUnsubscribed || c.LastMessageTime != f.Now.Unix() {
		f.Errorf("the last Contact is %+v, want it unsubscribed, with the time of its mail", c)
	}
}

func latePauses(f *apptest.Batches) {
	f.SubscribeMany(f.News, 1)
	at := f.Now.Unix() + 60
	id := f.AddAt(at, apptest.Whole(f.News))
	f.Now = f.Now.Add(7 * time.Hour)
	f.Prepare(id)
	f.WantStatus(id, batches.BatchPaused)
	f.Edit(id, "unpause")
	f.Prepare(id)
	f.WantStatus(id, batches.BatchSending)
	f.Now = f.Now.Add(7 * time.Hour) // no process was running
	f.WantAddresses(f.SendAll(nil))
	f.WantStatus(id, batches.BatchPaused)
	f.Edit(id, "unpause")
	f.Prepare(id)
	f.WantAddresses(f.SendAll(nil), "a0@example.com")
}

func bouncesPause(f *apptest.Batches) {
	f.SubscribeMany(f.News, 60)
	id := f.Add(apptest.Whole(f.News))
	refused := &messages.Undelivered{Permanent: true, Recipient: true, Code: 550, Detail: "no such user"}
	s := f.Lease("a")
	var results []sending.BatchResult
	for i, m := range f.Mails(s) {
		results = append(results, sending.BatchResult{Recipient: m.Recipient, NotTried: i >= 50, Failed: refused})
	}
	f.Advance(sending.BatchProgress{Slice: s, Results: results[:49]})
	f.WantStatus(id, batches.BatchSending)
	f.Advance(sending.BatchProgress{Slice: s, Results: results[49:], Release: true})
	f.WantStatus(id, batches.BatchPaused)
	f.Edit(id, "unpause")
	f.Prepare(id)
	if got := f.SendAll(nil); len(got) != 10 {
		f.Errorf("after unpause %d mails were sent, want 10", len(got))
	}
}

func reportedBouncesPause(f *apptest.Batches) {
	f.SubscribeMany(f.News, 60)
	id := f.Add(apptest.Whole(f.News))
	s := f.Lease("a")
	var results []sending.BatchResult
	var sent []enlist.DeliveryKey
	for i, m := range f.Mails(s) {
		results = append(results, sending.BatchResult{Recipient: m.Recipient, NotTried: i >= 50})
		sent = append(sent, m.Delivery)
	}
	f.Advance(sending.BatchProgress{Slice: s, Results: results})
	for i, key := range sent[:50] {
		f.WantStatus(id, batches.BatchSending)
		if changed, err := f.App.Sending.Bounced(f.Context(), key, "mailbox gone"); err != nil || !changed {
			f.Fatalf("bounce %d: changed %t, error %v", i, changed, err)
		}
	}
	f.WantStatus(id, batches.BatchPaused)
}
