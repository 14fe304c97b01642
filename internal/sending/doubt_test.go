package sending_test

import (
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/sending"
)

// This file tests what becomes of mails in doubt: those of a process that was killed, or that has lost its slice because
// it was stopped for longer than its lease.

// covers: spec batch.doubt, batch.counts, decision 59, decision 154
func TestMailsInDoubt(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "a process that has lost its slice puts no mail back that another one hands over", Test: lostSliceKeepsNothing},
		{Name: "a mail that was accepted before it is repeated is not repeated", Test: lateAnswerStopsRepetition},
		{Name: "a late answer ends the doubt", Test: lateAnswerEndsDoubt},
		{Name: "an answer counts once, whichever process gets it first", Test: twoAnswersCountOnce},
		{Name: "a mail that bounces before it is repeated is not repeated", Test: bounceStopsRepetition},
		{Name: "a mail in doubt to a Contact that has unsubscribed stays in doubt", Test: doubtOutlivesUnsubscribing},
		{Name: "a mail that was in doubt once and fails later stays in doubt", Test: doubtOutlivesAttempts},
		{Name: "marks that are stored twice count a repeated mail once", Test: marksCountOnce},
		{Name: "after the last attempt with an unknown outcome, the mail stays in doubt", Test: lastUnknownIsDoubtful},
		{Name: "a process whose lease was ended stores its results until another one takes the slice", Test: endedLeaseStores},
		{Name: "a mail that was put back is in doubt no longer", Test: putBackIsNoDoubt},
	})
}

// inDoubt returns a Batch with one recipient, whose mail a process has marked, and the slice of another process that has
// taken it over.
func inDoubt(f *apptest.Batches, o batches.BatchOptions) (id enlist.BatchID, first, second *sending.LeasedSlice, mail sending.BatchMail) {
	f.Helper()
	f.SubscribeMany(f.News, 1)
	id = f.AddWith(o)
	first = f.Lease("a")
	mail = f.Mails(first)[0]
	f.Now = f.Now.Add((sending.SliceLease + 1) * time.Second)
	second = f.Lease("b")
	if second == nil || len(second.Recipients) != 1 {
		f.Fatalf("the other process got %+v, want the recipient in doubt", second)
	}
	return id, first, second, mail
}

// report stores a result of a mail.
func report(f *apptest.Batches, s *sending.LeasedSlice, m sending.BatchMail, change func(*sending.BatchResult)) {
	f.Helper()
	r := sending.BatchResult{Recipient: m.Recipient, Address: m.Address, Retry: f.Now.Add(time.Second)}
	if change != nil {
		change(&r)
	}
	f.Advance(sending.BatchProgress{Slice: s, Results: []sending.BatchResult{r}})
}

// wantCounts compares the counts of a Batch, and the recipients that its report names as repeated.
func wantCounts(f *apptest.Batches, id enlist.BatchID, want recipients.Counts) {
	f.Helper()
	report, err := f.App.Reports.BatchReport(f.Context(), f.Caller, id)
	f.Must(err)
	var byDomain, named int64
	for i := range report.Domains {
		byDomain += report.Domains[i].Sent
	}
	apptest.View(f.T, f.Store, func(tx *db.Tx) error {
		named = 0
		q := recipients.RowsQuery{List: f.News, Batch: id, Kind: recipients.EventRepeated}
		return recipients.Rows(tx, &q, func(row *recipients.Row) error {
			named += row.Event.Count
			return nil
		})
	})
	if report.Counts != want || byDomain != want.Sent || named != want.Repeated {
		f.Errorf("the counts are %+v, by domain %d are sent, by recipient %d are repeated, want %+v", report.Counts, byDomain, named, want)
	}
}

func lostSliceKeepsNothing(f *apptest.Batches) {
	id, first, second, mail := inDoubt(f, batches.BatchOptions{})
	again := f.Mails(second)[0]
	report(f, first, mail, func(r *sending.BatchResult) { r.NotTried = true })
	report(f, first, mail, func(r *sending.BatchResult) { r.Failed = &messages.Undelivered{Code: 451, Detail: "later"} })
	if r := recipient(f, id, mail.Recipient.Contact); r.Status != recipients.StatusSending || r.Attempts != 0 {
		f.Errorf("the recipient is %+v, want it as the other process has marked it", r)
	}
	report(f, second, again, nil)
	wantCounts(f, id, recipients.Counts{Recipients: 1, Sent: 1, Repeated: 1})
}

func lateAnswerStopsRepetition(f *apptest.Batches) {
	id, first, second, mail := inDoubt(f, batches.BatchOptions{})
	report(f, first, mail, nil)
	all, err := f.App.Sending.AdvanceBatches(f.Context(), []sending.BatchProgress{f.Next(second)})
	f.Must(err)
	if all[0] == nil || len(all[0]) != 0 {
		f.Errorf("the other process may hand over %+v, want that it goes on without this mail", all[0])
	}
	wantCounts(f, id, recipients.Counts{Recipients: 1, Sent: 1})
}

func lateAnswerEndsDoubt(f *apptest.Batches) {
	id, first, second, mail := inDoubt(f, batches.BatchOptions{Doubt: "skip"})
	f.Advance(f.Next(second))
	wantCounts(f, id, recipients.Counts{Recipients: 1, Doubtful: 1})
	report(f, first, mail, nil)
	report(f, first, mail, nil) // the reply of COMMIT was lost
	wantCounts(f, id, recipients.Counts{Recipients: 1, Sent: 1})
}

