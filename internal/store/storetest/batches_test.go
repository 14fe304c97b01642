package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file tests Batches without a mail server: which Contacts become recipients, and how senders
// lease slices and store results.

// runBatches tests populations, slices and results of Batches.
func runBatches(t *testing.T, open func(t *testing.T) db.Engine) {
	for _, test := range []struct {
		rule string
		run  func(*batchFixture)
	}{
		{"each Contact that may get the mail becomes a recipient once", populationLeavesOut},
		{"an address gets one mail in all Lists of a Batch", oneMailForAnAddress},
		{"unsent leaves out the Contacts that were sent the Message", unsentLeavesOut},
		{"unsent leaves out the Contacts that were sent the Message as a variant", unsentKnowsVariants},
		{"a search finds the recipients", populationBySearch},
		{"a search that an empty input makes match all is refused", emptySearchIsRefused},
		{"searches for Batches, and their counts, find what a plain search finds", batchesAreSearched},
		{"recipients of the time send are read at the send time", populationAtSendTime},
		{"a population of thousands is stored in steps and slices", populationInSteps},
		{"a Contact that unsubscribed after the population gets nothing", unsubscribedGetsNothing},
		{"after a lease ended, another sender sends the recipients in doubt again", doubtIsSentAgain},
		{"a paused Batch gives out no slice", pausedGivesNoSlice},
		{"a temporary failure is tried again later", deferredIsTriedAgain},
		{"the counts of a Batch equal its recipients", countsEqualRecipients},
		{"a Batch that is 6 hours late is paused", latePauses},
		{"50 bounces among 1,000 mails pause a Batch", bouncesPause},
		{"50 bounces that are reported later pause a Batch", reportedBouncesPause},
		{"3 complaints among 1,000 mails pause a Batch, and 3 further ones after unpause", complaintsPause},
		{"complaints about earlier mails lose their weight", complaintsLoseWeight},
		{"a Batch whose Message is gone fails", messageGone},
		{"a deleted Batch loses its recipients", deletedBatch},
		{"a Batch is not deleted while another one must leave out its recipients", awaitedBatchStays},
		{"a Batch is not excluded and deleted at the same time", excludedWhileDeleted},
		{"a Batch has begun when a sender takes its first recipients", takenMeansBegun},
		{"a deleted Contact is skipped", deletedContact},
		{"an address on the Unsubscriber List for all Lists gets no mail, until it is subscribed again", suppressedGetsNothing},
		{"a complaint about a mail of a deleted Batch unsubscribes its Contact once", complaintAfterDeletion},
		{"bounces of deleted Batches count towards the deactivation", bouncesAfterDeletion},
		{"a complaint about a mail that was not sent changes nothing", complaintBeforeSending},
		{"excluded Contacts are left out and counted", excludedAreLeftOut},
		{"a Batch is paused if its exclusion does not fit the Fields any more", exclusionDoesNotFit},
		{"two processes together never exceed a rate", ratesAreShared},
		{"concurrent transactions never take a token twice", tokensAreTakenOnce},
		{"a mail takes a token of each of its buckets or of none", bucketsOfAMail},
		{"a Batch has its own rate", batchRate},
		{"a reply that asks for fewer mails halves the rate, which then grows", paceHalvesAndGrows},
		{"two processes share the days of a warm-up plan", warmupIsShared},
		{"the sender of a Batch has one of the domains of its Account", sendersAreChecked},
		{"a Batch that skips doubtful mails does not send them again", doubtfulIsSkipped},
		{"with local_time each recipient gets the mail at the send time of its zone", localTimeFollowsTheZones},
		{"on daylight-saving nights a skipped time is its end, and a repeated time is the first", localTimeOnDaylightSavingNights},
		{"with local_time a Batch is late if a zone is", localTimeIsLatePerZone},
		{"with local_time a Batch that begins late for a zone is paused", localTimeIsLateAtTheBeginning},
		{"with local_time recipients whose time has passed get the mail at once", localTimeThatHasPassed},
		{"local_time needs the Field, and without it means the Account's zone", localTimeNeedsTheField},
		{"a check finds what does not fit the Lists and the Contacts, and adds nothing", checkFindsMistakes},
		{"a check reads a limited number of Contacts", checkIsLimited},
		{"a Batch without a send time is sent although the clock was put back", putBackClockDelaysNothing},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			f := &batchFixture{accountFixture: newAccountFixture(t, open)}
			f.service.Messages.SetComposer(&f.composer)
			f.message = f.addMessage("May")
			f.news = f.addList()
			test.run(f)
		})
	}
}

