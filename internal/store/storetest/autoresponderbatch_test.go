package storetest

import (
	"fmt"
	"time"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
	"enlist/internal/reports"
)

// This file tests the figures of autoresponders.

// autoresponderFixture is an eventFixture whose Batch has the figures of an autoresponder. Its mails went to none of the
// six Contacts yet.
type autoresponderFixture struct {
	*eventFixture
	autoresponder enlist.AutoresponderID
}

func newAutoresponderFixture(f *eventFixture) *autoresponderFixture {
	f.Helper()
	id, err := f.service.Batches.AddAutoresponder(f.Context(), f.caller,
		details("list_id", int(f.news), "message_id", int(f.message), "event_type", "update_profile"))
	f.must(err)
	f.batch, err = f.service.Batches.AutoresponderBatch(f.Context(), f.caller, id)
	f.must(err)
	if f.batch == 0 {
		f.Fatal("the autoresponder has no Batch")
	}
	return &autoresponderFixture{f, id}
}

// prepare returns the mail about an event that happens now.
func (f *autoresponderFixture) prepare(contact enlist.ContactID) *messages.OutgoingMail {
	f.Helper()
	mails, err := f.service.Messages.AutoresponderMails(f.Context(), []events.Autorespond{{List: f.news, Contact: contact,
		Autoresponder: f.autoresponder, Time: f.now.Unix()}})
	f.must(err)
	if mails[0] == nil {
		f.Fatalf("there is no mail for the Contact %d", contact)
	}
	return mails[0]
}

// mailsReadTogether reads the mails of an event to all Contacts, of which one has the mail, the address of another was
// refused, one has unsubscribed and one is deleted. It also reads a mail of an earlier event, of an inactive autoresponder
// and of another List, and notifications.
func mailsReadTogether(e *eventFixture) {
	f := newAutoresponderFixture(e)
	f.send(f.contacts[0])
	f.refuse(f.contacts[1])
	_, err := f.service.Contacts.UnsubscribeByID(f.Context(), f.caller, contacts.ContactRequest{List: f.news, Contact: f.contacts[2]})
	f.must(err)
	_, err = f.service.Contacts.DeleteContacts(f.Context(), f.caller, contacts.DeleteRequest{List: f.news, Contacts: f.contacts[3:4]})
	f.must(err)
	inactive, err := f.service.Batches.AddAutoresponder(f.Context(), f.caller,
		details("list_id", int(f.news), "message_id", int(f.message), "event_type", "update_profile", "is_active", false))
	f.must(err)
	now := f.now.Unix()
	var all []events.Autorespond
	for _, id := range f.contacts {
		all = append(all, events.Autorespond{List: f.news, Contact: id, Autoresponder: f.autoresponder, Time: now})
	}
	all = append(all, events.Autorespond{List: f.news, Contact: f.contacts[0], Autoresponder: f.autoresponder, Time: now - 1},
		events.Autorespond{List: f.news, Contact: f.contacts[4], Autoresponder: inactive, Time: now},
		events.Autorespond{List: 99_999, Contact: f.contacts[4], Autoresponder: f.autoresponder, Time: now})
	mails, err := f.service.Messages.AutoresponderMails(f.Context(), all)
	f.must(err)
	for i, want := range []bool{false, true, false, false, true, true, true, false, false} {
		m := mails[i]
		if (m != nil) != want || want && (m.Contact.ID != all[i].Contact || m.Delivery.Time != all[i].Time || m.Message.ID != f.message) {
			f.Errorf("mail %d is %+v, want it to be sent: %t", i, m, want)
		}
	}
	notifications, err := f.service.Messages.Notifications(f.Context(), []events.Notify{
		{List: f.news, Contact: f.contacts[4], Event: enlist.EventSubscribe, Time: now},
		{List: 99_999, Contact: f.contacts[4]}, {List: f.news, Contact: f.contacts[3]}, {List: f.news, Contact: f.contacts[5]}})
	f.must(err)
	n := notifications
	if n[0].Details.ID != f.contacts[4] || n[0].Consent == nil || n[1] != nil || n[2].Details != nil || n[3].Details.ID != f.contacts[5] {
		f.Errorf("the notifications are %+v, want those of the existing List with the existing Contacts", n)
	}
}

