package jobs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"
	"enlist/internal/jobs"
	"enlist/internal/webhooks/post"
)

// The tests in this file post events to a receiver. Each test chooses the failures of the receiver.

// receiver is the HTTP server of a webhook. If it gets the same batch ID again, it ignores the
// events of the batch, as a receiver should do.
type receiver struct {
	*httptest.Server
	answer func(n int, w http.ResponseWriter) // replies to POST number n; the first one is number 1

	mu       sync.Mutex
	calls    int
	ids      []string          // batch IDs of all POSTs, in their order
	received map[string]string // maps a Contact's ID to its events, without repeated batches
	count    int               // number of events, without repeated batches
	seen     map[string]bool   // batch IDs that were accepted
	more     chan struct{}
}

func newReceiver(t *testing.T, answer func(n int, w http.ResponseWriter)) *receiver {
	r := &receiver{answer: answer, received: make(map[string]string), seen: make(map[string]bool), more: make(chan struct{}, 1)}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var events []struct {
		Contact int64  `json:"contact_id"`
		Event   string `json:"event"`
	}
	if err := json.NewDecoder(req.Body).Decode(&events); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	answered := &statusRecorder{ResponseWriter: w}
	id := req.Header.Get("Webhook-Id")
	r.ids = append(r.ids, id)
	defer func() {
		if answered.status < 400 && !r.seen[id] { // the batch is accepted, even if the reply does not arrive
			r.seen[id] = true
			for _, e := range events {
				r.received[fmt.Sprint(e.Contact)] += e.Event + " "
			}
			r.count += len(events)
		}
		select {
		case r.more <- struct{}{}:
		default:
		}
	}()
	r.answer(r.calls, answered)
}

// statusRecorder records the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (w *statusRecorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// has returns the number of events that have arrived.
func (r *receiver) has() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// called returns the number of POSTs.
func (r *receiver) called() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

// until waits until the given number of events has arrived.
func (r *receiver) until(t *testing.T, events int) {
	t.Helper()
	r.await(t, "events", r.has, events)
}

func (r *receiver) await(t *testing.T, what string, number func() int, want int) {
	t.Helper()
	deadline := time.After(time.Minute)
	for number() < want {
		select {
		case <-r.more:
		case <-deadline:
			t.Fatalf("%d %s arrived within a minute, want %d", number(), what, want)
		}
	}
}

// clock is a clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// addWebhooks adds a webhook with the receiver's URL for each event of Contacts.
func (p *storeWithList) addWebhooks(r *receiver) (ids []enlist.WebhookID) {
	p.Helper()
	for _, event := range []string{"created", "updated", "subscribed", "unsubscribed"} {
		id, err := p.service.Webhooks.AddWebhook(p.Context(), p.caller, []enlist.Detail{
			detail("object", "contact"), detail("event", event), detail("url", r.URL+"/hook")})
		p.must(err)
		ids = append(ids, id)
	}
	return ids
}

// startPosting starts a queue client that posts webhooks.
func (p *storeWithList) startPosting(service *app.App, change func(*jobqueue.Config)) (*jobqueue.Client, <-chan jobqueue.Event) {
	p.Helper()
	poster := post.New(post.Options{Private: true, Version: "test"})
	p.Cleanup(poster.Close)
	return p.start(jobs.Options{Service: service, Poster: poster}, change,
		jobqueue.Failed, jobqueue.Cancelled)
}

// Two queue clients run jobs while many callers change Contacts. The receiver fails and closes
// connections. The events of each Contact arrive in order. Each event arrives once, because the
// receiver ignores a repeated batch ID. With -short, each caller makes fewer changes.
//
// covers: decision 52
func TestWebhookEventsArriveInOrderAndOnce(t *testing.T) {
	dbtest.EachParallel(t, webhookEventsArriveInOrderAndOnce)
}

func webhookEventsArriveInOrderAndOnce(t *testing.T, e dbtest.Engine) {
	const people = 8
	rounds := 15
	if testing.Short() {
		rounds = 6
	}
	r := newReceiver(t, func(n int, w http.ResponseWriter) {
		switch n % 4 {
		case 1:
			w.WriteHeader(http.StatusInternalServerError)
		case 3:
			panic(http.ErrAbortHandler) // the receiver has accepted the batch, but sends no reply
		}
	})
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	p := newStoreWithList(t, e)
	p.addWebhooks(r)
	at := &clock{now: time.Now()}
	service := app.New(p.store, at.read)
	var watching sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		client, failed := p.startPosting(service, nil)
		watching.Go(func() {
			for {
				select {
				case e := <-failed: // skip the delay, which is at most 11 s
					at.move(12 * time.Second)
					client.JobRetry(context.Background(), e.Job.ID) // an error means that the other client was faster
				case <-stop:
					return
				}
			}
		})
	}
	var calling sync.WaitGroup
	for i := range people {
		calling.Go(func() {
			email := fmt.Sprintf("p%d@example.com", i)
			for range rounds {
				id := p.subscribe(email)
				_, err := p.service.Contacts.UnsubscribeByID(p.Context(), p.caller, contacts.ContactRequest{List: p.list, Contact: id})
				p.must(err)
			}
		})
	}
	calling.Wait()
	r.until(t, people*rounds*3)
	r.await(t, "calls", r.called, 4) // call 4 repeats the batch of call 3, even if that one had the last events
	close(stop)
	watching.Wait()
	want := "created subscribed unsubscribed " + strings.Repeat("updated subscribed unsubscribed ", rounds-1)
	for contact, events := range r.received {
		if events != want {
			t.Errorf("the events of Contact %s are %q, want %q", contact, events, want)
		}
	}
	if len(r.received) != people {
		t.Errorf("events of %d Contacts arrived, want %d", len(r.received), people)
	}
}

