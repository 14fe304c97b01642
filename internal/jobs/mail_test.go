package jobs_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/mail"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/jobs"
	letters "enlist/internal/mail"
	"enlist/internal/mail/mailtest"
	"enlist/internal/store/teststores"

	"github.com/riverqueue/river"
)

// post is a place whose queue sends to a mail server.
type post struct {
	*place
	server *mailtest.Server
	queue  jobs.Queue
	done   <-chan *river.Event
}

func newPost(t *testing.T, e teststores.Engine, details ...audience.Detail) *post {
	p := &post{place: newPlace(t, e), server: mailtest.Start(t, mailtest.Options{})}
	_, err := p.service.EditList(t.Context(), p.caller, p.list, details)
	p.must(err)
	return p
}

// send starts to work the queue.
func (p *post) send(service *audience.Service) {
	p.Helper()
	key, err := service.LinkKey(p.Context())
	p.must(err)
	quiet := slog.New(slog.DiscardHandler)
	mailer, err := letters.New(letters.Options{From: "news@example.com", PublicURL: "http://localhost", Key: key, Links: service,
		Transport: letters.Transport{SMTP: p.server.URL(), Key: key, Log: quiet}})
	p.must(err)
	p.Cleanup(func() { mailer.Close() })
	config := jobs.Config(jobs.Options{Service: service, Store: p.store, Mailer: mailer, Log: quiet})
	config.TestOnly = true
	client := p.client(config)
	done, cancel := client.Subscribe(river.EventKindJobCompleted, river.EventKindJobFailed, river.EventKindJobCancelled, river.EventKindJobSnoozed)
	p.Cleanup(cancel)
	p.must(client.Start(p.Context()))
	p.Cleanup(func() { client.StopAndCancel(context.Background()) })
	p.queue, p.done = client, done
}

func detail(key, text string) audience.Detail {
	return audience.Detail{Key: key, Value: audience.Input{Kind: audience.InputText, Text: text}}
}

func (p *post) subscribe(email string) audience.ContactID {
	p.Helper()
	id, err := p.service.Subscribe(p.Context(), p.caller, audience.SubscribeRequest{List: p.list, Details: []audience.Detail{detail("Email", email)}})
	p.must(err)
	return id
}

// autoresponder adds one with a Message of its own.
func (p *post) autoresponder(subject string, details ...audience.Detail) {
	p.Helper()
	message, err := p.service.AddMessage(p.Context(), p.caller, []audience.Detail{detail("type", "email"), detail("name", subject),
		detail("subject", subject), detail("text_content", "Dear {{Email}}")})
	p.must(err)
	number := func(key string, n int64) audience.Detail {
		return audience.Detail{Key: key, Value: audience.Input{Kind: audience.InputNumber, Text: strconv.FormatInt(n, 10)}}
	}
	_, err = p.service.AddAutoresponder(p.Context(), p.caller, append(details, number("list_id", int64(p.list)), number("message_id", int64(message))))
	p.must(err)
}

// event waits for the next job of a kind to end in some way.
func (p *post) event(kind string) *river.Event {
	p.Helper()
	for {
		select {
		case e := <-p.done:
			if e.Job.Kind == kind {
				return e
			}
		case <-time.After(time.Minute):
			p.Fatalf("no job of kind %s ended", kind)
		}
	}
}

// arrived waits for messages and returns them.
func (p *post) arrived(n int) []mailtest.Message {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	all, err := p.server.Wait(ctx, n)
	if err != nil {
		p.Fatalf("%d messages came, want %d: %v", len(all), n, err)
	}
	return all
}

func header(t *testing.T, m mailtest.Message, name string) string {
	t.Helper()
	read, err := mail.ReadMessage(bytes.NewReader(m.Data))
	if err != nil {
		t.Fatal(err)
	}
	return read.Header.Get(name)
}

func (p *post) contact(id audience.ContactID) (c *audience.Contact) {
	p.Helper()
	p.must(p.store.View(p.Context(), func(tx audience.Tx) (err error) {
		c, err = tx.Contact(p.list, id)
		return err
	}))
	return c
}

func (p *post) deliveries(id audience.ContactID) (all []audience.Delivery) {
	p.Helper()
	p.must(p.store.View(p.Context(), func(tx audience.Tx) (err error) {
		all, err = tx.Deliveries(p.list, id, 0)
		return err
	}))
	return all
}

// TestNotificationsArrive has the mail server do everything wrong once.
//
// covers: spec event.notification, decision 50
func TestNotificationsArrive(t *testing.T) { teststores.EachParallel(t, notificationsArrive) }