func twoAnswersCountOnce(f *apptest.Batches) {
	id, first, second, mail := inDoubt(f, batches.BatchOptions{})
	again := f.Mails(second)[0]
	report(f, second, again, func(r *sending.BatchResult) { r.Failed = &messages.Undelivered{Code: 451, Detail: "later"} })
	report(f, first, mail, nil)
	report(f, second, again, nil)
	wantCounts(f, id, recipients.Counts{Recipients: 1, Sent: 1, Repeated: 1})
}

func bounceStopsRepetition(f *apptest.Batches) {
	id, _, second, mail := inDoubt(f, batches.BatchOptions{})
	changed, err := f.App.Sending.Bounced(f.Context(), mail.Delivery, "mailbox full")
	f.Must(err)
	all, err := f.App.Sending.AdvanceBatches(f.Context(), []sending.BatchProgress{f.Next(second)})
	f.Must(err)
	if !changed || len(all[0]) != 0 {
		f.Errorf("the bounce is stored: %t; then the other process may hand over %+v", changed, all[0])
	}
	wantCounts(f, id, recipients.Counts{Recipients: 1, Sent: 1, Bounced: 1})
}

func doubtOutlivesUnsubscribing(f *apptest.Batches) {
	id, _, second, mail := inDoubt(f, batches.BatchOptions{})
	_, err := f.App.Contacts.UnsubscribeByID(f.Context(), f.Caller, contacts.ContactRequest{List: f.News, Contact: mail.Recipient.Contact})
	f.Must(err)
	f.Advance(f.Next(second))
	wantCounts(f, id, recipients.Counts{Recipients: 1, Doubtful: 1})
}

// doubtOutlivesAttempts repeats a mail in doubt, which the mail server then refuses for a while, and later for ever.
func doubtOutlivesAttempts(f *apptest.Batches) {
	id, _, second, _ := inDoubt(f, batches.BatchOptions{})
	report(f, second, f.Mails(second)[0], func(r *sending.BatchResult) { r.Failed = &messages.Undelivered{Code: 451} })
	f.Advance(sending.BatchProgress{Slice: second, Release: true})
	f.Now = f.Now.Add(time.Minute)
	third := f.Lease("c")
	mail := f.Mails(third)[0]
	report(f, third, mail, func(r *sending.BatchResult) { r.NotTried = true })
	report(f, third, f.Mails(third)[0], func(r *sending.BatchResult) { r.Failed = &messages.Undelivered{Permanent: true, Code: 554} })
	wantCounts(f, id, recipients.Counts{Recipients: 1, Doubtful: 1, Repeated: 1})
}

func marksCountOnce(f *apptest.Batches) {
	id, _, second, _ := inDoubt(f, batches.BatchOptions{})
	next := f.Next(second)
	f.Advance(next)
	f.Now = f.Now.Add(time.Second)
	all, err := f.App.Sending.AdvanceBatches(f.Context(), []sending.BatchProgress{next})
	f.Must(err)
	if len(all[0]) != 1 {
		f.Errorf("the sender may hand over %+v, want the mail that it has marked", all[0])
	}
	report(f, second, next.Mark[0], nil)
	wantCounts(f, id, recipients.Counts{Recipients: 1, Sent: 1, Repeated: 1})
}

func lastUnknownIsDoubtful(f *apptest.Batches) {
	f.SubscribeMany(f.News, 1)
	id := f.AddWith(batches.BatchOptions{})
	s := f.Lease("a")
	mail := f.Mails(s)[0]
	for range db.Attempts {
		report(f, s, mail, func(r *sending.BatchResult) { r.Failed = &messages.Undelivered{Unknown: true} })
		mail.Recipient.Attempts++
	}
	wantCounts(f, id, recipients.Counts{Recipients: 1, Doubtful: 1})
}

// endedLeaseStores ends the lease of a process that has lost its lock of the database. It knows best what it has not
// handed over, until another process takes the slice.
func endedLeaseStores(f *apptest.Batches) {
	f.SubscribeMany(f.News, 2)
	id := f.AddWith(batches.BatchOptions{Doubt: "skip"})
	first := f.Lease("a")
	mails := f.Mails(first)
	f.Update(func(tx *db.Tx) error { return recipients.EndLeases(tx, []enlist.BatchID{id}, "a", f.Now.Unix()) })
	report(f, first, mails[0], func(r *sending.BatchResult) { r.NotTried = true })
	if f.Advance(f.Next(first)) {
		f.Error("a process whose lease was ended marks mails")
	}
	second := f.Lease("b")
	report(f, first, mails[1], func(r *sending.BatchResult) { r.NotTried = true })
	for _, m := range f.Mails(second) {
		report(f, second, m, nil)
	}
	wantCounts(f, id, recipients.Counts{Recipients: 2, Sent: 1, Doubtful: 1})
}

// putBackIsNoDoubt stores that a mail was not handed over, after another process has read it as one in doubt.
func putBackIsNoDoubt(f *apptest.Batches) {
	id, first, second, mail := inDoubt(f, batches.BatchOptions{Doubt: "skip"})
	next := f.Next(second)
	first.Holder = "b" // as if that process had read the recipients before it took the slice
	report(f, first, mail, func(r *sending.BatchResult) { r.NotTried = true })
	f.Advance(next)
	wantCounts(f, id, recipients.Counts{Recipients: 1})
}
