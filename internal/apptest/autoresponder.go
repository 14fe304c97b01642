package apptest

import (
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
)

// Autoresponder is a SentBatch whose Batch has the figures of an autoresponder. Its mails went to none of the
// six Contacts yet.
type Autoresponder struct {
	*SentBatch
	Autoresponder enlist.AutoresponderID
}

func NewAutoresponder(f *SentBatch) *Autoresponder {
	f.Helper()
	id, err := f.App.Batches.AddAutoresponder(f.Context(), f.Caller,
		Details("list_id", int(f.News), "message_id", int(f.Message), "event_type", "update_profile"))
	f.Must(err)
	f.ID, err = f.App.Batches.AutoresponderBatch(f.Context(), f.Caller, id)
	f.Must(err)
	if f.ID == 0 {
		f.Fatal("the autoresponder has no Batch")
	}
	return &Autoresponder{f, id}
}

// PrepareMail returns the mail about an event that happens now.
func (f *Autoresponder) PrepareMail(contact enlist.ContactID) *messages.OutgoingMail {
	f.Helper()
	mails, err := f.App.Messages.AutoresponderMails(f.Context(), []events.Autorespond{{List: f.News, Contact: contact,
		Autoresponder: f.Autoresponder, Time: f.Now.Unix()}})
	f.Must(err)
	if mails[0] == nil {
		f.Fatalf("there is no mail for the Contact %d", contact)
	}
	return mails[0]
}

// Send stores mails that were accepted together, and returns their keys.
func (f *Autoresponder) Send(contacts ...enlist.ContactID) (keys []enlist.DeliveryKey) {
	f.Helper()
	var sent []messages.Delivery
	for _, id := range contacts {
		m := f.PrepareMail(id)
		keys, sent = append(keys, m.Delivery), append(sent, f.App.Sending.Sent(m, "Hello"))
	}
	f.Must(f.App.Sending.RecordSent(f.Context(), sent))
	return keys
}

// Refuse stores that a mail server refused an address.
func (f *Autoresponder) Refuse(contact enlist.ContactID) {
	f.Helper()
	why := &messages.Undelivered{Permanent: true, Recipient: true, Code: 550, Detail: "5.1.1 unknown"}
	f.Must(f.App.Sending.RecordNotSent(f.Context(), f.PrepareMail(contact), why))
}
