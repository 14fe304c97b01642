package sending_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
)

// This file measures opens and reports of a Batch.

// BenchmarkBatchEvents measures opens of mails, and the report of a Batch.
func BenchmarkBatchEvents(b *testing.B) { apptest.Bench(b, benchBatch) }

// benchRecipients is the number of recipients of the measured Batch.
const benchRecipients = 2000

// measuredBatch is a Batch that was sent, and a Service whose clock a benchmark moves.
type measuredBatch struct {
	*testing.B
	store    db.Engine
	service  *app.App
	caller   *enlist.Caller
	list     enlist.ListID
	batch    enlist.BatchID
	created  int64
	contacts []enlist.ContactID
	seconds  atomic.Int64
}

func (m *measuredBatch) clock() time.Time { return time.Unix(1_767_225_600+m.seconds.Load(), 0) }

func (m *measuredBatch) must(err error) {
	if err != nil {
		m.Helper()
		m.Fatal(err)
	}
}

// newMeasuredBatch adds a List that tracks opens, and a Batch to its Contacts.
func newMeasuredBatch(b *testing.B, store db.Engine) *measuredBatch {
	m, ctx := &measuredBatch{B: b, store: store}, context.Background()
	m.service = app.New(store, m.clock)
	first, err := m.service.Bootstrap(ctx, "")
	m.must(err)
	m.list = first.List
	m.caller, err = m.service.Accounts.Operator(ctx, first.Account)
	m.must(err)
	_, err = m.service.Lists.EditList(ctx, m.caller, m.list, apptest.Details("track_opens", true, "track_clicks", true))
	m.must(err)
	rows := make([][]enlist.Detail, benchRecipients)
	for i := range rows {
		rows[i] = apptest.Details("Email", fmt.Sprintf("a%d@example.com", i))
	}
	_, err = m.service.Contacts.AddContacts(ctx, m.caller, contacts.AddRequest{List: m.list, Contacts: rows})
	m.must(err)
	message, err := m.service.Messages.AddMessage(ctx, m.caller, apptest.Details("name", "May", "subject", "Hello", "text_content", "Dear {{Email}}"))
	m.must(err)
	m.created = m.clock().Unix()
	m.batch, err = m.service.Batches.AddBatch(ctx, m.caller, batches.BatchRequest{Message: message, Populations: []batches.PopulationRequest{apptest.Whole(m.list)}})
	m.must(err)
	for done := false; !done; {
		done, _, err = m.service.Sending.PrepareBatch(ctx, batches.PrepareBatch{Batch: m.batch})
		m.must(err)
	}
	m.must(store.Update(ctx, m.markSent))
	return m
}

// markSent stores that all mails were sent.
func (m *measuredBatch) markSent(tx *db.Tx) error {
	m.contacts = nil
	found, err := contacts.Candidates(tx, m.list, 0, 1<<40, benchRecipients)
	if err != nil {
		return err
	}
	for _, c := range found {
		m.contacts = append(m.contacts, c.ID)
	}
	if err := recipients.MarkSending(tx, m.list, m.batch, m.contacts, m.created); err != nil {
		return err
	}
	_, err = recipients.MarkSent(tx, m.list, m.batch, m.contacts, 0, m.created)
	return err
}

// open stores an open of the next mail, in a second of its own: a repeated open in the same second would not be stored.
func (m *measuredBatch) open(cause string) error {
	n := m.seconds.Add(1)
	mail := enlist.DeliveryKey{List: m.list, Contact: m.contacts[n%benchRecipients], Time: m.created, Cause: cause}
	return m.service.Sending.Opened(context.Background(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: mail}, apptest.PersonAgent)
}

// fillSums stores sums of 600 periods.
func (m *measuredBatch) fillSums(tx *db.Tx) error {
	for period := range int64(600) {
		for part := range int64(16) {
			sums := &recipients.Sums{Opens: 300, ImageOpened: 100}
			if err := recipients.AddSums(tx, m.batch, period*3600, part, sums); err != nil {
				return err
			}
		}
	}
	return nil
}

// benchBatch measures opens from at least 16 goroutines: of an autoresponder's mail, which only sets the time of the
// Contact, and of a Batch's mail. It also measures the report of a Batch with events in 600 periods.
func benchBatch(b *testing.B, store db.Engine) {
	m := newMeasuredBatch(b, store)
	for _, cause := range []string{messages.CauseAutoresponder(1), batches.CauseBatch(m.batch)} {
		b.Run("opens with the cause "+cause, func(b *testing.B) {
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := m.open(cause); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "opens/s")
		})
	}
	m.must(store.Update(context.Background(), m.fillSums))
	b.Run("report", func(b *testing.B) {
		for b.Loop() {
			if _, err := m.service.Reports.BatchReport(context.Background(), m.caller, m.batch); err != nil {
				b.Fatal(err)
			}
		}
	})
}