// send stores mails that were accepted together, and returns their keys.
func (f *autoresponderFixture) send(contacts ...enlist.ContactID) (keys []enlist.DeliveryKey) {
	f.Helper()
	var sent []messages.Delivery
	for _, id := range contacts {
		m := f.prepare(id)
		keys, sent = append(keys, m.Delivery), append(sent, f.service.Sending.Sent(m, "Hello"))
	}
	f.must(f.service.Sending.RecordSent(f.Context(), sent))
	return keys
}

// refuse stores that a mail server refused an address.
func (f *autoresponderFixture) refuse(contact enlist.ContactID) {
	f.Helper()
	why := &messages.Undelivered{Permanent: true, Recipient: true, Code: 550, Detail: "5.1.1 unknown"}
	f.must(f.service.Sending.RecordNotSent(f.Context(), f.prepare(contact), why))
}

func autoresponderFigures(e *eventFixture) {
	f := newAutoresponderFixture(e)
	keys := f.send(f.contacts[:5]...)
	f.refuse(f.contacts[5])
	f.pass(time.Minute)
	open := enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: keys[0]}
	f.must(f.service.Sending.Opened(f.Context(), open, personAgent))
	f.must(f.service.Sending.Clicked(f.Context(), enlist.Link{Kind: enlist.LinkClick, DeliveryKey: keys[1], Target: f.links[0]}, personAgent))
	_, err := f.service.Sending.Bounced(f.Context(), keys[2], "smtp; 550 5.1.1 no such user")
	f.must(err)
	_, err = f.service.Sending.Complained(f.Context(), keys[3], "spam")
	f.must(err)
	_, err = f.service.Sending.UnsubscribeByLink(f.Context(), keys[4], "")
	f.must(err)

	all := enlist.Query{}
	f.wantRows(reports.RowsSent, all, "a0", "a1", "a2", "a3", "a4", "a5")
	f.wantRows(batches.EventOpened, all, "a0", "a1")
	f.wantRows(batches.RowsNotOpened, all, "a3", "a4")
	f.wantRows(batches.EventClicked, all, "a1")
	f.wantRows(batches.EventBounced, all, "a2", "a5")
	f.wantRows(batches.EventComplained, all, "a3")
	f.wantRows(batches.EventUnsubscribed, all, "a3", "a4")
	want := batches.BatchCounts{Recipients: 6, Sent: 5, Refused: 1, Bounced: 2, Complained: 1, Unsubscribed: 2}
	r := f.report()
	same(f.T, "counts", r.BatchCounts, want)
	f.wantSums(batches.BatchSums{Opens: 1, ImageOpened: 1, ClickOpened: 1, HumanOpened: 2, Clicks: 1, Clicked: 1,
		LinksClicked: 1, HumanClicked: 1, HumanLinks: 1})
	if r.NotOpened() != 2 || r.Unsent() != 0 || r.SendStatus() != batches.BatchSending {
		f.Errorf("%d are not opened and %d not sent, the status is %s; want 2, 0 and sending", r.NotOpened(), r.Unsent(), r.SendStatus())
	}
	contact := f.contact(f.news, f.contacts[0])
	if contact.LastOpenTime != f.now.Unix() {
		f.Errorf("the Contact's last open was at %d, want %d", contact.LastOpenTime, f.now.Unix())
	}
	if sent := f.messagesSent(f.news, f.contacts[0]); len(sent) != 2 {
		f.Errorf("the Contact was sent %d Messages, want 2: by the Batch and by the autoresponder", len(sent))
	}
}

