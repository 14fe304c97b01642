package sending_test

import (
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/recipients"
)

// This file tests that addresses on the Unsubscriber List for all Lists get no mail of a Batch or autoresponder.

// suppress adds an address to the Unsubscriber List for all Lists.
func suppress(f *apptest.Batches, text string) {
	f.Helper()
	_, err := f.App.Contacts.Unsubscribe(f.Context(), f.Caller, contacts.UnsubscribeRequest{List: 0, Address: text})
	f.Must(err)
}

func suppressedGetsNothing(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 6)
	other := f.AddList()
	for _, to := range []string{"a0@example.com", "a1@example.com"} {
		f.Subscribe(other, "Email", to)
	}
	suppress(f, "A0@EXAMPLE.COM")
	_, err := f.App.Contacts.Unsubscribe(f.Context(), f.Caller, contacts.UnsubscribeRequest{List: other, Address: "a1@example.com"}) // concerns the other List only
	f.Must(err)
	suppress(f, "a2@example.com")
	suppress(f, "+49 151 1234567") // no address of a mail
	f.Now = f.Now.Add(time.Second)
	f.Subscribe(f.News, "Email", "a2@example.com")
	_, err = f.App.Contacts.AddContacts(f.Context(), f.Caller, contacts.AddRequest{List: other, // no subscription by the person
		Contacts: [][]enlist.Detail{apptest.Details("Email", "a0@example.com"), apptest.Details("Email", "a3@example.com")}})
	f.Must(err)
	_, err = f.App.Privacy.ErasePerson(f.Context(), f.Caller, "a3@example.com")
	f.Must(err)
	_, err = f.App.Contacts.AddContacts(f.Context(), f.Caller, contacts.AddRequest{List: f.News, Contacts: [][]enlist.Detail{apptest.Details("Email", "a3@example.com")}})
	f.Must(err)
	id := f.Add(apptest.Whole(f.News), apptest.Whole(other))
	want := recipients.Counts{Recipients: 4, LeftSuppressed: 3, LeftUnsubscribed: 1}
	if b := f.Batch(id); b.Counts != want {
		f.Errorf("the Batch has %+v, want %+v", b.Counts, want)
	}
	suppress(f, "a4@example.com") // between the population and the sending
	f.WantAddresses(f.SendAll(nil), "a1@example.com", "a2@example.com", "a5@example.com")
	want.Sent, want.Skipped, want.LeftSuppressed = 3, 1, 4
	want.Unmeasured = recipients.Unmeasured{Opens: 3, Clicks: 3}
	if b := f.Batch(id); b.Counts != want || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want %+v and completed", *b, want)
	}
	_, err = f.App.Contacts.UnsubscribeByID(f.Context(), f.Caller, contacts.ContactRequest{List: f.News, Contact: ids[4]})
	f.Must(err)
	f.Now = f.Now.Add(time.Second)
	_, err = f.App.Contacts.Resubscribe(f.Context(), f.Caller, contacts.ResubscribeRequest{List: f.News, Contact: ids[4]})
	f.Must(err)
	f.Add(batches.PopulationRequest{List: f.News, Type: "contacts", Contacts: ids[4:5]})
	f.WantAddresses(f.SendAll(nil), "a4@example.com")
}

// suppressedGetsNoAutoresponder reads the mails of one event to Contacts of which some are on the Unsubscriber List.
func suppressedGetsNoAutoresponder(e *apptest.SentBatch) {
	f := apptest.NewAutoresponder(e)
	all := make([]events.Autorespond, len(f.Contacts))
	for i, id := range f.Contacts {
		all[i] = events.Autorespond{List: f.News, Contact: id, Autoresponder: f.Autoresponder, Time: f.Now.Unix()}
	}
	want := func(want ...bool) {
		f.Helper()
		mails, err := f.App.Messages.AutoresponderMails(f.Context(), all)
		f.Must(err)
		for i, m := range mails {
			if (m != nil) != want[i] {
				f.Errorf("mail %d is %+v, want it to be sent: %t", i, m, want[i])
			}
		}
	}
	want(true, true, true, true, true, true)
	suppress(f.SentBatch.Batches, "A0@EXAMPLE.COM")
	suppress(f.SentBatch.Batches, "a1@example.com")
	suppress(f.SentBatch.Batches, "+49 151 1234567") // no address of a mail
	other := f.AddList()
	f.Subscribe(other, "Email", "a2@example.com")
	_, err := f.App.Contacts.Unsubscribe(f.Context(), f.Caller, contacts.UnsubscribeRequest{List: other, Address: "a2@example.com"}) // concerns the other List only
	f.Must(err)
	want(false, false, true, true, true, true)
	f.Now = f.Now.Add(time.Second)
	f.Subscribe(f.News, "Email", "a1@example.com")
	want(false, true, true, true, true, true)
}
