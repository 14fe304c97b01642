package sending_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/seeds"
	"enlist/internal/sending"
)

// This file sends Batches from two servers that fail, with the real sender and a real database, in the time of a
// synctest bubble: minutes take milliseconds. sender_seeded_relay_test.go has the servers and the mail server.
// PostgreSQL cannot be in a bubble, because its connections wait for the network; doubt_seeded_test.go has it.

// Two servers send two Batches, of which one skips mails in doubt. The mail server refuses, defers and loses mails, the
// servers are stopped for longer than a lease, killed and started again, and their clocks jump. Answers to COMMIT are
// lost. At the end, each recipient has one outcome, and the mail server has accepted a mail twice only if the report
// names its recipient.
//
// covers: spec batch.doubt, batch.counts, decision 59
func TestSeededSendersGiveNoMailTwice(t *testing.T) {
	seeds.Run(t, 30, func(t *testing.T, random *rand.Rand) {
		address := dbtest.SQLite.New(t) // made once, with the time of the machine
		synctest.Test(t, func(t *testing.T) {
			r := newSeededRun(t, random, address)
			r.disturb()
			r.complete()
			r.compare()
		})
	})
}

// seededRun is one run of the test.
type seededRun struct {
	*testing.T
	random  *rand.Rand // only the goroutine of the test uses it
	address string
	jumps   bool // clocks jump in this run
	loses   bool // answers to COMMIT are lost in this run
	store   db.Engine
	app     *app.App
	caller  *enlist.Caller
	list    enlist.ListID
	batches []enlist.BatchID
	relay   *seededRelay
	alive   []*process
	asleep  map[*process]time.Time // when stopped processes wake
	said    []string               // what happened, for a failure

	mu      sync.Mutex
	answers *rand.Rand
}

// seededRecipients is the number of recipients of each Batch. Each server marks up to 16 for each of its 3 connections.
const seededRecipients = 40

// newSeededRun adds the Batches and starts two servers.
func newSeededRun(t *testing.T, random *rand.Rand, address string) *seededRun {
	r := &seededRun{T: t, random: random, address: address, asleep: make(map[*process]time.Time),
		jumps: random.IntN(2) == 0, loses: random.IntN(2) == 0,
		relay:   &seededRelay{seed: random.Uint64(), mails: make(map[enlist.DeliveryKey]*relayedMail)},
		answers: rand.New(rand.NewPCG(random.Uint64(), 1))}
	r.store = r.open()
	r.app = app.New(r.store, time.Now)
	first, err := r.app.Bootstrap(t.Context(), "")
	r.must(err)
	r.list = first.List
	r.caller, err = r.app.Accounts.Operator(t.Context(), first.Account)
	r.must(err)
	p := &mailedList{T: t, service: r.app, caller: r.caller, list: r.list}
	r.batches = append(r.batches, p.addBatch(seededRecipients, batches.BatchRequest{}),
		p.send(batches.BatchRequest{Options: batches.BatchOptions{Doubt: "skip"}}))
	r.start()
	r.start()
	return r
}

func (r *seededRun) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// open opens the database, as a process of its own does.
func (r *seededRun) open() *dbtest.Store {
	r.Helper()
	store, err := dbtest.Open(context.Background(), r.address, 0)
	r.must(err)
	r.Cleanup(func() { store.Close() })
	return store
}

// say notes what happens, for a failure.
func (r *seededRun) say(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf("%s: ", time.Now().UTC().Format(time.TimeOnly))+fmt.Sprintf(format, args...))
}

// start starts a server.
func (r *seededRun) start() {
	store := r.open()
	p := &process{run: r, store: store, killed: make(chan struct{})}
	if r.jumps && r.random.IntN(4) == 0 {
		p.clock = time.Duration(r.random.IntN(21)-10) * time.Second
	}
	p.token = store.Presence(context.Background())
	service := app.New(processStore{store, p}, p.wall)
	p.sender = service.Sending.NewBatchSender(sending.SenderOptions{Mailer: p, Slots: sending.NewSlots(8), Connections: 3,
		Log: slog.New(slog.DiscardHandler), Now: p.now})
	p.sender.Start()
	r.alive = append(r.alive, p)
	r.say("server %s starts", p.token[:3])
}

// kill ends a server at once: it stores nothing more.
func (r *seededRun) kill(p *process) {
	r.say("server %s is killed", p.token[:3])
	close(p.killed)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	p.sender.Stop(cancelled)
	r.must(p.store.Close())
	r.alive = slices.DeleteFunc(r.alive, func(other *process) bool { return other == p })
	delete(r.asleep, p)
}

// losesAnswer reports whether the answer to a COMMIT is lost.
func (r *seededRun) losesAnswer() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loses && r.answers.IntN(40) == 0
}

