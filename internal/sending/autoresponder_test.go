package sending_test

import (
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/recipients"
)

// This file tests the figures of autoresponders.

// covers: decision 76, decision 101, decision 117
func TestMailsOfAutoresponders(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(6), []apptest.Rule[*apptest.SentBatch]{
		{Name: "of mails that are read together, each is sent or left out by itself", Test: mailsReadTogether},
		{Name: "an address on the Unsubscriber List for all Lists gets no mail of an autoresponder, until it is subscribed again", Test: suppressedGetsNoAutoresponder},
		{Name: "an autoresponder of an earlier version gets its Batch with its first mail", Test: autoresponderOfEarlierVersion},
		{Name: "a report after the end of its autoresponder changes the Contact", Test: reportsAfterDeletedAutoresponder},
	})
}

// mailsReadTogether reads the mails of an event to all Contacts, of which one has the mail, the address of another was
// refused, one has unsubscribed and one is deleted. It also reads a mail of an earlier event, of an inactive autoresponder
// and of another List, and notifications.
func mailsReadTogether(e *apptest.SentBatch) {
	f := apptest.NewAutoresponder(e)
	f.Send(f.Contacts[0])
	f.Refuse(f.Contacts[1])
	_, err := f.App.Contacts.UnsubscribeByID(f.Context(), f.Caller, contacts.ContactRequest{List: f.News, Contact: f.Contacts[2]})
	f.Must(err)
	_, err = f.App.Contacts.DeleteContacts(f.Context(), f.Caller, contacts.DeleteRequest{List: f.News, Contacts: f.Contacts[3:4]})
	f.Must(err)
	inactive, err := f.App.Batches.AddAutoresponder(f.Context(), f.Caller,
		apptest.Details("list_id", int(f.News), "message_id", int(f.Message), "event_type", "update_profile", "is_active", false))
	f.Must(err)
	now := f.Now.Unix()
	var all []events.Autorespond
	for _, id := range f.Contacts {
		all = append(all, events.Autorespond{List: f.News, Contact: id, Autoresponder: f.Autoresponder, Time: now})
	}
	all = append(all, events.Autorespond{List: f.News, Contact: f.Contacts[0], Autoresponder: f.Autoresponder, Time: now - 1},
		events.Autorespond{List: f.News, Contact: f.Contacts[4], Autoresponder: inactive, Time: now},
		events.Autorespond{List: 99_999, Contact: f.Contacts[4], Autoresponder: f.Autoresponder, Time: now})
	mails, err := f.App.Messages.AutoresponderMails(f.Context(), all)
	f.Must(err)
	for i, want := range []bool{false, true, false, false, true, true, true, false, false} {
		m := mails[i]
		if (m != nil) != want || want && (m.Contact.ID != all[i].Contact || m.Delivery.Time != all[i].Time || m.Message.ID != f.Message) {
			f.Errorf("mail %d is %+v, want it to be sent: %t", i, m, want)
		}
	}
	notifications, err := f.App.Messages.Notifications(f.Context(), []events.Notify{
		{List: f.News, Contact: f.Contacts[4], Event: enlist.EventSubscribe, Time: now},
		{List: 99_999, Contact: f.Contacts[4]}, {List: f.News, Contact: f.Contacts[3]}, {List: f.News, Contact: f.Contacts[5]}})
	f.Must(err)
	n := notifications
	if n[0].Details.ID != f.Contacts[4] || n[0].Consent == nil || n[1] != nil || n[2].Details != nil || n[3].Details.ID != f.Contacts[5] {
		f.Errorf("the notifications are %+v, want those of the existing List with the existing Contacts", n)
	}
}

// A report about a mail whose autoresponder is gone still changes the Contact.
func reportsAfterDeletedAutoresponder(e *apptest.SentBatch) {
	f := apptest.NewAutoresponder(e)
	keys := f.Send(f.Contacts[:2]...)
	f.Must(f.App.Batches.DeleteAutoresponder(f.Context(), f.Caller, f.Autoresponder))
	f.Pass(time.Hour)
	complain(f.SentBatch.Batches, keys[0], true)
	complain(f.SentBatch.Batches, keys[0], false)
	wantUnsubscribed(f.SentBatch.Batches, f.Contacts[0], true)
	for range 2 {
		f.Created = f.Now.Unix()
		f.ID = f.Add(apptest.Whole(f.News))
		f.SendAll(nil)
		changed, err := f.App.Sending.Bounced(f.Context(), f.Mail(f.Contacts[1]), "smtp; 550 5.1.1 no such user")
		if err != nil || !changed {
			f.Fatalf("a bounce is new: %t, %v", changed, err)
		}
		f.Pass(time.Hour)
	}
	if !f.Contact(f.News, f.Contacts[1]).IsActive {
		f.Error("the Contact is inactive after two bounces, want three")
	}
	changed, err := f.App.Sending.Bounced(f.Context(), keys[1], "smtp; 550 5.1.1 no such user")
	if err != nil || !changed || f.Contact(f.News, f.Contacts[1]).IsActive {
		f.Errorf("the bounce of the autoresponder's mail is new: %t, %v; want it to be the third one, which deactivates the Contact", changed, err)
	}
}

// An autoresponder of an earlier version gets its Batch with its first mail, and an autoresponder that moves to another
// List has the figures of both.
func autoresponderOfEarlierVersion(e *apptest.SentBatch) {
	f := apptest.NewAutoresponder(e)
	f.Update(func(tx *db.Tx) error { return batches.RemoveAutoresponderBatch(tx, f.Autoresponder) })
	before := f.PrepareMail(f.Contacts[0]).Delivery
	f.Must(f.App.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: before}, apptest.PersonAgent))
	if c := f.Contact(f.News, f.Contacts[0]); c.LastOpenTime != f.Now.Unix() {
		f.Error("the open of a mail without figures did not change its Contact")
	}
	f.Send(f.Contacts[0])
	f.Refuse(f.Contacts[1])
	var err error
	f.ID, err = f.App.Batches.AutoresponderBatch(f.Context(), f.Caller, f.Autoresponder)
	f.Must(err)
	apptest.Same(f.T, "counts", f.Report().Counts, recipients.Counts{Recipients: 2, Sent: 1, Refused: 1, Bounced: 1})

	news := f.News
	f.News = f.AddList()
	_, err = f.App.Batches.EditAutoresponder(f.Context(), f.Caller, f.Autoresponder, apptest.Details("list_id", int(f.News)))
	f.Must(err)
	f.Send(f.Subscribe(f.News, "Email", "new@example.com"))
	apptest.Same(f.T, "counts", f.Report().Counts, recipients.Counts{Recipients: 3, Sent: 2, Refused: 1, Bounced: 1,
		Unmeasured: recipients.Unmeasured{Opens: 1, Clicks: 1}})
	_, err = f.App.Batches.Batch(f.Context(), f.Restricted(f.News), f.ID)
	f.Refused(err, enlist.Denied, "other Lists")
	_, err = f.App.Batches.Batch(f.Context(), f.Restricted(f.News, news), f.ID)
	f.Must(err)
	for want, c := range []*enlist.Caller{f.Restricted(f.News), f.Restricted(f.News, news)} {
		figures, err := f.App.Reports.AutoresponderFigures(f.Context(), c, f.News)
		if f.Must(err); len(figures) != want {
			f.Errorf("a caller reads the figures of %d autoresponders, want %d", len(figures), want)
		}
	}
}