func webhookEventsOfAutoresponders(e *eventFixture) {
	f := newAutoresponderFixture(e)
	f.addMailWebhooks()
	keys := f.send(f.contacts[:3]...)
	f.pass(time.Minute)
	click := enlist.Link{Kind: enlist.LinkClick, DeliveryKey: keys[0], Target: f.links[0]}
	for range 2 {
		f.must(f.service.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: keys[0]}, personAgent))
		f.must(f.service.Sending.Clicked(f.Context(), click, personAgent))
		f.pass(time.Minute)
	}
	_, err := f.service.Sending.Bounced(f.Context(), keys[1], "smtp; 550 5.1.1 no such user")
	f.must(err)
	_, err = f.service.Sending.Complained(f.Context(), keys[2], "spam")
	f.must(err)
	f.refuse(f.contacts[3])
	again := f.send(f.contacts[0])
	f.pass(time.Minute)
	f.must(f.service.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: again[0]}, personAgent))
	about := func(event string, contact int) string {
		return fmt.Sprint(event, " ", f.contacts[contact], " ", f.batch)
	}
	want := []string{about("opened", 0), about("clicked", 0), about("bounced", 1), about("complained", 2), about("bounced", 3)}
	same(f.T, "events", f.webhookEvents(), want)
}

// A further mail to a Contact changes what became of its mails, and counts no second recipient.
func autoresponderCountsContactsOnce(e *eventFixture) {
	f := newAutoresponderFixture(e)
	f.send(f.contacts[0], f.contacts[1])
	f.refuse(f.contacts[2])
	f.pass(time.Hour)
	keys := f.send(f.contacts[0], f.contacts[2])
	f.refuse(f.contacts[1])
	same(f.T, "counts", f.report().BatchCounts, batches.BatchCounts{Recipients: 3, Sent: 3, Bounced: 2})
	f.pass(time.Hour)
	f.refuse(f.contacts[1])
	f.must(f.service.Sending.RecordNotSent(f.Context(), f.prepare(f.contacts[3]), &messages.Undelivered{Detail: "no connection"}))
	same(f.T, "counts", f.report().BatchCounts, batches.BatchCounts{Recipients: 4, Sent: 3, Failed: 1, Bounced: 2})
	f.send(f.contacts[3])
	_, err := f.service.Sending.Bounced(f.Context(), keys[1], "smtp; 550 5.1.1 no such user")
	f.must(err)
	same(f.T, "counts", f.report().BatchCounts, batches.BatchCounts{Recipients: 4, Sent: 4, Bounced: 2})
	f.wantRows(batches.RowsNotOpened, enlist.Query{}, "a0", "a3")
	if n := f.report().NotOpened(); n != 2 {
		f.Errorf("%d mails were not opened, want 2", n)
	}
}

// A report about a mail whose autoresponder is gone still changes the Contact.
func reportsAfterDeletedAutoresponder(e *eventFixture) {
	f := newAutoresponderFixture(e)
	keys := f.send(f.contacts[:2]...)
	f.must(f.service.Batches.DeleteAutoresponder(f.Context(), f.caller, f.autoresponder))
	f.pass(time.Hour)
	f.complain(keys[0], true)
	f.complain(keys[0], false)
	f.wantUnsubscribed(f.contacts[0], true)
	for range 2 {
		f.created = f.now.Unix()
		f.batch = f.add(whole(f.news))
		f.sendAll(nil)
		changed, err := f.service.Sending.Bounced(f.Context(), f.mail(f.contacts[1]), "smtp; 550 5.1.1 no such user")
		if err != nil || !changed {
			f.Fatalf("a bounce is new: %t, %v", changed, err)
		}
		f.pass(time.Hour)
	}
	if !f.contact(f.news, f.contacts[1]).IsActive {
		f.Error("the Contact is inactive after two bounces, want three")
	}
	changed, err := f.service.Sending.Bounced(f.Context(), keys[1], "smtp; 550 5.1.1 no such user")
	if err != nil || !changed || f.contact(f.news, f.contacts[1]).IsActive {
		f.Errorf("the bounce of the autoresponder's mail is new: %t, %v; want it to be the third one, which deactivates the Contact", changed, err)
	}
}

