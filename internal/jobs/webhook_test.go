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

	"enlist/internal/audience"
	"enlist/internal/jobs"
	"enlist/internal/store/teststores"
	"enlist/internal/webhook"

	"github.com/riverqueue/river"
)

// The tests in this file post events to a receiver whose failures each test chooses.

// receiver is a webhook's server. It counts the events of each batch ID once, as receivers
// should.
type receiver struct {
	*httptest.Server
	answer func(n int, w http.ResponseWriter) // to POST number n, from 1

	mu       sync.Mutex
	calls    int
	ids      []string          // of the batches, in order; repeats too
	received map[string]string // by Contact: its events, each batch once
	count    int               // events of all batches
	seen     map[string]bool
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
		if answered.status < 400 && !r.seen[id] { // accepted, also if the answer does not arrive
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

// statusRecorder records the status of an answer.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (w *statusRecorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// has returns how many events have arrived.
func (r *receiver) has() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// until waits until a number of events has arrived.
func (r *receiver) until(t *testing.T, events int) {
	t.Helper()
	deadline := time.After(time.Minute)
	for r.has() < events {
		select {
		case <-r.more:
		case <-deadline:
			t.Fatalf("%d of %d events arrived", r.has(), events)
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

// addWebhooks adds webhooks to the receiver for all events of Contacts.
func (p *storeWithList) addWebhooks(r *receiver) (ids []audience.WebhookID) {
	p.Helper()
	for _, event := range []string{"created", "updated", "subscribed", "unsubscribed"} {
		id, err := p.service.AddWebhook(p.Context(), p.caller, []audience.Detail{
			detail("object", "contact"), detail("event", event), detail("url", r.URL+"/hook")})
		p.must(err)
		ids = append(ids, id)
	}
	return ids
}

// startPosting starts a client of the queue that calls webhooks.
func (p *storeWithList) startPosting(service *audience.Service, change func(*river.Config)) (workingClient, <-chan *river.Event) {
	p.Helper()
	poster := webhook.New(webhook.Options{Private: true, Version: "test"})
	p.Cleanup(poster.Close)
	return p.start(jobs.Options{Service: service, Poster: poster}, change,
		river.EventKindJobFailed, river.EventKindJobCancelled)
}

// Two clients work the queue while many callers change Contacts. The receiver fails and drops
// connections. Each Contact's events arrive in order, and once if batch IDs are counted once.
//
// covers: decision 52
func TestWebhookEventsArriveInOrderAndOnce(t *testing.T) {
	teststores.EachParallel(t, webhookEventsArriveInOrderAndOnce)
}

func webhookEventsArriveInOrderAndOnce(t *testing.T, e teststores.Engine) {
	const people, rounds = 8, 15
	r := newReceiver(t, func(n int, w http.ResponseWriter) {
		switch n % 4 {
		case 1:
			w.WriteHeader(http.StatusInternalServerError)
		case 3:
			panic(http.ErrAbortHandler) // it has accepted the batch, but does not answer
		}
	})
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	p := newStoreWithList(t, e)
	p.addWebhooks(r)
	at := &clock{now: time.Now()}
	service := audience.NewService(p.store, at.read)
	var watching sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		client, failed := p.startPosting(service, nil)
		watching.Go(func() {
			for {
				select {
				case e := <-failed: // the delay of up to 11 s passes at once
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
				_, err := p.service.UnsubscribeByID(p.Context(), p.caller, p.list, id)
				p.must(err)
			}
		})
	}
	calling.Wait()
	r.until(t, people*rounds*3)
	close(stop)
	watching.Wait()
	want := "created subscribed unsubscribed " + strings.Repeat("updated subscribed unsubscribed ", rounds-1)
	for contact, events := range r.received {
		if events != want {
			t.Errorf("Contact %s: %s", contact, events)
		}
	}
	if len(r.received) != people || r.calls < 4 {
		t.Errorf("%d Contacts, %d calls", len(r.received), r.calls)
	}
}

// A receiver works again. When the operator retries the job, the server posts at once and does
// not wait for the next attempt.
//
// covers: decision 52
func TestRetryPostsToAWebhookAtOnce(t *testing.T) {
	teststores.EachParallel(t, retryPostsToAWebhookAtOnce)
}

func retryPostsToAWebhookAtOnce(t *testing.T, e teststores.Engine) {
	r := newReceiver(t, func(n int, w http.ResponseWriter) {
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	p := newStoreWithList(t, e)
	p.addWebhooks(r)
	at := &clock{now: time.Now()} // never moves, so the wait ends only when the test ends it
	service := audience.NewService(p.store, at.read)
	client, failed := p.startPosting(service, nil)
	p.subscribe("a@example.com")
	p.must(jobs.Retry(t.Context(), client, service, p.next(failed).Job.ID))
	r.until(t, 2)
}

// A receiver fails for hours. Its events, and those after the server gave up, are kept until the
// operator retries the job.
//
// covers: spec webhook.retries, webhook.redrive, decision 52
func TestFailingWebhookKeepsItsEvents(t *testing.T) {
	teststores.EachParallel(t, failingWebhookKeepsItsEvents)
}

func failingWebhookKeepsItsEvents(t *testing.T, e teststores.Engine) {
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
	client, failed := p.startPosting(audience.NewService(p.store, at.read), nil)
	p.subscribe("a@example.com")
	var last *river.Event
	for attempts := 1; ; attempts++ {
		last = p.next(failed)
		if last.Kind == river.EventKindJobCancelled {
			if attempts != 7 {
				t.Errorf("the server gave up after %d attempts, want 7", attempts)
			}
			break
		}
		if wait := last.Job.ScheduledAt.Sub(*last.Job.AttemptedAt); wait < 5*time.Second {
			t.Errorf("the next attempt is %s after the last one", wait)
		}
		at.move(6 * time.Hour)
		_, err := client.JobRetry(t.Context(), last.Job.ID)
		p.must(err)
	}
	w, err := p.service.Webhook(t.Context(), p.caller, ids[0])
	p.must(err)
	if !w.IsFailing || w.LastError != "status 503" || len(last.Job.Errors) == 0 {
		t.Errorf("%+v, errors of the job: %+v", w, last.Job.Errors)
	}
	p.subscribe("b@example.com")
	close(works)
	_, err = client.JobRetry(t.Context(), last.Job.ID)
	p.must(err)
	r.until(t, 4)
	if r.received["1"] != "created subscribed " || r.received["2"] != r.received["1"] {
		t.Errorf("received %v", r.received)
	}
}

// A process is killed after the receiver accepted a batch and before that is stored. The batch
// is posted again with the same ID, and later events follow in another batch.
//
// covers: decision 52
func TestBatchOfAKilledProcessKeepsItsID(t *testing.T) {
	teststores.EachParallel(t, batchOfAKilledProcessKeepsItsID)
}

func batchOfAKilledProcessKeepsItsID(t *testing.T, e teststores.Engine) {
	r := newReceiver(t, func(int, http.ResponseWriter) {})
	p := newStoreWithList(t, e)
	p.addWebhooks(r)
	p.subscribe("a@example.com")
	p.killAt(afterPost, func() {})
	p.subscribe("b@example.com")
	teststores.AgeKilledJobs(t, p.path)
	p.startPosting(p.service, minutesPassed)
	r.until(t, 4)
	if len(r.ids) != 3 || r.ids[0] != r.ids[1] || r.ids[1] == r.ids[2] {
		t.Errorf("batches %v", r.ids)
	}
	if r.received["1"] != "created subscribed " || r.received["2"] != r.received["1"] {
		t.Errorf("received %v", r.received)
	}
}
