package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file has the fixture of the tests of Batches. It sends their mails without a mail server.

// batchFixture is an accountFixture with a Message and a List.
type batchFixture struct {
	*accountFixture
	message enlist.MessageID
	news    enlist.ListID

	composer sampleKeeper
}

// sampleKeeper is a Composer that finds one mistake in each Message and keeps the mails that it was asked to check.
type sampleKeeper struct{ checked []messages.OutgoingMail }

// Preview returns an empty mail.
func (k *sampleKeeper) Preview(context.Context, *messages.OutgoingMail) (*messages.ComposedMail, error) {
	return new(messages.ComposedMail), nil
}

// Check returns one finding.
func (k *sampleKeeper) Check(m *messages.OutgoingMail) []messages.Finding {
	k.checked = append(k.checked, *m)
	return []messages.Finding{{Level: messages.FindingError, Code: batches.FindingNoContent, Text: "empty"}}
}

func (f *batchFixture) addMessage(name string) enlist.MessageID {
	f.Helper()
	id, err := f.service.Messages.AddMessage(f.Context(), f.caller, details("name", name, "subject", "Hello", "text_content", "Dear {{Email}}"))
	f.must(err)
	return id
}

// subscribeMany subscribes n addresses to a List and returns the Contacts.
func (f *batchFixture) subscribeMany(list enlist.ListID, n int) (ids []enlist.ContactID) {
	f.Helper()
	for i := range n {
		ids = append(ids, f.subscribe(list, "Email", fmt.Sprintf("a%d@example.com", i)))
	}
	return ids
}

// addMany adds Contacts with n addresses to a List.
func (f *batchFixture) addMany(list enlist.ListID, n int) {
	f.Helper()
	rows := make([][]enlist.Detail, n)
	for i := range rows {
		rows[i] = details("Email", fmt.Sprintf("a%d@example.com", i))
	}
	for part := range slices.Chunk(rows, 5000) {
		_, err := f.service.Contacts.AddContacts(f.Context(), f.caller, contacts.AddRequest{List: list, Contacts: part})
		f.must(err)
	}
}

// add adds a Batch and populates it.
func (f *batchFixture) add(populations ...batches.PopulationRequest) enlist.BatchID {
	f.Helper()
	return f.addAt(0, populations...)
}

func (f *batchFixture) addAt(at int64, populations ...batches.PopulationRequest) enlist.BatchID {
	f.Helper()
	return f.addChecked(batches.BatchRequest{Message: f.message, Populations: populations, SendTime: at})
}

// addChecked adds a Batch and populates it. The check before must have the numbers of the Batch.
func (f *batchFixture) addChecked(r batches.BatchRequest) enlist.BatchID {
	f.Helper()
	f.service.Messages.SetComposer(&f.composer)
	check, err := f.service.Batches.CheckBatch(f.Context(), f.caller, r)
	f.must(err)
	id, err := f.service.Batches.AddBatch(f.Context(), f.caller, r)
	f.must(err)
	f.prepare(id)
	if b := f.batch(id); b.IsPopulated && (check.BatchCounts != b.BatchCounts || !check.Complete) {
		f.Errorf("the check says %+v, complete %t; the Batch has %+v", check.BatchCounts, check.Complete, b.BatchCounts)
	}
	return id
}

// prepare runs the job of a Batch.
func (f *batchFixture) prepare(id enlist.BatchID) {
	f.Helper()
	for done := false; !done; {
		var err error
		done, _, err = f.service.Sending.PrepareBatch(f.Context(), batches.PrepareBatch{Batch: id})
		f.must(err)
	}
}

func (f *batchFixture) batch(id enlist.BatchID) *batches.Batch {
	f.Helper()
	b, err := f.service.Batches.Batch(f.Context(), f.caller, id)
	f.must(err)
	return b
}

func (f *batchFixture) edit(id enlist.BatchID, command string) {
	f.Helper()
	f.must(f.service.Batches.EditBatch(f.Context(), f.caller, id, command, 0))
}

func (f *batchFixture) lease(holder string) *sending.LeasedSlice {
	f.Helper()
	s, _, err := f.service.Sending.LeaseSlice(f.Context(), holder, 0)
	f.must(err)
	return s
}

// mails returns the mails of the recipients of a slice, after it has stored the skipped recipients
// and marked the others.
func (f *batchFixture) mails(s *sending.LeasedSlice) []sending.BatchMail {
	f.Helper()
	next := f.next(s)
	f.advance(next)
	return next.Mark
}

// next reads the mails of the recipients of a slice.
func (f *batchFixture) next(s *sending.LeasedSlice) sending.BatchProgress {
	f.Helper()
	next, err := f.service.Sending.BatchMails(f.Context(), []sending.BatchPart{{Slice: s, Recipients: s.Recipients}})
	f.must(err)
	return next[0]
}

func (f *batchFixture) advance(p sending.BatchProgress) (marked bool) {
	f.Helper()
	all, err := f.service.Sending.AdvanceBatches(f.Context(), []sending.BatchProgress{p})
	f.must(err)
	return all[0]
}

// sendAll sends all slices of all Batches. result returns the outcome of a mail, nil for success.
func (f *batchFixture) sendAll(result func(*sending.BatchMail) *messages.Undelivered) (addresses []string) {
	f.Helper()
	for s := f.lease("a"); s != nil; s = f.lease("a") {
		var results []sending.BatchResult
		for _, m := range f.mails(s) {
			r := sending.BatchResult{Recipient: m.Recipient, Address: m.Address, Retry: f.now.Add(time.Minute)}
			if result != nil {
				r.Failed = result(&m)
			}
			if r.Failed == nil {
				addresses = append(addresses, m.Address)
			}
			results = append(results, r)
		}
		f.advance(sending.BatchProgress{Slice: s, Results: results, Release: true})
	}
	slices.Sort(addresses)
	return addresses
}

func (f *batchFixture) wantStatus(id enlist.BatchID, want batches.BatchStatus) {
	f.Helper()
	if b := f.batch(id); b.Status != want {
		f.Errorf("the Batch is %s (%s), want %s", b.Status, b.Reason, want)
	}
}

func (f *batchFixture) wantAddresses(got []string, want ...string) {
	f.Helper()
	if !slices.Equal(got, want) {
		f.Errorf("the mails went to %v, want %v", got, want)
	}
}

func whole(id enlist.ListID) batches.PopulationRequest {
	return batches.PopulationRequest{List: id}
}

// analyze collects the statistics of the store's tables.
func (f *batchFixture) analyze() {
	f.Helper()
	f.store.(*dbtest.Store).Analyze(f.T)
}