// The Batch of an autoresponder is found by getAutoresponderBatchId only, and changes with the autoresponder only.
func autoresponderBatchIsHidden(e *eventFixture) {
	sent := e.batch
	f := newAutoresponderFixture(e)
	found, err := f.service.Batches.SearchBatches(f.Context(), f.caller, enlist.Query{})
	f.must(err)
	if len(found) != 1 || found[0].ID != sent {
		f.Errorf("the search found %d Batches, want the one that was sent", len(found))
	}
	current, err := f.service.Batches.CurrentBatches(f.Context(), f.caller)
	f.must(err)
	if len(current) != 0 {
		f.Errorf("%d Batches have not ended, want 0", len(current))
	}
	for _, command := range []string{"pause", "unpause", "cancel", "reschedule"} {
		err := f.service.Batches.EditBatch(f.Context(), f.caller, f.batch, command, f.now.Unix())
		f.refused(err, enlist.InvalidParameters, "autoresponder")
	}
	f.refused(f.service.Batches.DeleteBatch(f.Context(), f.caller, f.batch), enlist.InvalidParameters, "autoresponder")
	if s := f.lease("a"); s != nil {
		f.Errorf("a sender has leased a slice of Batch %d", s.Batch)
	}
	f.send(f.contacts[0])
	june := f.addMessage("June")
	_, err = f.service.Batches.EditAutoresponder(f.Context(), f.caller, f.autoresponder, details("message_id", int(june)))
	f.must(err)
	if f.batchFixture.batch(f.batch).MessageID != june {
		f.Error("the Batch does not have the new Message of the autoresponder")
	}
	later, err := f.service.Batches.AddBatch(f.Context(), f.caller, batches.BatchRequest{Message: june, SendTime: f.now.Unix() + 3600,
		Populations: []batches.PopulationRequest{{List: f.news, Time: "send"}},
		Options:     batches.BatchOptions{Exclude: batches.Exclusion{Batches: []enlist.BatchID{f.batch}}}})
	f.must(err)
	err = f.service.Batches.DeleteAutoresponder(f.Context(), f.caller, f.autoresponder)
	f.refused(err, enlist.InvalidParameters, "leaves out")
	f.edit(later, "cancel")
	f.must(f.service.Batches.DeleteAutoresponder(f.Context(), f.caller, f.autoresponder))
	_, err = f.service.Batches.Batch(f.Context(), f.caller, f.batch)
	f.refused(err, enlist.NoBatch, "no Batch")
	for done := false; !done; {
		done, err = f.service.Batches.RemoveBatch(f.Context(), batches.RemoveBatch{Batch: f.batch})
		f.must(err)
	}
	view(f.T, f.store, func(tx *db.Tx) error {
		rows, err := batches.Recipients(tx, f.news, f.batch, f.contacts)
		if len(rows) != 0 {
			f.Errorf("%d recipients are left", len(rows))
		}
		return err
	})
}

// An autoresponder of an earlier version gets its Batch with its first mail, and an autoresponder that moves to another
// List has the figures of both.
func autoresponderOfEarlierVersion(e *eventFixture) {
	f := newAutoresponderFixture(e)
	f.update(func(tx *db.Tx) error { return batches.RemoveAutoresponderBatch(tx, f.autoresponder) })
	before := f.prepare(f.contacts[0]).Delivery
	f.must(f.service.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: before}, personAgent))
	if c := f.contact(f.news, f.contacts[0]); c.LastOpenTime != f.now.Unix() {
		f.Error("the open of a mail without figures did not change its Contact")
	}
	f.send(f.contacts[0])
	f.refuse(f.contacts[1])
	var err error
	f.batch, err = f.service.Batches.AutoresponderBatch(f.Context(), f.caller, f.autoresponder)
	f.must(err)
	same(f.T, "counts", f.report().BatchCounts, batches.BatchCounts{Recipients: 2, Sent: 1, Refused: 1, Bounced: 1})

	news := f.news
	f.news = f.addList()
	_, err = f.service.Batches.EditAutoresponder(f.Context(), f.caller, f.autoresponder, details("list_id", int(f.news)))
	f.must(err)
	f.send(f.subscribe(f.news, "Email", "new@example.com"))
	same(f.T, "counts", f.report().BatchCounts, batches.BatchCounts{Recipients: 3, Sent: 2, Refused: 1, Bounced: 1})
	_, err = f.service.Batches.Batch(f.Context(), f.restricted(f.news), f.batch)
	f.refused(err, enlist.Denied, "other Lists")
	_, err = f.service.Batches.Batch(f.Context(), f.restricted(f.news, news), f.batch)
	f.must(err)
}
