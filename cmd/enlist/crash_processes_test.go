package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/mail/mailtest"
)

// This test runs several processes on one PostgreSQL database, and kills one of them.

// Three processes serve one database, and the test kills one process. A caller that gets no answer repeats the call at
// another process, with the same Idempotency-Key. Each Contact is stored once. A mail to the owner and the webhook report
// each Contact, because the other processes resume the jobs of the killed process. When one process changes the List, the
// other processes use the change at once.
//
// covers: spec event.notification, idempotency, decision 44, 52
func TestSeveralProcessesShareOneDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("several processes are slow to start: run this test with \"make faults\"")
	}
	t.Parallel()
	const subscribed = 200 // at each stage
	server := mailtest.Start(t, mailtest.Options{})
	f := &processes{crash: newCrash(t, dbtest.Postgres, server.URL()), reported: make(map[int64]bool)}
	receiver := httptest.NewServer(f)
	defer receiver.Close()
	a := f.begin()
	f.client = a.client
	f.notifyOwner()
	must(a.client.AddWebhook(t.Context(), api.Details{"object": "contact", "event": "created", "url": receiver.URL, "list_id": 1}))(t)
	b, victim := f.begin(), f.begin()
	f.load(12)
	f.await(subscribed)
	f.change(victim, a, b)
	f.lose(victim)
	f.await(subscribed)
	f.change(a, b)
	f.change(b, a)
	f.await(subscribed)
	close(f.ending)
	f.workers.Wait()
	a.end(syscall.SIGTERM)
	b.end(syscall.SIGTERM)
	f.sendRest(server)
	f.inspectAll(server)
}

// processes are several servers on one database, with the callers that use them.
type processes struct {
	*crash
	live    []*process // under crash.mu
	ending  chan struct{}
	workers sync.WaitGroup
	fields  int

	reportMu sync.Mutex
	reported map[int64]bool // Contacts that the webhook reported
}

// begin starts a process that callers may use.
func (f *processes) begin() *process {
	f.t.Helper()
	p := f.process()
	f.t.Cleanup(func() { p.end(os.Kill) }) // has no effect if the process has ended
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live = append(f.live, p)
	return p
}

// lose kills a process. Callers that have not chosen it yet no longer use it.
func (f *processes) lose(p *process) {
	p.end(os.Kill)
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.live {
		if one == p {
			f.live = append(f.live[:i:i], f.live[i+1:]...)
			return
		}
	}
}

// any returns a random process of f.live. It may have been killed just now.
func (f *processes) any() *process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.live[rand.IntN(len(f.live))]
}

// load starts callers, which subscribe new Contacts until f.ending is closed.
func (f *processes) load(callers int) {
	f.ending = make(chan struct{})
	for n := range callers {
		f.workers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-f.ending:
					return
				default:
					f.subscribeTwice(fmt.Sprintf("Ada %d.%d", n, i), fmt.Sprintf("ada%d.%d@example.com", n, i))
				}
			}
		})
	}
}

// subscribeTwice subscribes a Contact, retrying until a process answers, and repeats the call at any process.
func (f *processes) subscribeTwice(name, email string) {
	details := api.Details{"Email": email, "First Name": name}
	call := func() (int64, error) {
		return f.any().client.Idempotent(email).SubscribeContact(f.t.Context(), 1, details, api.Consent{Type: api.ConsentDirect, Text: name})
	}
	for {
		id, err := call()
		if err != nil {
			if _, refused := errors.AsType[*api.Error](err); refused {
				f.t.Errorf("%s: %v", name, err)
				return
			}
			continue // the process was killed, or soon will be
		}
		if again, err := call(); err == nil && again != id {
			f.t.Errorf("%s is Contact %d, but the repeated call returned %d", name, id, again)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.answered[id] = name
		return
	}
}

// await waits until the callers have received the IDs of the given number of further Contacts.
func (f *processes) await(more int) {
	f.t.Helper()
	count := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.answered)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	before := count()
	for end := time.Now().Add(time.Minute); count() < before+more; <-tick.C {
		if time.Now().After(end) {
			f.t.Fatalf("callers received %d of %d further IDs within a minute", count()-before, more)
		}
	}
}

// change edits the List through one process and checks that the other processes use the change at once.
func (f *processes) change(by *process, others ...*process) {
	f.t.Helper()
	for range 5 {
		f.fields++
		name := fmt.Sprintf("Number %d", f.fields)
		must(by.client.AddField(f.t.Context(), 1, api.Details{"name": name, "type": "decimal"}))(f.t)
		must(by.client.EditList(f.t.Context(), api.Details{"id": 1, "name": name}))(f.t)
		for _, other := range others {
			_, err := other.client.SubscribeContact(f.t.Context(), 1, api.Details{"Email": "x@example.com", name: "none"}, api.Consent{Type: api.ConsentDirect, Text: name})
			if refused, ok := errors.AsType[*api.Error](err); !ok || refused.Code != api.CodeInvalidParameters {
				f.t.Errorf("a process does not check the values of a Field that another process added: %v", err)
			}
			if l := must(other.client.GetListByID(f.t.Context(), 1))(f.t); l.Name != name {
				f.t.Errorf("the List is still called %s, not %s", l.Name, name)
			}
		}
	}
}

// ServeHTTP receives the webhook's events.
func (f *processes) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var events []api.WebhookEvent
	if err := json.NewDecoder(r.Body).Decode(&events); err != nil {
		return // the connection broke: the batch is sent again
	}
	f.reportMu.Lock()
	defer f.reportMu.Unlock()
	for _, e := range events {
		f.reported[e.ContactID] = true
	}
}

// inspectAll checks that the List has exactly the Contacts whose IDs callers received, and that a mail to the owner and
// the webhook reported each of them.
func (f *processes) inspectAll(server *mailtest.Server) {
	f.t.Helper()
	repeated, lost := f.countNotified(server.Messages())
	if lost > 0 {
		f.t.Errorf("the owner was not notified of %d of %d Contacts", lost, len(f.answered))
	}
	for id := range f.answered {
		if !f.reported[id] {
			f.t.Errorf("the webhook did not report Contact %d", id)
		}
	}
	store := f.open()
	defer store.Close()
	f.check(store)
	err := store.View(f.t.Context(), func(tx *db.Tx) error {
		count, err := tx.ContactCount(1)
		if err == nil && count != int64(len(f.answered)) {
			f.t.Errorf("%d Contacts are stored, but callers received %d IDs", count, len(f.answered))
		}
		for id := range f.answered {
			rows, err := contacts.LedgerRows(tx, 1, enlist.ContactID(id), 0, 0)
			if err != nil {
				return err
			}
			if len(rows) != 1 {
				f.t.Errorf("Contact %d has %d rows in the ledger, want 1", id, len(rows))
			}
		}
		return err
	})
	if err != nil {
		f.t.Error(err)
	}
	f.t.Logf("%d Contacts, %d notified twice or more", len(f.answered), repeated)
}
