package sending_test

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file has the mail server and the processes of TestSeededSendersGiveNoMailTwice.

// seededRelay is a mail server whose answers come from the seed. It knows how often it has accepted each mail.
type seededRelay struct {
	seed uint64
	calm bool // accepts all mails at once

	mu    sync.Mutex
	mails map[enlist.DeliveryKey]*relayedMail
}

// relayedMail is what the relay and the test know of the mails to a recipient.
type relayedMail struct {
	attempts int
	later    int        // temporary refusals
	accepted int        // the recipient has the mail so often
	refused  bool       // for ever, at least once
	answered []*process // that got the answer that the mail is accepted
	isStored bool       // such an answer was stored
}

// answer is what happens in one attempt.
type answer struct {
	takes    time.Duration
	err      *messages.Undelivered // nil: accepted
	accepted bool                  // also without an answer
}

// begin counts an attempt and chooses its answer. The choice depends only on the seed, the recipient and the number of
// the attempt, whatever the order of the goroutines.
func (r *seededRelay) begin(k enlist.DeliveryKey) answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.mails[k]
	if m == nil {
		m = new(relayedMail)
		r.mails[k] = m
	}
	m.attempts++
	if r.calm {
		return answer{accepted: true}
	}
	h := fnv.New64a()
	h.Write([]byte(k.Cause))
	random := rand.New(rand.NewPCG(r.seed, h.Sum64()+uint64(k.Contact)<<8+uint64(m.attempts)))
	a := answer{takes: time.Duration(random.ExpFloat64() * float64(8*time.Second))}
	if random.IntN(20) == 0 {
		a.takes = time.Duration(random.IntN(200)) * time.Second
	}
	switch n := random.IntN(100); {
	case n < 70:
		a.accepted = true
	case n < 76:
		a.err = &messages.Undelivered{Permanent: true, Recipient: true, Code: 550, Detail: "no such user"}
	case n < 80:
		a.err = &messages.Undelivered{Permanent: true, Code: 554, Detail: "no"}
	case n < 88 && m.later < 3:
		m.later++
		a.err = &messages.Undelivered{Code: 451, Detail: "later"}
	default:
		a.accepted = random.IntN(2) == 0
		a.err = &messages.Undelivered{Unknown: true, Detail: "the connection was lost after DATA"}
	}
	return a
}

// process is a server: a clock, a connection to the database and a sender. It can be stopped and killed.
type process struct {
	run    *seededRun
	store  db.Engine
	sender *sending.BatchSender
	clock  time.Duration // what its clock shows is so much later than the time of the test
	token  string        // of its presence

	mu        sync.Mutex
	continues chan struct{} // not nil: the process is stopped until it is closed
	killed    chan struct{} // closed when the process is killed
	outlived  bool          // it was not killed before it had stored all results
}

var errKilled = errors.New("the process is killed")

// stop stops all that the process does, as SIGSTOP and a machine that sleeps do.
func (p *process) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.continues == nil {
		p.continues = make(chan struct{})
	}
}

func (p *process) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.continues != nil {
		close(p.continues)
		p.continues = nil
	}
}

// gate waits while the process is stopped. It returns an error if the process is killed.
func (p *process) gate() error {
	for {
		p.mu.Lock()
		continues := p.continues
		p.mu.Unlock()
		select {
		case <-p.killed:
			return errKilled
		default:
		}
		if continues == nil {
			return nil
		}
		select {
		case <-continues:
		case <-p.killed:
			return errKilled
		}
	}
}

// now is the clock of the sender.
func (p *process) now() time.Time {
	p.gate() // a killed process stops at its next step
	return p.wall()
}

// wall is the clock of the services. Transactions read it, and a process is never stopped in one: that would lock the
// database.
func (p *process) wall() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Add(p.clock).Round(0)
}

func (p *process) jump(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock += by
}

// processStore is the database as a process sees it: the process can be stopped or killed before and after each
// transaction, and the answer to COMMIT can be lost.
type processStore struct {
	db.Engine
	p *process
}

func (s processStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	if err := s.p.gate(); err != nil {
		return err
	}
	err := s.Engine.Update(ctx, fn)
	if killed := s.p.gate(); killed != nil {
		return killed
	}
	if err == nil && s.p.run.losesAnswer() {
		return errors.New("the answer to COMMIT is lost")
	}
	return err
}

func (s processStore) View(ctx context.Context, fn func(*db.Tx) error) error {
	if err := s.p.gate(); err != nil {
		return err
	}
	err := s.Engine.View(ctx, fn)
	if killed := s.p.gate(); killed != nil {
		return killed
	}
	return err
}

// Send implements sending.Mailer.
func (p *process) Send(ctx context.Context, m *messages.OutgoingMail) (subject string, err error) {
	a := p.run.relay.begin(m.Delivery)
	p.run.checkBegin(p, m.Delivery)
	if p.gate() != nil {
		return "", errKilled
	}
	pauseFor(ctx, a.takes)
	if p.gate() != nil { // before the last byte: the relay has no mail
		return "", errKilled
	}
	p.run.relay.end(m.Delivery, a)
	if p.gate() != nil || ctx.Err() != nil {
		return "", errKilled
	}
	if a.err != nil {
		return "", a.err
	}
	p.run.relay.answer(m.Delivery, p)
	return "Hello", nil
}

// Notify implements sending.Mailer.
func (p *process) Notify(context.Context, string, *messages.Notification) error { return nil }

func (r *seededRelay) end(k enlist.DeliveryKey, a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a.accepted {
		r.mails[k].accepted++
	}
	r.mails[k].refused = r.mails[k].refused || a.err != nil && a.err.Permanent
}

func (r *seededRelay) answer(k enlist.DeliveryKey, p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mails[k].answered = append(r.mails[k].answered, p)
}

func pauseFor(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
