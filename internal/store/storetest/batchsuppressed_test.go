package storetest

import (
	"time"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file tests that addresses on the Unsubscriber List for all Lists get no mail of a Batch or autoresponder.

// suppress adds an address to the Unsubscriber List for all Lists.
func (f *batchFixture) suppress(text string) {
	f.Helper()
	_, err := f.service.Contacts.Unsubscribe(f.Context(), f.caller, contacts.UnsubscribeRequest{List: 0, Address: text})
	f.must(err)
}

func suppressedGetsNothing(f *batchFixture) {
	ids := f.subscribeMany(f.news, 6)
	other := f.addList()
	for _, to := range []string{"a0@example.com", "a1@example.com"} {
		f.subscribe(other, "Email", to)
	}
	f.suppress("A0@EXAMPLE.COM")
	_, err := f.service.Contacts.Unsubscribe(f.Context(), f.caller, contacts.UnsubscribeRequest{List: other, Address: "a1@example.com"}) // concerns the other List only
	f.must(err)
	f.suppress("a2@example.com")
	f.suppress("+49 151 1234567") // no address of a mail
	f.now = f.now.Add(time.Second)
	f.subscribe(f.news, "Email", "a2@example.com")
	_, err = f.service.Contacts.AddContacts(f.Context(), f.caller, contacts.AddRequest{List: other, // no subscription by the person
		Contacts: [][]enlist.Detail{details("Email", "a0@example.com"), details("Email", "a3@example.com")}})
	f.must(err)
	_, err = f.service.Privacy.ErasePerson(f.Context(), f.caller, "a3@example.com")
	f.must(err)
	_, err = f.service.Contacts.AddContacts(f.Context(), f.caller, contacts.AddRequest{List: f.news, Contacts: [][]enlist.Detail{details("Email", "a3@example.com")}})
	f.must(err)
	id := f.add(whole(f.news), whole(other))
	want := batches.BatchCounts{Recipients: 4, LeftSuppressed: 3, LeftUnsubscribed: 1}
	if b := f.batch(id); b.BatchCounts != want {
		f.Errorf("the Batch has %+v, want %+v", b.BatchCounts, want)
	}
	f.suppress("a4@example.com") // between the population and the sending
	f.wantAddresses(f.sendAll(nil), "a1@example.com", "a2@example.com", "a5@example.com")
	want.Sent, want.Skipped, want.LeftSuppressed = 3, 1, 4
	if b := f.batch(id); b.BatchCounts != want || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want %+v and completed", *b, want)
	}
	_, err = f.service.Contacts.UnsubscribeByID(f.Context(), f.caller, contacts.ContactRequest{List: f.news, Contact: ids[4]})
	f.must(err)
	f.now = f.now.Add(time.Second)
	_, err = f.service.Contacts.Resubscribe(f.Context(), f.caller, contacts.ResubscribeRequest{List: f.news, Contact: ids[4]})
	f.must(err)
	f.add(batches.PopulationRequest{List: f.news, Type: "contacts", Contacts: ids[4:5]})
	f.wantAddresses(f.sendAll(nil), "a4@example.com")
}

// suppressedGetsNoAutoresponder reads the mails of one event to Contacts of which some are on the Unsubscriber List.
func suppressedGetsNoAutoresponder(e *eventFixture) {
	f := newAutoresponderFixture(e)
	all := make([]events.Autorespond, len(f.contacts))
	for i, id := range f.contacts {
		all[i] = events.Autorespond{List: f.news, Contact: id, Autoresponder: f.autoresponder, Time: f.now.Unix()}
	}
	want := func(want ...bool) {
		f.Helper()
		mails, err := f.service.Messages.AutoresponderMails(f.Context(), all)
		f.must(err)
		for i, m := range mails {
			if (m != nil) != want[i] {
				f.Errorf("mail %d is %+v, want it to be sent: %t", i, m, want[i])
			}
		}
	}
	want(true, true, true, true, true, true)
	f.suppress("A0@EXAMPLE.COM")
	f.suppress("a1@example.com")
	f.suppress("+49 151 1234567") // no address of a mail
	other := f.addList()
	f.subscribe(other, "Email", "a2@example.com")
	_, err := f.service.Contacts.Unsubscribe(f.Context(), f.caller, contacts.UnsubscribeRequest{List: other, Address: "a2@example.com"}) // concerns the other List only
	f.must(err)
	want(false, false, true, true, true, true)
	f.now = f.now.Add(time.Second)
	f.subscribe(f.news, "Email", "a1@example.com")
	want(false, true, true, true, true, true)
}