// A receiver works again after a failure. When the operator retries the job, the server posts at
// once. It does not wait for the time of the next attempt.
//
// covers: decision 52
func TestRetryPostsToAWebhookAtOnce(t *testing.T) {
	dbtest.EachParallel(t, retryPostsToAWebhookAtOnce)
}

func retryPostsToAWebhookAtOnce(t *testing.T, e dbtest.Engine) {
	r := newReceiver(t, func(n int, w http.ResponseWriter) {
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	p := newStoreWithList(t, e)
	p.addWebhooks(r)
	at := &clock{now: time.Now()} // the clock does not move, so only Retry ends the delay
	service := app.New(p.store, at.read)
	client, failed := p.startPosting(service, nil)
	p.subscribe("a@example.com")
	p.must(jobs.Retry(t.Context(), client, service.Webhooks, p.next(failed).Job.ID))
	r.until(t, 2)
}

// A receiver fails for hours, until the server makes no further attempts. The server keeps the events
// from before and after the last attempt. It posts them when the operator retries the job.
//
// covers: spec webhook.retries, webhook.redrive, decision 52
func TestFailingWebhookKeepsItsEvents(t *testing.T) {
	dbtest.EachParallel(t, failingWebhookKeepsItsEvents)
}

func failingWebhookKeepsItsEvents(t *testing.T, e dbtest.Engine) {
	works := make(chan struct{})
	r := newReceiver(t, func(_ int, w http.ResponseWriter) {
		select {
		case <-works:
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	p := newStoreWithList(t, e)
	ids := p.addWebhooks(r)
	at := &clock{now: time.Now()}
	client, failed := p.startPosting(app.New(p.store, at.read), nil)
	p.subscribe("a@example.com")
	var last jobqueue.Event
	for attempts := 1; ; attempts++ {
		last = p.next(failed)
		if last.Kind == jobqueue.Cancelled {
			if attempts != 7 {
				t.Errorf("the server made %d attempts, want 7", attempts)
			}
			break
		}
		if wait := last.Job.ScheduledAt.Sub(*last.Job.AttemptedAt); wait < 5*time.Second {
			t.Errorf("the next attempt is %s after the last one, want at least 5s", wait)
		}
		at.move(6 * time.Hour)
		_, err := client.JobRetry(t.Context(), last.Job.ID)
		p.must(err)
	}
	w, err := p.service.Webhooks.Webhook(t.Context(), p.caller, ids[0])
	p.must(err)
	if !w.IsFailing || w.LastError != "status 503" || len(last.Job.Errors) == 0 {
		t.Errorf("the webhook is %+v, want it failing with status 503; the errors of the job are %+v, want some", w, last.Job.Errors)
	}
	p.subscribe("b@example.com")
	close(works)
	_, err = client.JobRetry(t.Context(), last.Job.ID)
	p.must(err)
	r.until(t, 4)
	if r.received["1"] != "created subscribed " || r.received["2"] != r.received["1"] {
		t.Errorf("the events by Contact are %v, want \"created subscribed \" for the Contacts 1 and 2", r.received)
	}
}

// The test kills a process after the receiver has accepted a batch, but before the process has stored
// this success. Another process posts the batch again with the same ID. It posts later events in
// another batch.
//
// covers: decision 52
func TestBatchOfAKilledProcessKeepsItsID(t *testing.T) {
	dbtest.EachParallel(t, batchOfAKilledProcessKeepsItsID)
}

func batchOfAKilledProcessKeepsItsID(t *testing.T, e dbtest.Engine) {
	if testing.Short() {
		t.Skip("this test kills processes: run it with \"make faults\"")
	}
	r := newReceiver(t, func(int, http.ResponseWriter) {})
	p := newStoreOfProcesses(t, e)
	p.addWebhooks(r)
	p.subscribe("a@example.com")
	p.killAt(afterPost, func() {})
	p.subscribe("b@example.com")
	p.must(dbtest.AgeKilledJobs(t.Context(), p.store.Address()))
	p.startPosting(p.service, minutesPassed)
	r.until(t, 4)
	if len(r.ids) != 3 || r.ids[0] != r.ids[1] || r.ids[1] == r.ids[2] {
		t.Errorf("the batch IDs are %v, want the first one twice, and then another one", r.ids)
	}
	if r.received["1"] != "created subscribed " || r.received["2"] != r.received["1"] {
		t.Errorf("the events by Contact are %v, want \"created subscribed \" for the Contacts 1 and 2", r.received)
	}
}