func populationLeavesOut(f *batchFixture) {
	confirmed := f.addList("double_opt_in_required", true)
	f.subscribe(confirmed, "Email", "waiting@x.io")
	_, err := f.service.Contacts.Confirm(f.Context(), f.caller, contacts.ContactRequest{List: confirmed, Contact: f.subscribe(confirmed, "Email", "asked@x.io")})
	f.must(err)
	f.subscribe(f.news, "Email", "ann@x.io")
	_, err = f.service.Contacts.UnsubscribeByID(f.Context(), f.caller, contacts.ContactRequest{List: f.news, Contact: f.subscribe(f.news, "Email", "left@x.io")})
	f.must(err)
	off := f.subscribe(f.news, "Email", "off@x.io")
	_, err = f.service.Contacts.Deactivate(f.Context(), f.caller, f.news, off)
	f.must(err)
	id := f.add(whole(f.news), whole(confirmed),
		batches.PopulationRequest{List: f.news, Type: "contacts", Contacts: []enlist.ContactID{off, 99_999}})
	b := f.batch(id)
	want := batches.BatchCounts{Recipients: 2, LeftUnsubscribed: 1, LeftInactive: 2, LeftUnconfirmed: 1, LeftGone: 1}
	if b.BatchCounts != want || b.Status != batches.BatchSending || !b.IsPopulated {
		f.Errorf("the Batch is %+v, want %+v, sending and populated", *b, want)
	}
	f.wantAddresses(f.sendAll(nil), "ann@x.io", "asked@x.io")
	f.wantStatus(id, batches.BatchCompleted)
}

func oneMailForAnAddress(f *batchFixture) {
	other, all := f.addList(), f.addList("allow_send_to_duplicates", true)
	id := f.subscribe(f.news, "Email", "ann@x.io")
	f.subscribe(f.news, "Email", "bob@x.io")
	for _, l := range []enlist.ListID{f.news, other, all} {
		added, err := f.service.Contacts.AddContacts(f.Context(), f.caller, contacts.AddRequest{List: l,
			Contacts: [][]enlist.Detail{details("Email", "Ann@x.io"), details("Email", "eve@x.io")}})
		f.must(err)
		if len(added) != 2 {
			f.Fatalf("added %v", added)
		}
	}
	again := batches.PopulationRequest{List: f.news, Type: "contacts", Contacts: []enlist.ContactID{id}}
	batch := f.add(whole(f.news), whole(other), again)
	f.wantAddresses(f.sendAll(nil), "ann@x.io", "bob@x.io", "eve@x.io")
	if n := f.batch(batch).LeftDuplicate; n != 3 {
		f.Errorf("%d duplicates were left out, want 3", n)
	}
	f.add(whole(all), whole(all))
	f.wantAddresses(f.sendAll(nil), "Ann@x.io", "eve@x.io")
}

func unsentLeavesOut(f *batchFixture) {
	ids := f.subscribeMany(f.news, 2)
	f.add(batches.PopulationRequest{List: f.news, Type: "contacts", Contacts: ids[:1]})
	f.sendAll(nil)
	f.add(batches.PopulationRequest{List: f.news, Type: "unsent"})
	f.wantAddresses(f.sendAll(nil), "a1@example.com")
	last := f.add(batches.PopulationRequest{List: f.news, Type: "unsent"})
	f.wantAddresses(f.sendAll(nil))
	f.wantStatus(last, batches.BatchCompleted)
	if n := f.batch(last).LeftSentBefore; n != 2 {
		f.Errorf("%d Contacts were sent the Message before, want 2", n)
	}
}

