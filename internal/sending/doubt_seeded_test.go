package sending_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/seeds"
	"enlist/internal/sending"
)

// This file does the steps of two senders in an order that comes from the seed, on both engines: what
// doubt_model_test.go does with a model, and without the goroutines of the real sender.

// The steps of two senders may come in any order, clocks may jump, and the answer to COMMIT may be lost. Each recipient
// has one outcome, and the report names all mails that the mail server has accepted more than once.
//
// covers: spec batch.doubt, batch.counts, decision 59
func TestSeededStepsOfTwoSenders(t *testing.T) {
	seeds.Run(t, 60, func(t *testing.T, random *rand.Rand) {
		e := dbtest.SQLite
		if !testing.Short() && random.IntN(2) == 0 {
			e = dbtest.Postgres
		}
		f := apptest.NewBatches(t, e.Own(t))
		s := &steps{Batches: f, random: random, ids: f.SubscribeMany(f.News, steppedRecipients),
			mails: make(map[enlist.ContactID]*relayedMail), skips: random.IntN(2) == 0}
		options := batches.BatchOptions{}
		if s.skips {
			options.Doubt = "skip"
		}
		s.batch = f.AddWith(options)
		s.senders = [2]*stepper{{name: "a"}, {name: "b"}}
		for range 150 {
			s.step(s.senders[random.IntN(2)])
		}
		s.complete()
		c := doubtCheck{T: t, app: f.App, store: f.Store, caller: f.Caller, list: f.News, batch: s.batch, skips: s.skips,
			mail: s.mail, isKnown: func(m *relayedMail) bool { return m.isStored }}
		c.compare(steppedRecipients)
		if t.Failed() {
			t.Logf("%s, doubt skip %t: %v", e.Name, s.skips, s.said)
		}
	})
}

const (
	steppedRecipients = 8
	steppedMarks      = 3 // mails that a sender marks together
)

// steps is one run of the test.
type steps struct {
	*apptest.Batches
	random  *rand.Rand
	ids     []enlist.ContactID
	batch   enlist.BatchID
	skips   bool
	senders [2]*stepper
	mails   map[enlist.ContactID]*relayedMail
	said    []string
}

// stepper is a sender. It does one step at a time.
type stepper struct {
	name    string
	slice   *sending.LeasedSlice
	left    int                 // recipients of the slice that it has not read
	marked  []sending.BatchMail // not handed over yet
	results []sending.BatchResult
}

func (s *steps) mail(contact enlist.ContactID) *relayedMail {
	if s.mails[contact] == nil {
		s.mails[contact] = new(relayedMail)
	}
	return s.mails[contact]
}

// step does a step of a sender, or something else happens.
func (s *steps) step(p *stepper) {
	s.Helper()
	switch n := s.random.IntN(100); {
	case n < 4:
		s.said = append(s.said, p.name+" is killed")
		*p = stepper{name: p.name + "'"}
	case n < 20:
		d := []int{1, 1, 1, 121, 121, -60}[s.random.IntN(6)]
		s.said = append(s.said, (time.Duration(d) * time.Second).String())
		s.Now = s.Now.Add(time.Duration(d) * time.Second)
	case n < 22:
		s.report()
	case n < 23:
		_, err := s.App.Contacts.UnsubscribeByID(s.Context(), s.Caller,
			contacts.ContactRequest{List: s.News, Contact: s.ids[s.random.IntN(len(s.ids))]})
		s.Must(err)
	case p.slice == nil:
		p.slice = s.Lease(p.name)
		if p.slice != nil {
			s.said = append(s.said, p.name+" leases")
			p.left = len(p.slice.Recipients)
		}
	case len(p.marked) > 0 && n < 27: // it gives up after a long interruption
		for _, m := range p.marked {
			p.results = append(p.results, sending.BatchResult{Recipient: m.Recipient, Address: m.Address, NotTried: true})
		}
		p.marked = nil
	case len(p.marked) > 0:
		s.handOver(p)
	case p.left > 0:
		s.mark(p)
	default:
		s.advance(p, sending.BatchProgress{Slice: p.slice, Results: p.results})
		s.advance(p, sending.BatchProgress{Slice: p.slice, Release: true})
		*p = stepper{name: p.name + "'"}
	}
}

// mark marks the next recipients, and stores the results of the last ones.
func (s *steps) mark(p *stepper) {
	s.Helper()
	most := steppedMarks
	if s.skips {
		most = 1
	}
	from := len(p.slice.Recipients) - p.left
	part := p.slice.Recipients[from:min(from+most, len(p.slice.Recipients))]
	p.left -= len(part)
	all, err := s.App.Sending.BatchMails(s.Context(), []sending.BatchPart{{Slice: p.slice, Recipients: part}})
	s.Must(err)
	all[0].Results = append(all[0].Results, p.results...)
	marked := s.advance(p, all[0])
	if marked == nil && len(all[0].Mark) > 0 {
		p.left = 0
	}
	p.marked, p.results = slices.Clone(marked), nil
}

// advance stores progress. If the answer to COMMIT is lost, it stores it twice.
func (s *steps) advance(p *stepper, progress sending.BatchProgress) []sending.BatchMail {
	s.Helper()
	if s.random.IntN(8) == 0 {
		s.Advance(progress)
		s.Now = s.Now.Add(time.Second)
	}
	marked, err := s.App.Sending.AdvanceBatches(s.Context(), []sending.BatchProgress{progress})
	s.Must(err)
	for _, r := range progress.Results {
		if r.Failed == nil && r.Skipped == "" && !r.NotTried {
			s.mail(r.Recipient.Contact).isStored = true
		}
	}
	s.said = append(s.said, p.name+" stores")
	return marked[0]
}

// handOver hands the next mail over.
func (s *steps) handOver(p *stepper) {
	mail := p.marked[0]
	p.marked = p.marked[1:]
	m := s.mail(mail.Recipient.Contact)
	r := sending.BatchResult{Recipient: mail.Recipient, Address: mail.Address, Retry: s.Now.Add(2 * time.Second)}
	switch n := s.random.IntN(10); {
	case n < 5:
		m.accepted++
	case n < 6:
		r.Failed = &messages.Undelivered{Code: 451, Detail: "later"}
	case n < 7:
		m.refused = true
		r.Failed = &messages.Undelivered{Code: 550, Permanent: true, Recipient: s.random.IntN(2) == 0}
	default:
		m.accepted += s.random.IntN(2)
		r.Failed = &messages.Undelivered{Unknown: true}
	}
	p.results = append(p.results, r)
	s.said = append(s.said, p.name+" hands over")
}

// report reports an accepted mail as undeliverable.
func (s *steps) report() {
	s.Helper()
	contact := s.ids[s.random.IntN(len(s.ids))]
	if s.mail(contact).accepted == 0 {
		return
	}
	b := s.Batch(s.batch)
	_, err := s.App.Sending.Bounced(s.Context(), enlist.DeliveryKey{List: s.News, Contact: contact, Time: b.CreationTime,
		Cause: batches.CauseBatch(s.batch)}, "mailbox full")
	s.Must(err)
}

// complete lets one sender send the rest.
func (s *steps) complete() {
	s.Helper()
	for range 5 {
		s.Now = s.Now.Add((sending.SliceLease + 1) * time.Second)
		s.SendAll(func(m *sending.BatchMail) *messages.Undelivered {
			s.mail(m.Recipient.Contact).accepted++
			return nil
		})
	}
	s.WantStatus(s.batch, batches.BatchCompleted)
}