// disturb disturbs the servers for some minutes.
func (r *seededRun) disturb() {
	for range 12 {
		pauseFor(r.Context(), time.Duration(r.random.ExpFloat64()*float64(15*time.Second)))
		r.wakeDue()
		if len(r.alive) < 2 {
			r.start()
		}
		p := r.alive[r.random.IntN(len(r.alive))]
		switch n := r.random.IntN(20); {
		case n < 11 && r.asleep[p].IsZero():
			d := []time.Duration{5, 35, 70, 130, 130, 130, 300}[r.random.IntN(7)] * time.Second
			p.stop()
			r.asleep[p] = time.Now().Add(d)
			r.say("server %s is stopped for %v", p.token[:3], d)
		case n < 14 && r.jumps:
			d := []time.Duration{-300, -70, 70, 130, 300}[r.random.IntN(5)] * time.Second
			which := []*process{p}
			if r.random.IntN(2) == 0 { // they are on one machine
				which = r.alive
			}
			for _, p := range which {
				p.jump(d)
				r.say("the clock of server %s jumps by %v", p.token[:3], d)
			}
		case n < 15:
			r.kill(p)
		case n < 18:
			r.report()
		default:
			r.unsubscribe()
		}
	}
}

// wakeDue wakes the servers that have been stopped for long enough.
func (r *seededRun) wakeDue() {
	for p, at := range r.asleep {
		if !time.Now().Before(at) {
			p.wake()
			delete(r.asleep, p)
			r.say("server %s wakes", p.token[:3])
		}
	}
}

// report reports an accepted mail as undeliverable.
func (r *seededRun) report() {
	r.relay.mu.Lock()
	var accepted []enlist.DeliveryKey
	for k, m := range r.relay.mails {
		if m.accepted > 0 {
			accepted = append(accepted, k)
		}
	}
	r.relay.mu.Unlock()
	if len(accepted) == 0 {
		return
	}
	slices.SortFunc(accepted, func(a, b enlist.DeliveryKey) int {
		return cmp.Or(strings.Compare(string(a.Cause), string(b.Cause)), int(a.Contact-b.Contact))
	})
	k := accepted[r.random.IntN(len(accepted))]
	_, err := r.app.Sending.Bounced(r.Context(), k, "mailbox full")
	r.must(err)
	r.say("the mail %s to %d is reported as undeliverable", k.Cause, k.Contact)
}

// unsubscribe unsubscribes a Contact.
func (r *seededRun) unsubscribe() {
	id := enlist.ContactID(1 + r.random.IntN(seededRecipients))
	r.say("Contact %d unsubscribes", id)
	_, err := r.app.Contacts.UnsubscribeByID(r.Context(), r.caller, contacts.ContactRequest{List: r.list, Contact: id})
	r.must(err)
}

// complete lets the servers send the rest.
func (r *seededRun) complete() {
	r.relay.mu.Lock()
	r.relay.calm = true
	r.relay.mu.Unlock()
	for range 20 {
		pauseFor(r.Context(), 30*time.Second)
		r.wakeDue()
	}
	for len(r.alive) > 0 {
		r.alive[0].outlived = true
		r.kill(r.alive[0])
	}
	r.start()
	for range 400 {
		pauseFor(r.Context(), 15*time.Second)
		open := 0
		for _, id := range r.batches {
			b, err := r.app.Batches.Batch(r.Context(), r.caller, id)
			r.must(err)
			switch b.Status {
			case batches.BatchCompleted:
				continue
			case batches.BatchPaused:
				r.must(r.app.Batches.EditBatch(r.Context(), r.caller, id, "unpause", 0))
			}
			open++
		}
		if open == 0 {
			r.kill(r.alive[0])
			return
		}
	}
	r.Errorf("the Batches are not completed")
}

// checkBegin checks that a server that begins to hand a mail over has its slice, if no clock jumps.
func (r *seededRun) checkBegin(p *process, k enlist.DeliveryKey) {
	if r.jumps {
		return
	}
	var holder string
	err := r.store.View(context.Background(), func(tx *db.Tx) error {
		return tx.Row([]any{&holder}, `SELECT s.holder FROM recipient r JOIN batch_slice s ON s.batch_id = r.batch_id AND s.number = r.slice
			WHERE r.list_id = ? AND r.contact_id = ? AND 'b' || r.batch_id = ?`, int64(k.List), int64(k.Contact), k.Cause)
	})
	if err != nil || !strings.HasPrefix(holder, p.token) {
		r.Errorf("server %s begins to hand over %s to %d, whose slice %s has; error %v", p.token[:3], k.Cause, k.Contact, holder, err)
	}
}

// compare compares the Batches with what the mail server has accepted.
func (r *seededRun) compare() {
	for i, id := range r.batches {
		c := doubtCheck{T: r.T, app: r.app, store: r.store, caller: r.caller, list: r.list, batch: id, skips: i == 1,
			mail: func(contact enlist.ContactID) *relayedMail { return r.relay.of(id, contact) },
			isKnown: func(m *relayedMail) bool {
				return slices.ContainsFunc(m.answered, func(p *process) bool { return p.outlived })
			}}
		c.compare(seededRecipients)
	}
	if r.Failed() {
		r.Log("clocks jump:", r.jumps, "answers to COMMIT are lost:", r.loses, "\n"+strings.Join(r.said, "\n"))
	}
}

// of returns what the relay knows of the mails to a recipient.
func (r *seededRelay) of(id enlist.BatchID, contact enlist.ContactID) *relayedMail {
	for k, m := range maps.All(r.mails) {
		if k.Cause == batches.CauseBatch(id) && k.Contact == contact {
			return m
		}
	}
	return new(relayedMail)
}
