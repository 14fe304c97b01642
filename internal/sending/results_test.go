package sending_test

import (
	"fmt"
	"strings"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/sending"
)

// This file has rules of TestRecipientsOfABatch about results that are stored twice, and about Contacts that are removed
// while their mails are sent.

// resultsCountOnce stores results as a sender does that got no reply to COMMIT: it stores them again.
func resultsCountOnce(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 3)
	id := f.Add(apptest.Whole(f.News))
	_, err := f.App.Contacts.UnsubscribeByID(f.Context(), f.Caller, contacts.ContactRequest{List: f.News, Contact: ids[0]})
	f.Must(err)
	s := f.Lease("a")
	next := f.Next(s)
	f.Advance(next)
	f.Advance(next)
	results := sending.BatchProgress{Slice: s, Results: []sending.BatchResult{{Recipient: next.Mark[0].Recipient},
		{Recipient: next.Mark[1].Recipient, Failed: &messages.Undelivered{Code: 451, Detail: "later"}}}}
	f.Advance(results)
	f.Advance(results)
	want := recipients.Counts{Recipients: 3, Sent: 1, Skipped: 1, LeftUnsubscribed: 1}
	if b := f.Batch(id); b.Counts != want {
		f.Errorf("the counts are %+v, want %+v", b.Counts, want)
	}
	if r := recipient(f, id, ids[2]); r.Attempts != 1 {
		f.Errorf("%d attempts are stored, want 1", r.Attempts)
	}
}

func recipient(f *apptest.Batches, id enlist.BatchID, contact enlist.ContactID) (r *recipients.Recipient) {
	f.Helper()
	apptest.View(f.T, f.Store, func(tx *db.Tx) (err error) {
		r, err = recipients.Load(tx, f.News, id, contact)
		return err
	})
	return r
}

func erasedWhileSent(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 1)
	id := f.Add(apptest.Whole(f.News))
	s := f.Lease("a")
	mail := f.Mails(s)[0]
	_, err := f.App.Privacy.ErasePerson(f.Context(), f.Caller, mail.Address)
	f.Must(err)
	f.Advance(sending.BatchProgress{Slice: s, Results: []sending.BatchResult{{Recipient: mail.Recipient, Address: mail.Address,
		Failed: &messages.Undelivered{Code: 451, Detail: mail.Address + " is greylisted"}}}})
	if r := recipient(f, id, ids[0]); r.Address != "" || r.Detail != "" {
		f.Errorf("after the erasure the recipient is %+v, want no address and no detail", r)
	}
}

// erasedBeforeSending erases a person after a sender has read the mail, and before it marks the recipient.
func erasedBeforeSending(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 1)
	id := f.Add(apptest.Whole(f.News))
	f.EditEmail(f.News, ids[0], "new@example.com")
	next := f.Next(f.Lease("a"))
	_, err := f.App.Privacy.ErasePerson(f.Context(), f.Caller, "new@example.com")
	f.Must(err)
	f.Advance(next)
	if r := recipient(f, id, ids[0]); r.Address != "" {
		f.Errorf("after the erasure the recipient has the address %s", r.Address)
	}
}

func deletedContact(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 2)
	id := f.Add(apptest.Whole(f.News))
	late := f.Subscribe(f.News, "Email", "late@example.com")
	noRecipient := apptest.Watch{Statement: func(query string, _ []any) error {
		if strings.HasPrefix(query, "DELETE FROM recipient") {
			return fmt.Errorf("%s: the Contact is no recipient", query)
		}
		return nil
	}}
	f.Update(noRecipient.Run(func(tx *db.Tx) error {
		_, err := f.App.Contacts.RemoveContactsByID(tx, f.Now.Unix(), f.News, []enlist.ContactID{late})
		return err
	}))
	_, err := f.App.Contacts.DeleteContacts(f.Context(), f.Caller, contacts.DeleteRequest{List: f.News, Contacts: ids[:1]})
	f.Must(err)
	f.WantAddresses(f.SendAll(nil), "a1@example.com")
	if b := f.Batch(id); b.LeftGone != 1 || b.Skipped != 1 || b.Status != batches.BatchCompleted {
		f.Errorf("the Batch is %+v, want one skipped", *b)
	}
}
