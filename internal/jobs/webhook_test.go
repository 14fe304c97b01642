package jobs_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
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

// receiver is a server that takes batches, each ID once, as they should.
type receiver struct {
	*httptest.Server
	answer func(n int, w http.ResponseWriter) // to POST number n, from 1

	mu    sync.Mutex
	calls int
	ids   []string          // of the batches, in order; repeats too
	told  map[string]string // by Contact: what was told, each batch once
	count int               // events told
	seen  map[string]bool
	more  chan struct{}
}

func newReceiver(t *testing.T, answer func(n int, w http.ResponseWriter)) *receiver {
	r := &receiver{answer: answer, told: make(map[string]string), seen: make(map[string]bool), more: make(chan struct{}, 1)}
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
	answered := &watched{ResponseWriter: w}
	id := req.Header.Get("Webhook-Id")
	r.ids = append(r.ids, id)
	defer func() {
		if answered.status < 400 && !r.seen[id] { // taken, also if nobody hears of it
			r.seen[id] = true
			for _, e := range events {
				r.told[fmt.Sprint(e.Contact)] += e.Event + " "
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

// watched notes the status.
type watched struct {
	http.ResponseWriter
	status int
}

func (w *watched) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// has reports how many events were told, each once.
func (r *receiver) has() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// until waits until so many events have come.
func (r *receiver) until(t *testing.T, events int) {
	t.Helper()
	deadline := time.After(time.Minute)
	for r.has() < events {
		select {
		case <-r.more:
		case <-deadline:
			t.Fatalf("%d of %d events came", r.has(), events)
		}
	}
}

// clock is a time that a test moves.
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

// hooks adds webhooks to the receiver for all events of Contacts.
func (p *place) hooks(r *receiver) (ids []audience.WebhookID) {
	p.Helper()
	for _, event := range []string{"created", "updated", "subscribed", "unsubscribed"} {
		var details []audience.Detail
		for key, value := range map[string]string{"object": "contact", "event": event, "url": r.URL + "/hook"} {
			details = append(details, audience.Detail{Key: key, Value: audience.Input{Kind: audience.InputText, Text: value}})
		}
		id, err := p.service.AddWebhook(p.Context(), p.caller, details)
		p.must(err)
		ids = append(ids, id)
	}
	return ids
}

// call starts a client of the queue that calls webhooks.
func (p *place) call(service *audience.Service, change func(*river.Config)) (workingClient, <-chan *river.Event) {
	p.Helper()
	poster := webhook.New(webhook.Options{Private: true, Version: "test"})
	config := jobs.Config(jobs.Options{Service: service, Store: p.store, Poster: poster, Log: slog.New(slog.DiscardHandler)})
	config.FetchPollInterval, config.TestOnly = river.FetchCooldownDefault, true
	if change != nil {
		change(config)
	}
	client := p.client(config)
	events, cancel := client.Subscribe(river.EventKindJobFailed, river.EventKindJobCancelled)
	p.must(client.Start(p.Context()))
	p.Cleanup(func() {
		client.StopAndCancel(context.Background())
		cancel()
		poster.Close()
	})
	return client, events
}

func (p *place) subscribe(email string) audience.ContactID {
	p.Helper()
	id, err := p.service.Subscribe(p.Context(), p.caller, audience.SubscribeRequest{List: p.list, Details: []audience.Detail{
		{Key: "Email", Value: audience.Input{Kind: audience.InputText, Text: email}},
	}})
	p.must(err)
	return id
}

// Two clients work the queue while many change Contacts, and the receiver fails
// and breaks connections off: each Contact's events come in order, each once
// under the IDs of their batches.
//
// covers: decision 52
func TestWebhooksInOrder(t *testing.T) { teststores.EachParallel(t, webhooksInOrder) }

func webhooksInOrder(t *testing.T, e teststores.Engine) {
	const people, rounds = 8, 15
	r := newReceiver(t, func(n int, w http.ResponseWriter) {
		switch n % 4 {
		case 1:
			w.WriteHeader(http.StatusInternalServerError)
		case 3:
			panic(http.ErrAbortHandler) // it has taken the batch, and does not say so
		}
	})
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	p := newPlace(t, e)
	p.hooks(r)
	at := &clock{now: time.Now()}
	service := audience.NewService(p.store, at.read)
	var watching sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		client, failed := p.call(service, nil)
		watching.Go(func() {
			for {
				select {
				case e := <-failed: // its 10 s and a tenth pass at once
					at.move(12 * time.Second)
					client.JobRetry(context.Background(), e.Job.ID) // another may have come before it
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
	for contact, told := range r.told {
		if told != want {
			t.Errorf("Contact %s: %s", contact, told)
		}
	}
	if len(r.told) != people || r.calls < 4 {
		t.Errorf("%d Contacts, %d calls", len(r.told), r.calls)
	}
}

// A receiver that works again is called at once, when somebody says so, and not
// only when its next try is due.
//
// covers: decision 52
func TestWebhookIsHurried(t *testing.T) { teststores.EachParallel(t, webhookIsHurried) }

func webhookIsHurried(t *testing.T, e teststores.Engine) {
	r := newReceiver(t, func(n int, w http.ResponseWriter) {
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	p := newPlace(t, e)
	p.hooks(r)
	at := &clock{now: time.Now()} // stands still: no time to wait for comes
	service := audience.NewService(p.store, at.read)
	client, failed := p.call(service, nil)
	p.subscribe("a@example.com")
	event := <-failed
	p.must(jobs.Retry(t.Context(), client, service, event.Job.ID))
	r.until(t, 2)
}

// A receiver that fails for hours: its events are kept, those after too, until
// somebody sends the job again.
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
	p := newPlace(t, e)
	ids := p.hooks(r)
	at := &clock{now: time.Now()}
	client, failed := p.call(audience.NewService(p.store, at.read), nil)
	p.subscribe("a@example.com")
	var last *river.Event
	for tries := 1; ; tries++ {
		select {
		case last = <-failed:
		case <-time.After(time.Minute):
			t.Fatalf("%d tries", tries)
		}
		if last.Kind == river.EventKindJobCancelled {
			if tries != 7 {
				t.Errorf("given up on after %d tries", tries)
			}
			break
		}
		if until := time.Until(last.Job.ScheduledAt); until < 5*time.Second {
			t.Errorf("the next try is in %s", until)
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
	if r.told["1"] != "created subscribed " || r.told["2"] != r.told["1"] {
		t.Errorf("told %v", r.told)
	}
}

// postsAt makes the test binary a process that works the database at its path,
// posts one batch and stands still before it has noted that.
const postsAt = "ENLIST_TEST_POSTS_AT"

// still posts, tells so, and never comes back.
type still struct{ *webhook.Client }

// Post implements jobs.Poster.
func (s still) Post(ctx context.Context, b *audience.WebhookBatch) error {
	fmt.Println(s.Client.Post(ctx, b))
	select {}
}

func postAndStandStill(path string) {
	store, err := teststores.Open(context.Background(), path, 0)
	if err != nil {
		panic(err)
	}
	config := jobs.Config(jobs.Options{Service: audience.NewService(store, time.Now), Store: store, Log: slog.New(slog.DiscardHandler),
		Poster: still{webhook.New(webhook.Options{Private: true})}})
	client, err := store.Jobs(config)
	if err != nil {
		panic(err)
	}
	if err := client.Start(context.Background()); err != nil {
		panic(err)
	}
	select {}
}

// A process is killed after a receiver took a batch and before that was noted:
// the batch comes again under the same ID, and what happened since after it.
//
// covers: decision 52
func TestKilledWebhookKeepsItsID(t *testing.T) { teststores.EachParallel(t, killedWebhookKeepsItsID) }

func killedWebhookKeepsItsID(t *testing.T, e teststores.Engine) {
	r := newReceiver(t, func(int, http.ResponseWriter) {})
	p := newPlace(t, e)
	p.hooks(r)
	p.subscribe("a@example.com")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), postsAt+"="+p.path)
	out, err := cmd.StdoutPipe()
	p.must(err)
	cmd.Stderr = os.Stderr
	p.must(cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "<nil>\n" {
		t.Errorf("got %q, %v", line, err)
	}
	p.must(cmd.Process.Kill())
	cmd.Wait() // says that it was killed
	p.subscribe("b@example.com")
	teststores.AgeKilledJobs(t, p.path)
	p.call(p.service, func(c *river.Config) {
		c.JobTimeout, c.RescueStuckJobsAfter = -1, 2*time.Second // as if minutes had passed
	})
	r.until(t, 4)
	if len(r.ids) != 3 || r.ids[0] != r.ids[1] || r.ids[1] == r.ids[2] {
		t.Errorf("batches %v", r.ids)
	}
	if r.told["1"] != "created subscribed " || r.told["2"] != r.told["1"] {
		t.Errorf("told %v", r.told)
	}
}