func unsentKnowsVariants(f *batchFixture) {
	f.subscribeMany(f.news, 3)
	other := f.addMessage("June")
	f.addWith(batches.BatchOptions{VariantOptions: batches.VariantOptions{Share: 100,
		Variants: []batches.Variant{{Message: other}, {Message: other, Subject: "Other"}}}})
	f.sendAll(nil)
	f.message = other
	f.add(batches.PopulationRequest{List: f.news, Type: "unsent"})
	f.wantAddresses(f.sendAll(nil))
}

func populationBySearch(f *batchFixture) {
	f.subscribeMany(f.news, 3)
	f.add(batches.PopulationRequest{List: f.news, Criteria: triple("Email", "contains", "a1")})
	f.wantAddresses(f.sendAll(nil), "a1@example.com")
	at := f.now.Unix() + 3600
	id := f.addAt(at, batches.PopulationRequest{List: f.news, Criteria: triple("Email", "contains", "late"), Time: "send"})
	f.subscribe(f.news, "Email", "late@x.io")
	f.now = time.Unix(at, 0)
	f.prepare(id)
	f.wantAddresses(f.sendAll(nil), "late@x.io")
}

func emptySearchIsRefused(f *batchFixture) {
	f.subscribeMany(f.news, 1)
	_, err := f.service.Batches.AddBatch(f.Context(), f.caller, batches.BatchRequest{Message: f.message,
		Populations: []batches.PopulationRequest{{List: f.news, Criteria: triple("Email", "contains", "")}}})
	if enlist.KindOf(err) != enlist.InvalidSearch {
		f.Errorf("AddBatch returned the error %v, want an invalid search", err)
	}
}

func populationAtSendTime(f *batchFixture) {
	f.subscribeMany(f.news, 1)
	at := f.now.Unix() + 3600
	id := f.addAt(at, batches.PopulationRequest{List: f.news, Time: "send"})
	f.wantStatus(id, batches.BatchPending)
	f.subscribe(f.news, "Email", "later@x.io")
	f.now = f.now.Add(time.Hour)
	f.prepare(id)
	f.wantAddresses(f.sendAll(nil), "a0@example.com", "later@x.io")
}

func populationInSteps(f *batchFixture) {
	const n = 5200
	f.addMany(f.news, n)
	id := f.add(whole(f.news))
	if got := slices.Compact(f.sendAll(nil)); len(got) != n {
		f.Errorf("%d addresses got a mail, want %d", len(got), n)
	}
	if b := f.batch(id); b.Sent != n || b.Status != batches.BatchCompleted || b.FirstSent != f.now.Unix() {
		f.Errorf("the Batch is %+v, want %d sent and completed", *b, n)
	}
}

func unsubscribedGetsNothing(f *batchFixture) {
	ids := f.subscribeMany(f.news, 2)
	id := f.add(whole(f.news))
	_, err := f.service.Contacts.UnsubscribeByID(f.Context(), f.caller, contacts.ContactRequest{List: f.news, Contact: ids[0]})
	f.must(err)
	f.wantAddresses(f.sendAll(nil), "a1@example.com")
	b := f.batch(id)
	want := batches.BatchCounts{Recipients: 2, Sent: 1, Skipped: 1, LeftUnsubscribed: 1}
	if b.BatchCounts != want || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want %+v and completed", *b, want)
	}
}

func doubtIsSentAgain(f *batchFixture) {
	f.subscribeMany(f.news, 2)
	id := f.add(whole(f.news))
	s := f.lease("a")
	mails := f.mails(s)
	f.advance(sending.BatchProgress{Slice: s, Results: []sending.BatchResult{{Recipient: mails[0].Recipient, Address: mails[0].Address}}})
	if f.lease("b") != nil {
		f.Error("another sender got the slice before the lease ended")
	}
	f.now = f.now.Add((sending.SliceLease + 1) * time.Second)
	again := f.lease("b")
	if again == nil || len(again.Recipients) != 1 {
		f.Fatalf("the other sender got %+v, want the recipient in doubt", again)
	}
	lost, err := f.service.Sending.RenewSlices(f.Context(), []batches.BatchSlice{s.BatchSlice})
	f.must(err)
	if len(lost) != 1 {
		f.Error("the first sender could renew its lease, want it lost")
	}
	repeated := f.mails(again)
	if repeated[0].Delivery != mails[1].Delivery {
		f.Errorf("the repeated mail has the key %v, want %v, so that its Message-ID is the same", repeated[0].Delivery, mails[1].Delivery)
	}
	f.advance(sending.BatchProgress{Slice: again, Results: []sending.BatchResult{{Recipient: repeated[0].Recipient}}, Release: true})
	f.sendAll(nil)
	if b := f.batch(id); b.Sent != 2 || b.Repeated != 1 || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want 2 sent, 1 repeated, completed", *b)
	}
}

