package apptest

import (
	"testing"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// User-Agents of a person, of a program that fetches links, and of Gmail, which fetches images when they are shown.
const (
	PersonAgent  = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Thunderbird/140.0"
	PhoneAgent   = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
	ScannerAgent = "Mozilla/5.0 (compatible; Proofpoint URL Defense)"
	GmailAgent   = "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"
)

// SentBatch is Batches with a Batch that was sent a minute ago to a List that tracks opens and clicks. The
// Message has four links.
type SentBatch struct {
	*Batches
	ID       enlist.BatchID
	Created  int64 // creation time of the Batch
	Contacts []enlist.ContactID
	Links    []enlist.LinkID
}

// NewSentBatch returns a function that sends a Batch to a number of Contacts.
func NewSentBatch(recipients int) func(*testing.T, db.Engine) *SentBatch {
	return func(t *testing.T, store db.Engine) *SentBatch {
		f := &SentBatch{Batches: &Batches{Account: NewAccount(t, store)}}
		f.Message = f.AddMessage("May")
		f.News = f.AddList("track_opens", true, "track_clicks", true)
		f.Contacts = f.SubscribeMany(f.News, recipients)
		links, err := f.App.Sending.LinkTargets(t.Context(), f.Message, f.Now.Unix(),
			[]string{"https://a.example/", "https://b.example/",
				"https://c.example/?for={{Email}}", "https://d.example/"})
		f.Must(err)
		f.Links = links
		f.Created = f.Now.Unix()
		f.ID = f.Add(Whole(f.News))
		f.SendAll(nil)
		f.Pass(time.Minute)
		return f
	}
}

func (f *SentBatch) Pass(d time.Duration) { f.Now = f.Now.Add(d) }

// Mail returns the key of a recipient's mail.
func (f *SentBatch) Mail(contact enlist.ContactID) enlist.DeliveryKey {
	return enlist.DeliveryKey{List: f.News, Contact: contact, Time: f.Created, Cause: batches.CauseBatch(f.ID)}
}

func (f *SentBatch) Open(contact enlist.ContactID, agent string) {
	f.Helper()
	f.Must(f.App.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: f.Mail(contact)}, agent))
}

func (f *SentBatch) Click(contact enlist.ContactID, link enlist.LinkID, agent string) {
	f.Helper()
	l := enlist.Link{Kind: enlist.LinkClick, DeliveryKey: f.Mail(contact), Target: link}
	f.Must(f.App.Sending.Clicked(f.Context(), l, agent))
}

func (f *SentBatch) Report() *reports.BatchReport {
	f.Helper()
	r, err := f.App.Reports.BatchReport(f.Context(), f.Caller, f.ID)
	f.Must(err)
	return r
}

func (f *SentBatch) WantSums(want recipients.Sums) {
	f.Helper()
	Same(f.T, "sums", f.Report().Sums, want)
}

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
