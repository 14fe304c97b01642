package reports_test

import (
	"fmt"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

func autoresponderFigures(e *apptest.SentBatch) {
	f := apptest.NewAutoresponder(e)
	keys := f.Send(f.Contacts[:5]...)
	f.Refuse(f.Contacts[5])
	f.Pass(time.Minute)
	open := enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: keys[0]}
	f.Must(f.App.Sending.Opened(f.Context(), open, apptest.PersonAgent))
	f.Must(f.App.Sending.Clicked(f.Context(), enlist.Link{Kind: enlist.LinkClick, DeliveryKey: keys[1], Target: f.Links[0]}, apptest.PersonAgent))
	_, err := f.App.Sending.Bounced(f.Context(), keys[2], "smtp; 550 5.1.1 no such user")
	f.Must(err)
	_, err = f.App.Sending.Complained(f.Context(), keys[3], "spam")
	f.Must(err)
	_, err = f.App.Sending.UnsubscribeByLink(f.Context(), keys[4], "")
	f.Must(err)

	all := enlist.Query{}
	f.WantRows(recipients.RowsSent, all, "a0", "a1", "a2", "a3", "a4", "a5")
	f.WantRows(recipients.EventOpened, all, "a0", "a1")
	f.WantRows(recipients.RowsNotOpened, all, "a3", "a4")
	f.WantRows(recipients.EventClicked, all, "a1")
	f.WantRows(recipients.EventBounced, all, "a2", "a5")
	f.WantRows(recipients.EventComplained, all, "a3")
	f.WantRows(recipients.EventUnsubscribed, all, "a3", "a4")
	want := recipients.Counts{Recipients: 6, Sent: 5, Refused: 1, Bounced: 2, Complained: 1, Unsubscribed: 2}
	r := f.Report()
	apptest.Same(f.T, "counts", r.Counts, want)
	f.WantSums(recipients.Sums{Opens: 1, ImageOpened: 1, ClickOpened: 1, HumanOpened: 2, Clicks: 1, Clicked: 1,
		LinksClicked: 1, HumanClicked: 1, HumanLinks: 1})
	if r.NotOpened() != 2 || r.Unsent() != 0 || r.SendStatus() != batches.BatchSending {
		f.Errorf("%d are not opened and %d not sent, the status is %s; want 2, 0 and sending", r.NotOpened(), r.Unsent(), r.SendStatus())
	}
	figures, err := f.App.Reports.AutoresponderFigures(f.Context(), f.Caller, f.News)
	f.Must(err)
	apptest.Same(f.T, "figures of the List", figures, map[enlist.AutoresponderID]reports.AutoresponderFigures{
		f.Autoresponder: {Batch: f.ID, Sent: 5, Delivered: 4, Opened: 2, MeasuredOpens: 4, MeasuredClicks: 4, Clicked: 1}})
	contact := f.Contact(f.News, f.Contacts[0])
	if contact.LastOpenTime != f.Now.Unix() {
		f.Errorf("the Contact's last open was at %d, want %d", contact.LastOpenTime, f.Now.Unix())
	}
	if sent := f.MessagesSent(f.News, f.Contacts[0]); len(sent) != 2 {
		f.Errorf("the Contact was sent %d Messages, want 2: by the Batch and by the autoresponder", len(sent))
	}
}

func webhookEventsOfAutoresponders(e *apptest.SentBatch) {
	f := apptest.NewAutoresponder(e)
	addMailWebhooks(f.SentBatch)
	keys := f.Send(f.Contacts[:3]...)
	f.Pass(time.Minute)
	click := enlist.Link{Kind: enlist.LinkClick, DeliveryKey: keys[0], Target: f.Links[0]}
	for range 2 {
		f.Must(f.App.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: keys[0]}, apptest.PersonAgent))
		f.Must(f.App.Sending.Clicked(f.Context(), click, apptest.PersonAgent))
		f.Pass(time.Minute)
	}
	_, err := f.App.Sending.Bounced(f.Context(), keys[1], "smtp; 550 5.1.1 no such user")
	f.Must(err)
	_, err = f.App.Sending.Complained(f.Context(), keys[2], "spam")
	f.Must(err)
	f.Refuse(f.Contacts[3])
	again := f.Send(f.Contacts[0])
	f.Pass(time.Minute)
	f.Must(f.App.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: again[0]}, apptest.PersonAgent))
	about := func(event string, contact int) string {
		return fmt.Sprint(event, " ", f.Contacts[contact], " ", f.ID)
	}
	want := []string{about("opened", 0), about("clicked", 0), about("bounced", 1), about("complained", 2), about("bounced", 3)}
	apptest.Same(f.T, "events", webhookEvents(f.SentBatch), want)
}

// A further mail to a Contact changes what became of its mails, and counts no second recipient.
func autoresponderCountsContactsOnce(e *apptest.SentBatch) {
	f := apptest.NewAutoresponder(e)
	f.Send(f.Contacts[0], f.Contacts[1])
	f.Refuse(f.Contacts[2])
	f.Pass(time.Hour)
	keys := f.Send(f.Contacts[0], f.Contacts[2])
	f.Refuse(f.Contacts[1])
	apptest.Same(f.T, "counts", f.Report().Counts, recipients.Counts{Recipients: 3, Sent: 3, Bounced: 2})
	f.Pass(time.Hour)
	f.Refuse(f.Contacts[1])
	f.Must(f.App.Sending.RecordNotSent(f.Context(), f.PrepareMail(f.Contacts[3]), &messages.Undelivered{Detail: "no connection"}))
	apptest.Same(f.T, "counts", f.Report().Counts, recipients.Counts{Recipients: 4, Sent: 3, Failed: 1, Bounced: 2})
	f.Send(f.Contacts[3])
	_, err := f.App.Sending.Bounced(f.Context(), keys[1], "smtp; 550 5.1.1 no such user")
	f.Must(err)
	apptest.Same(f.T, "counts", f.Report().Counts, recipients.Counts{Recipients: 4, Sent: 4, Bounced: 2})
	f.WantRows(recipients.RowsNotOpened, enlist.Query{}, "a0", "a3")
	if n := f.Report().NotOpened(); n != 2 {
		f.Errorf("%d mails were not opened, want 2", n)
	}
}
