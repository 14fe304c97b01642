package storetest

import (
	"math/rand/v2"
	"time"

	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/reports"
	"enlist/internal/sending"
)

// This file tests that the number of mails that were not opened equals their rows, whatever is reported about a mail.

// notOpenedOfBatches sends three Batches, of which one has mails of unknown outcome and one does not send such mails again.
func notOpenedOfBatches(f *eventFixture) {
	f.reportAtRandom(f.mail)
	for _, doubt := range []string{"send", "skip"} {
		f.created = f.now.Unix()
		f.batch = f.addWith(batches.BatchOptions{Doubt: doubt})
		for range 3 {
			f.sendAll(func(*sending.BatchMail) *messages.Undelivered { return anyOutcome() })
			f.reportAtRandom(f.mail)
			f.pass(time.Hour)
		}
		if f.batchFixture.batch(f.batch).Status == batches.BatchPaused { // because of the complaints
			f.edit(f.batch, "unpause")
			f.batchFixture.prepare(f.batch)
		}
		f.sendAll(nil)
		f.reportAtRandom(f.mail)
		if n := f.report().Unsent(); n != 0 {
			f.Errorf("%d mails were not sent", n)
		}
	}
}

// notOpenedOfAutoresponder sends several mails of an autoresponder to each Contact.
func notOpenedOfAutoresponder(e *eventFixture) {
	f := newAutoresponderFixture(e)
	keys := make(map[enlist.ContactID]enlist.DeliveryKey)
	for range 8 {
		f.pass(time.Hour)
		for _, id := range f.contacts {
			if !f.contact(f.news, id).IsActive || f.contact(f.news, id).IsUnsubscribed {
				continue
			}
			m := f.prepare(id)
			keys[id] = m.Delivery
			if why := anyOutcome(); why == nil {
				f.must(f.service.Sending.RecordSent(f.Context(), []messages.Delivery{f.service.Sending.Sent(m, "Hello")}))
			} else {
				f.must(f.service.Sending.RecordNotSent(f.Context(), m, why))
			}
		}
		f.reportAtRandom(func(id enlist.ContactID) enlist.DeliveryKey { return keys[id] })
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

// reportAtRandom opens mails and reports bounces and complaints, some of them twice.
func (f *eventFixture) reportAtRandom(mail func(enlist.ContactID) enlist.DeliveryKey) {
	f.Helper()
	for range 2 * len(f.contacts) {
		k := mail(f.contacts[rand.IntN(len(f.contacts))])
		what, err := "", error(nil)
		switch rand.IntN(4) {
		case 0:
			what = "bounced"
			_, err = f.service.Sending.Bounced(f.Context(), k, "smtp; 550 5.1.1 no such user")
		case 1:
			what = "complained"
			_, err = f.service.Sending.Complained(f.Context(), k, "spam")
		default:
			what = "opened"
			err = f.service.Sending.Opened(f.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: k}, personAgent)
		}
		f.must(err)
		rows := f.rows(reports.RowsRequest{Kind: batches.RowsNotOpened}, enlist.Query{}).rows
		r := f.report()
		if n := int(r.NotOpened()); n > len(rows) || n < len(rows) && r.Unsent() == 0 {
			f.Fatalf("after %s of %+v: %d mails were not opened, but there are %d rows; %+v", what, k, n, len(rows), r.BatchCounts)
		}
	}
}
