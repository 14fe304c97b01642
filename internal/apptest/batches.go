package apptest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file has the fixture of the tests of Batches. It sends their mails without a mail server.

// RemoveBatch deletes a Batch and runs the job that removes its recipients.
func (f *Batches) RemoveBatch(id enlist.BatchID) {
	f.Helper()
	f.Must(f.App.Batches.DeleteBatch(f.Context(), f.Caller, id))
	for done := false; !done; {
		var err error
		done, err = f.App.Batches.RemoveBatch(f.Context(), batches.RemoveBatch{Batch: id})
		f.Must(err)
	}
}

// Batches is an Account fixture with a Message and a List.
type Batches struct {
	*Account
	Message enlist.MessageID
	News    enlist.ListID

	Composer sampleKeeper
}

// sampleKeeper is a Composer that finds the same mistakes in each Message and keeps the mails that it was asked to
// check.
type sampleKeeper struct {
	mu      sync.Mutex // several requests of a test can check at the same time
	Checked []messages.OutgoingMail
	Found   []messages.Finding
}

// Preview returns an empty mail.
func (k *sampleKeeper) Preview(context.Context, *messages.OutgoingMail) (*messages.ComposedMail, error) {
	return new(messages.ComposedMail), nil
}

// Check returns the findings of the test.
func (k *sampleKeeper) Places(context.Context, *messages.Message) ([]messages.Finding, []messages.PlacedLink, error) {
	return nil, nil, nil
}

func (k *sampleKeeper) Canvas(context.Context, *messages.Message) (*messages.Canvas, error) {
	return nil, nil
}

func (k *sampleKeeper) Check(_ context.Context, m *messages.OutgoingMail) ([]messages.Finding, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Checked = append(k.Checked, *m)
	return k.Found, nil
}

func NewBatches(t *testing.T, store db.Engine) *Batches {
	f := &Batches{Account: NewAccount(t, store)}
	f.App.Messages.SetComposer(&f.Composer)
	f.Message = f.AddMessage("May")
	f.News = f.AddList()
	return f
}

func (f *Batches) AddMessage(name string) enlist.MessageID {
	f.Helper()
	id, err := f.App.Messages.AddMessage(f.Context(), f.Caller,
		Details("name", name, "subject", "Hello", "text_content", "Dear {{Email}}"))
	f.Must(err)
	return id
}

// SubscribeMany subscribes n addresses to a List and returns the Contacts.
func (f *Batches) SubscribeMany(list enlist.ListID, n int) (ids []enlist.ContactID) {
	f.Helper()
	for i := range n {
		ids = append(ids, f.Subscribe(list, "Email", fmt.Sprintf("a%d@example.com", i)))
	}
	return ids
}

// AddMany adds Contacts with n addresses to a List.
func (f *Batches) AddMany(list enlist.ListID, n int) {
	f.Helper()
	rows := make([][]enlist.Detail, n)
	for i := range rows {
		rows[i] = Details("Email", fmt.Sprintf("a%d@example.com", i))
	}
	for part := range slices.Chunk(rows, 5000) {
		_, err := f.App.Contacts.AddContacts(f.Context(), f.Caller, contacts.AddRequest{List: list, Contacts: part})
		f.Must(err)
	}
}

// Add adds a Batch and populates it.
func (f *Batches) Add(populations ...batches.PopulationRequest) enlist.BatchID {
	f.Helper()
	return f.AddAt(0, populations...)
}

func (f *Batches) AddAt(at int64, populations ...batches.PopulationRequest) enlist.BatchID {
	f.Helper()
	return f.AddChecked(batches.BatchRequest{Message: f.Message, Populations: populations, SendTime: at})
}

// AddChecked adds a Batch and populates it. The check before must have the numbers of the Batch.
func (f *Batches) AddChecked(r batches.BatchRequest) enlist.BatchID {
	f.Helper()
	f.App.Messages.SetComposer(&f.Composer)
	check, err := f.App.Batches.CheckBatch(f.Context(), f.Caller, r)
	f.Must(err)
	id, err := f.App.Batches.AddBatch(f.Context(), f.Caller, r)
	f.Must(err)
	f.Prepare(id)
	if b := f.Batch(id); b.IsPopulated && (check.Counts != b.Counts || !check.Complete) {
		f.Errorf("the check says %+v, complete %t; the Batch has %+v", check.Counts, check.Complete, b.Counts)
	}
	return id
}

