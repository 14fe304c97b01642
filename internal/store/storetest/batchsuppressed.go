package storetest

import (
	"time"

	"enlist/internal/audience"
)

// This file tests that addresses on the Unsubscriber List for all Lists get no mail of a Batch.

// suppress adds an address to the Unsubscriber List for all Lists.
func (f *batchFixture) suppress(text string) {
	f.Helper()
	_, err := f.service.Unsubscribe(f.Context(), f.caller, 0, text)
	f.must(err)
}

func suppressedGetsNothing(f *batchFixture) {
	ids := f.subscribeMany(f.news, 6)
	other := f.addList()
	for _, to := range []string{"a0@example.com", "a1@example.com"} {
		f.subscribe(other, "Email", to)
	}
	f.suppress("A0@EXAMPLE.COM")
	_, err := f.service.Unsubscribe(f.Context(), f.caller, other, "a1@example.com") // concerns the other List only
	f.must(err)
	f.suppress("a2@example.com")
	f.suppress("+49 151 1234567") // no address of a mail
	f.now = f.now.Add(time.Second)
	f.subscribe(f.news, "Email", "a2@example.com")
	_, err = f.service.AddContacts(f.Context(), f.caller, audience.AddRequest{List: other, // no subscription by the person
		Contacts: [][]audience.Detail{details("Email", "a0@example.com"), details("Email", "a3@example.com")}})
	f.must(err)
	_, err = f.service.ErasePerson(f.Context(), f.caller, "a3@example.com")
	f.must(err)
	_, err = f.service.AddContacts(f.Context(), f.caller, audience.AddRequest{List: f.news, Contacts: [][]audience.Detail{details("Email", "a3@example.com")}})
	f.must(err)
	id := f.add(whole(f.news), whole(other))
	want := audience.BatchCounts{Recipients: 4, LeftSuppressed: 3, LeftUnsubscribed: 1}
	if b := f.batch(id); b.BatchCounts != want {
		f.Errorf("the Batch has %+v, want %+v", b.BatchCounts, want)
	}
	f.suppress("a4@example.com") // between the population and the sending
	f.wantAddresses(f.sendAll(nil), "a1@example.com", "a2@example.com", "a5@example.com")
	want.Sent, want.Skipped, want.LeftSuppressed = 3, 1, 4
	if b := f.batch(id); b.BatchCounts != want || b.Status != audience.BatchCompleted {
		f.Errorf("the Batch is %+v, want %+v and completed", *b, want)
	}
	_, err = f.service.UnsubscribeByID(f.Context(), f.caller, f.news, ids[4])
	f.must(err)
	f.now = f.now.Add(time.Second)
	_, err = f.service.Resubscribe(f.Context(), f.caller, audience.ResubscribeRequest{List: f.news, Contact: ids[4]})
	f.must(err)
	f.add(audience.PopulationRequest{List: f.news, Type: "contacts", Contacts: ids[4:5]})
	f.wantAddresses(f.sendAll(nil), "a4@example.com")
}