func pausedGivesNoSlice(f *batchFixture) {
	f.subscribeMany(f.news, 3)
	id := f.add(whole(f.news))
	s := f.lease("a")
	f.edit(id, "pause")
	if f.advance(f.next(s)) {
		f.Error("the recipients of a paused Batch were marked")
	}
	f.advance(sending.BatchProgress{Slice: s, Release: true})
	if f.lease("b") != nil {
		f.Error("a sender got a slice of a paused Batch")
	}
	_, err := f.service.Messages.EditMessage(f.Context(), f.caller, f.message, details("subject", "New"))
	f.must(err)
	f.edit(id, "unpause")
	f.prepare(id)
	s = f.lease("b")
	if s == nil || s.Contents[0].Message.Subject != "New" || len(s.Recipients) != 3 {
		f.Fatalf("after unpause the sender got %+v, want 3 recipients and the new subject", s)
	}
	f.edit(id, "cancel")
	f.advance(sending.BatchProgress{Slice: s, Release: true})
	f.wantAddresses(f.sendAll(nil))
	f.wantStatus(id, batches.BatchCancelled)
}

func deferredIsTriedAgain(f *batchFixture) {
	f.subscribeMany(f.news, 2)
	id := f.add(whole(f.news))
	first := true
	later := func(m *sending.BatchMail) *messages.Undelivered {
		if first {
			first = false
			return &messages.Undelivered{Code: 451, Detail: "later"}
		}
		return nil
	}
	f.wantAddresses(f.sendAll(later), "a1@example.com")
	f.wantStatus(id, batches.BatchSending)
	f.now = f.now.Add(time.Minute)
	f.wantAddresses(f.sendAll(later), "a0@example.com")
	f.wantStatus(id, batches.BatchCompleted)
	if b := f.batch(id); b.Failed != 0 || b.Sent != 2 || b.Repeated != 0 {
		f.Errorf("the Batch is %+v, want 2 sent", *b)
	}
}