// Prepare runs the job of a Batch.
func (f *Batches) Prepare(id enlist.BatchID) {
	f.Helper()
	for done := false; !done; {
		var err error
		done, _, err = f.App.Sending.PrepareBatch(f.Context(), batches.PrepareBatch{Batch: id})
		f.Must(err)
	}
}

func (f *Batches) Batch(id enlist.BatchID) *batches.Batch {
	f.Helper()
	b, err := f.App.Batches.Batch(f.Context(), f.Caller, id)
	f.Must(err)
	return b
}

func (f *Batches) Edit(id enlist.BatchID, command string) {
	f.Helper()
	f.Must(f.App.Batches.EditBatch(f.Context(), f.Caller, id, command, 0))
}

func (f *Batches) Lease(holder string) *sending.LeasedSlice {
	f.Helper()
	s, _, err := f.App.Sending.LeaseSlice(f.Context(), holder, sending.LeaseTurn{})
	f.Must(err)
	return s
}

// Mails returns the mails of the recipients of a slice, after it has stored the skipped recipients
// and marked the others.
func (f *Batches) Mails(s *sending.LeasedSlice) []sending.BatchMail {
	f.Helper()
	next := f.Next(s)
	f.Advance(next)
	return next.Mark
}

// Next reads the mails of the recipients of a slice.
func (f *Batches) Next(s *sending.LeasedSlice) sending.BatchProgress {
	f.Helper()
	next, err := f.App.Sending.BatchMails(f.Context(), []sending.BatchPart{{Slice: s, Recipients: s.Recipients}})
	f.Must(err)
	return next[0]
}

func (f *Batches) Advance(p sending.BatchProgress) (marked bool) {
	f.Helper()
	all, err := f.App.Sending.AdvanceBatches(f.Context(), []sending.BatchProgress{p})
	f.Must(err)
	return all[0] != nil
}

// Decide stores what people have decided about the recording of opens and clicks.
func (f *Batches) Decide(list enlist.ListID, consent enlist.TrackingConsent, ids ...enlist.ContactID) {
	f.Helper()
	for _, id := range ids {
		_, err := f.App.Contacts.DecideTracking(f.Context(), f.Caller, contacts.TrackingRequest{List: list, Contact: id,
			Decision: contacts.TrackingDecision{Consent: consent}})
		f.Must(err)
	}
}

// SendAll sends all slices of all Batches. result returns the outcome of a mail, nil for success.
func (f *Batches) SendAll(result func(*sending.BatchMail) *messages.Undelivered) (addresses []string) {
	f.Helper()
	for s := f.Lease("a"); s != nil; s = f.Lease("a") {
		var results []sending.BatchResult
		for _, m := range f.Mails(s) {
			r := sending.BatchResult{Recipient: m.Recipient, Address: m.Address, Unmeasured: m.Unmeasured(), Retry: f.Now.Add(time.Minute)}
			if result != nil {
				r.Failed = result(&m)
			}
			if r.Failed == nil {
				addresses = append(addresses, m.Address)
			}
			results = append(results, r)
		}
		f.Advance(sending.BatchProgress{Slice: s, Results: results, Release: true})
	}
	slices.Sort(addresses)
	return addresses
}

func (f *Batches) WantStatus(id enlist.BatchID, want batches.BatchStatus) {
	f.Helper()
	if b := f.Batch(id); b.Status != want {
		f.Errorf("the Batch is %s (%s), want %s", b.Status, b.Reason, want)
	}
}

func (f *Batches) WantAddresses(got []string, want ...string) {
	f.Helper()
	if !slices.Equal(got, want) {
		f.Errorf("the mails went to %v, want %v", got, want)
	}
}

func Whole(id enlist.ListID) batches.PopulationRequest {
	return batches.PopulationRequest{List: id}
}

// Analyze collects the statistics of the store's tables.
func (f *Batches) Analyze() {
	f.Helper()
	f.Store.(*dbtest.Store).Analyze(f.T)
}

// AddWith adds a Batch with options for the whole List and populates it.
func (f *Batches) AddWith(o batches.BatchOptions) enlist.BatchID {
	f.Helper()
	return f.AddChecked(batches.BatchRequest{Message: f.Message, Options: o,
		Populations: []batches.PopulationRequest{Whole(f.News)}})
}
