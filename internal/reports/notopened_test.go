package reports_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/reports"
	"enlist/internal/sending"
)

// This file tests that the number of mails that were not opened equals their rows, whatever is reported about a mail.

// notOpenedOfBatches sends three Batches, of which one has mails of unknown outcome and one does not send such mails again.
func notOpenedOfBatches(f *apptest.SentBatch) {
	reportAtRandom(f, f.Mail)
	for _, doubt := range []string{"send", "skip"} {
		f.Created = f.Now.Unix()
		f.ID = f.AddWith(batches.BatchOptions{Doubt: doubt})
		for range 3 {
			f.SendAll(func(*sending.BatchMail) *messages.Undelivered { return anyOutcome() })
			reportAtRandom(f, f.Mail)
			f.Pass(time.Hour)
		}
		if f.Batches.Batch(f.ID).Status == batches.BatchPaused { // because of the complaints
			f.Edit(f.ID, "unpause")
			f.Batches.Prepare(f.ID)
		}
		f.SendAll(nil)
		reportAtRandom(f, f.Mail)
		if n := f.Report().Unsent(); n != 0 {
			f.Errorf("%d mails were not sent", n)
		}
	}
}

// notOpenedOfAutoresponder sends several mails of an autoresponder to each Contact.
func notOpenedOfAutoresponder(e *apptest.SentBatch) {
	f := apptest.NewAutoresponder(e)
	keys := make(map[enlist.ContactID]enlist.DeliveryKey)
	for range 8 {
		f.Pass(time.Hour)
		for _, id := range f.Contacts {
			if !f.Contact(f.News, id).IsActive || f.Contact(f.News, id).IsUnsubscribed {
				continue
			}
			m := f.PrepareMail(id)
			keys[id] = m.Delivery
			if why := anyOutcome(); why == nil {
				f.Must(f.App.Sending.RecordSent(f.Context(), []messages.Delivery{f.App.Sending.Sent(m, "Hello")}))
			} else {
				f.Must(f.App.Sending.RecordNotSent(f.Context(), m, why))
			}
		}
		reportAtRandom(f.SentBatch, func(id enlist.ContactID) enlist.DeliveryKey { return keys[id] })
	}
}

// anyOutcome returns what a mail server may answer.
func anyOutcome() *messages.Undelivered {
	switch rand.IntN(4) {
	case 0:
		return &messages.Undelivered{Permanent: true, Recipient: true, Code: 550, Detail: "5.1.1 unknown"}
	case 1:
		return &messages.Undelivered{Permanent: true, Code: 554, Detail: "5.7.1 refused"}
	case 2:
		return &messages.Undelivered{Unknown: true, Detail: "the connection was lost"}
	}
	return nil
}

// reportAtRandom opens mails and reports bounces and complaints, some of them twice. With -short it makes half as many
// reports.
func reportAtRandom(f *apptest.SentBatch, mail func(enlist.ContactID) enlist.DeliveryKey) {
	f.Helper()
	n := 2 * len(f.Contacts)
	if testing.Short() {
		n /= 2
	}
	for range n {
		k := mail(f.Contacts[rand.IntN(len(f.Contacts))])
		what, err := "", error(nil)
		switch rand.IntN(4) {
		case 0:
			what = "bounced"
			_, err = f.App.Sending.Bounced(f.Context(), k, "smtp; 550 5.1.1 no such user")
		case 1:
			what = "complained"
			_, err = f.App.Sending.Complained(f.Context(), k, "spam")
		default:
			what = "opened"
			err = f.App.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: k}, apptest.PersonAgent)
		}
		f.Must(err)
		rows := f.Rows(reports.RowsRequest{Kind: recipients.RowsNotOpened}, enlist.Query{}).Rows
		r := f.Report()
		sameByDomain(f, r)
		if n := int(r.NotOpened()); n > len(rows) || n < len(rows) && r.Unsent() == 0 {
			f.Fatalf("after %s of %+v: %d mails were not opened, but there are %d rows; %+v", what, k, n, len(rows), r.Counts)
		}
		if rows := f.Rows(reports.RowsRequest{Kind: recipients.RowsDelivered}, enlist.Query{}).Rows; len(rows) != int(r.Delivered()) {
			f.Fatalf("after %s of %+v: %d mails are delivered, but there are %d rows; %+v", what, k, r.Delivered(), len(rows), r.Counts)
		}
	}
}