func countsEqualRecipients(f *batchFixture) {
	ids := f.subscribeMany(f.news, 5)
	id := f.add(whole(f.news))
	var keys []enlist.DeliveryKey
	f.sendAll(func(m *sending.BatchMail) *messages.Undelivered {
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
		_, err := f.service.Sending.Bounced(f.Context(), keys[2], "mailbox gone")
		f.must(err)
		_, err = f.service.Sending.Complained(f.Context(), keys[3], "spam")
		f.must(err)
		_, err = f.service.Sending.UnsubscribeByLink(f.Context(), keys[4], "")
		f.must(err)
	}
	want := batches.BatchCounts{Recipients: 5, Sent: 3, Refused: 1, Bounced: 2, Failed: 1, Complained: 1, Unsubscribed: 2}
	if b := f.batch(id); b.BatchCounts != want {
		f.Errorf("the counts are %+v, want %+v", b.BatchCounts, want)
	}
	for i, status := range []messages.DeliveryStatus{messages.DeliveryBounced, messages.DeliveryFailed, messages.DeliveryBounced, messages.DeliveryComplained, messages.DeliverySent} {
		sent := f.messagesSent(f.news, ids[i])
		if len(sent) != 1 || sent[0].Status != status || sent[0].Name != "May" || sent[0].Address != fmt.Sprintf("a%d@example.com", i) {
			f.Errorf("Contact %d was sent %+v, want the status %s", i, sent, status)
		}
	}
	if c := f.contact(f.news, ids[4]); !c.IsUnsubscribed || c.LastMessageTime != f.now.Unix() {
		f.Errorf("the last Contact is %+v, want it unsubscribed, with the time of its mail", c)
	}
}

// messagesSent returns the mails to a Contact.
func (o *accountFixture) messagesSent(list enlist.ListID, id enlist.ContactID) []batches.SentMessage {
	o.Helper()
	var w rows[batches.SentMessage]
	o.must(o.service.Batches.MessagesSentToContact(o.Context(), o.caller, list, id, &w))
	return w.all
}

func latePauses(f *batchFixture) {
	f.subscribeMany(f.news, 1)
	at := f.now.Unix() + 60
	id := f.addAt(at, whole(f.news))
	f.now = f.now.Add(7 * time.Hour)
	f.prepare(id)
	f.wantStatus(id, batches.BatchPaused)
	f.edit(id, "unpause")
	f.prepare(id)
	f.wantStatus(id, batches.BatchSending)
	f.now = f.now.Add(7 * time.Hour) // no process was running
	f.wantAddresses(f.sendAll(nil))
	f.wantStatus(id, batches.BatchPaused)
	f.edit(id, "unpause")
	f.prepare(id)
	f.wantAddresses(f.sendAll(nil), "a0@example.com")
}

func bouncesPause(f *batchFixture) {
	f.subscribeMany(f.news, 60)
	id := f.add(whole(f.news))
	refused := &messages.Undelivered{Permanent: true, Recipient: true, Code: 550, Detail: "no such user"}
	s := f.lease("a")
	var results []sending.BatchResult
	for i, m := range f.mails(s) {
		results = append(results, sending.BatchResult{Recipient: m.Recipient, NotTried: i >= 50, Failed: refused})
	}
	f.advance(sending.BatchProgress{Slice: s, Results: results[:49]})
	f.wantStatus(id, batches.BatchSending)
	f.advance(sending.BatchProgress{Slice: s, Results: results[49:], Release: true})
	f.wantStatus(id, batches.BatchPaused)
	f.edit(id, "unpause")
	f.prepare(id)
	if got := f.sendAll(nil); len(got) != 10 {
		f.Errorf("after unpause %d mails were sent, want 10", len(got))
	}
}

func reportedBouncesPause(f *batchFixture) {
	f.subscribeMany(f.news, 60)
	id := f.add(whole(f.news))
	s := f.lease("a")
	var results []sending.BatchResult
	var sent []enlist.DeliveryKey
	for i, m := range f.mails(s) {
		results = append(results, sending.BatchResult{Recipient: m.Recipient, NotTried: i >= 50})
		sent = append(sent, m.Delivery)
	}
	f.advance(sending.BatchProgress{Slice: s, Results: results})
	for i, key := range sent[:50] {
		f.wantStatus(id, batches.BatchSending)
		if changed, err := f.service.Sending.Bounced(f.Context(), key, "mailbox gone"); err != nil || !changed {
			f.Fatalf("bounce %d: changed %t, error %v", i, changed, err)
		}
	}
	f.wantStatus(id, batches.BatchPaused)
}

func messageGone(f *batchFixture) {
	f.subscribeMany(f.news, 1)
	id := f.add(whole(f.news))
	f.update(func(tx *db.Tx) error { return messages.DeleteMessage(tx, f.message) })
	f.wantAddresses(f.sendAll(nil))
	f.wantStatus(id, batches.BatchFailed)
}

func deletedBatch(f *batchFixture) {
	ids := f.subscribeMany(f.news, 2)
	id := f.add(whole(f.news))
	f.sendAll(nil)
	f.removeBatch(id)
	sent := f.messagesSent(f.news, ids[0])
	if len(sent) != 0 {
		f.Errorf("after the deletion the Contact was sent %+v, want nothing", sent)
	}
}

func deletedContact(f *batchFixture) {
	ids := f.subscribeMany(f.news, 2)
	id := f.add(whole(f.news))
	_, err := f.service.Contacts.DeleteContacts(f.Context(), f.caller, contacts.DeleteRequest{List: f.news, Contacts: ids[:1]})
	f.must(err)
	f.wantAddresses(f.sendAll(nil), "a1@example.com")
	if b := f.batch(id); b.LeftGone != 1 || b.Skipped != 1 || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want one skipped", *b)
	}
}