func notificationsArrive(t *testing.T, e teststores.Engine) {
	for name, script := range map[string]func(mailtest.Step) mailtest.Action{
		"refuses the greeting for now": mailtest.Once(mailtest.Greeting, mailtest.Reply(421, "busy")),
		"refuses the sender for now":   mailtest.Once(mailtest.Mail, mailtest.Reply(450, "later")),
		"refuses the address for now":  mailtest.Once(mailtest.Rcpt, mailtest.Reply(451, "later")),
		"refuses the text for now":     mailtest.Once(mailtest.Text, mailtest.Reply(452, "disk full")),
		"breaks off in the greeting":   mailtest.Once(mailtest.Greeting, mailtest.Drop()),
		"breaks off in the text":       mailtest.Once(mailtest.Text, mailtest.Drop()),
		"is slow":                      mailtest.Always(mailtest.Rcpt, mailtest.Wait(time.Second)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // a second try comes after two seconds
			p := newPost(t, e, detail("on_register_address", "boss@example.com, desk@example.com"))
			p.server.Script(script)
			p.send(p.service)
			p.subscribe("ann@example.com")
			to := make(map[string]int)
			for _, m := range p.arrived(2) {
				to[strings.Join(m.To, ",")]++
			}
			if len(to) != 2 || to["boss@example.com"] != 1 || to["desk@example.com"] != 1 {
				t.Errorf("messages went to %v", to)
			}
		})
	}
}

// A mail server that took the message but could not say so gets it again, and
// can tell by the Message-ID.
//
// covers: spec event.notification, decision 44
func TestSentTwiceIsRecognisable(t *testing.T) { teststores.EachParallel(t, sentTwiceIsRecognisable) }

func sentTwiceIsRecognisable(t *testing.T, e teststores.Engine) {
	p := newPost(t, e, detail("on_register_address", "boss@example.com"))
	p.server.Script(mailtest.Once(mailtest.End, mailtest.Drop()))
	p.send(p.service)
	p.subscribe("ann@example.com")
	all := p.arrived(2)
	if a, b := header(t, all[0], "Message-Id"), header(t, all[1], "Message-Id"); a != b || a == "" {
		t.Errorf("Message-IDs %q and %q", a, b)
	}
}

// A mail server that is gone and comes back gets all that waited.
//
// covers: decision 50
func TestMailServerComesBack(t *testing.T) { teststores.EachParallel(t, mailServerComesBack) }

func mailServerComesBack(t *testing.T, e teststores.Engine) {
	p := newPost(t, e, detail("on_register_address", "boss@example.com"))
	p.server.Stop()
	p.send(p.service)
	for i := range 30 {
		p.subscribe("ann" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "@example.com")
	}
	p.event("notify") // the first one has failed, or was put back
	p.must(p.server.Resume())
	p.arrived(30)
}

// covers: decision 50
func TestRefusedForGoodIsKept(t *testing.T) { teststores.EachParallel(t, refusedForGoodIsKept) }

func refusedForGoodIsKept(t *testing.T, e teststores.Engine) {
	p := newPost(t, e, detail("on_register_address", "gone@example.com"))
	p.server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
	p.send(p.service)
	p.subscribe("ann@example.com")
	if e := p.event("notify"); e.Kind != river.EventKindJobCancelled {
		t.Fatalf("the job: %s", e.Kind)
	}
	failed, err := jobs.List(t.Context(), p.queue, jobs.Filter{State: jobs.Failed})
	p.must(err)
	if len(failed) != 1 || !strings.Contains(failed[0].LastFail, "no such user") || !strings.Contains(failed[0].About, "gone@example.com") {
		t.Fatalf("kept: %+v", failed)
	}
	p.server.Script(nil)
	p.must(jobs.Retry(t.Context(), p.queue, p.service, failed[0].ID))
	p.arrived(1)
	if err := jobs.Discard(t.Context(), p.queue, 99); err != jobs.ErrNoJob {
		t.Errorf("discarding what is not there: %v", err)
	}
}

// covers: spec event.autoresponders, decision 44, decision 46
func TestAutoresponder(t *testing.T) { teststores.EachParallel(t, autoresponder) }

func autoresponder(t *testing.T, e teststores.Engine) {
	p := newPost(t, e)
	p.autoresponder("Welcome", detail("event_type", "subscribe"))
	p.autoresponder("Goodbye", detail("event_type", "unsubscribe"))
	stayed, left := p.subscribe("ann@example.com"), p.subscribe("bob@example.com")
	_, err := p.service.UnsubscribeByID(t.Context(), p.caller, p.list, left)
	p.must(err)
	p.send(p.service)
	for range 3 {
		if e := p.event("autorespond"); e.Kind != river.EventKindJobCompleted {
			t.Fatalf("a job: %s: %v", e.Kind, e.Job.Errors)
		}
	}
	got := make(map[string]string)
	for _, m := range p.arrived(2) {
		got[m.To[0]] = header(t, m, "Subject")
	}
	if len(p.server.Messages()) != 2 || got["ann@example.com"] != "Welcome" || got["bob@example.com"] != "Goodbye" {
		t.Errorf("sent: %v", got)
	}
	d := p.deliveries(stayed)
	if len(d) != 1 || d[0].Status != audience.DeliverySent || d[0].Subject != "Welcome" || p.contact(stayed).LastMessageTime == 0 {
		t.Fatalf("recorded: %+v, last_message_time %d", d, p.contact(stayed).LastMessageTime)
	}
	// The same job again, as after a crash before it was done with.
	p.enqueue(audience.Autorespond{List: p.list, Contact: stayed, Autoresponder: 1, Time: d[0].Time})
	p.event("autorespond")
	if n := len(p.server.Messages()); n != 2 {
		t.Errorf("%d messages after the same job again, want 2", n)
	}
}

// A clock that was set back since a job was stored makes it wait.
//
// covers: decision 45
func TestClockSetBack(t *testing.T) { teststores.EachParallel(t, clockSetBack) }

func clockSetBack(t *testing.T, e teststores.Engine) {
	p := newPost(t, e)
	p.autoresponder("Welcome", detail("event_type", "subscribe"))
	p.subscribe("ann@example.com")
	p.send(audience.NewService(p.store, func() time.Time { return time.Now().Add(-time.Hour) }))
	if e := p.event("autorespond"); e.Kind != river.EventKindJobSnoozed || time.Until(e.Job.ScheduledAt) < 59*time.Minute {
		t.Errorf("the job: %s, again at %v", e.Kind, e.Job.ScheduledAt)
	}
}

// covers: decision 51
func TestBouncesDeactivate(t *testing.T) { teststores.EachParallel(t, bouncesDeactivate) }

func bouncesDeactivate(t *testing.T, e teststores.Engine) {
	p := newPost(t, e)
	for _, subject := range []string{"One", "Two", "Three"} {
		p.autoresponder(subject, detail("event_type", "subscribe"))
	}
	p.server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
	id := p.subscribe("ann@example.com")
	p.send(p.service)
	for range 3 {
		p.event("autorespond")
	}
	if c := p.contact(id); c.IsActive || !c.IsBounceDeactivated {
		t.Errorf("after three bounces: is_active %v, is_bounce_deactivated %v, %+v", c.IsActive, c.IsBounceDeactivated, p.deliveries(id))
	}
}

// covers: decision 47
func TestAskedToConfirm(t *testing.T) { teststores.EachParallel(t, askedToConfirm) }

func askedToConfirm(t *testing.T, e teststores.Engine) {
	p := newPost(t, e, detail("double_opt_in_required", "1"))
	p.autoresponder("Welcome", detail("event_type", "subscribe"))
	id := p.subscribe("ann@example.com")
	p.send(p.service)
	m := p.arrived(1)[0]
	if m.To[0] != "ann@example.com" || !bytes.Contains(m.Data, []byte("http://localhost/c/")) {
		t.Errorf("to %v:\n%s", m.To, m.Data)
	}
	_, err := p.service.Confirm(t.Context(), p.caller, p.list, id)
	p.must(err)
	if got := header(t, p.arrived(2)[1], "Subject"); got != "Welcome" {
		t.Errorf("after the answer came %q", got)
	}
}

// Jobs that are done go, those that failed stay.
func TestSweep(t *testing.T) { teststores.EachParallel(t, sweep) }

func sweep(t *testing.T, e teststores.Engine) {
	p := newPost(t, e, detail("on_register_address", "boss@example.com"))
	p.server.Script(mailtest.Once(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
	p.send(p.service)
	p.subscribe("ann@example.com")
	p.event("notify")
	p.subscribe("bob@example.com")
	p.event("notify")
	p.must(jobs.Sweep(t.Context(), p.queue.(jobs.Sweeper)))
	all, err := p.queue.JobList(t.Context(), river.NewJobListParams())
	p.must(err)
	if len(all.Jobs) != 1 || all.Jobs[0].State != "cancelled" {
		t.Errorf("left: %+v", all.Jobs)
	}
}
