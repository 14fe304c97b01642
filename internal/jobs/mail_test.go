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

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/jobs"
	enlistmail "enlist/internal/mail"
	"enlist/internal/mail/mailtest"
	"enlist/internal/messages"
	"enlist/internal/webhooks"

	"github.com/riverqueue/river"
)

// The tests in this file send mail to a mail server for tests. Each test writes a script for the
// failures of the server.

// listWithMailServer is a storeWithList with its own mail server, to which its jobs send mail.
type listWithMailServer struct {
	*storeWithList
	server *mailtest.Server
	poster webhooks.Poster // posts webhooks beside Batches; nil: no webhooks
	queue  jobs.Queue
	done   <-chan jobqueue.Event
}

// newListWithMailServer creates the database, starts the mail server, and edits the List. It does
// not start the workers.
func newListWithMailServer(t *testing.T, e dbtest.Engine, details ...enlist.Detail) *listWithMailServer {
	p := &listWithMailServer{storeWithList: newStoreWithList(t, e), server: mailtest.Start(t, mailtest.Options{})}
	p.server.Read(apptest.ReadTraces(t, p.store))
	_, err := p.service.Lists.EditList(t.Context(), p.caller, p.list, details)
	p.must(err)
	return p
}

// send starts the workers for mail. They use the given Service and its clock.
func (p *listWithMailServer) send(service *app.App) {
	p.Helper()
	key, err := service.Messages.LinkKey(p.Context())
	p.must(err)
	quiet := slog.New(slog.DiscardHandler)
	mailer, err := enlistmail.New(enlistmail.Options{From: "news@example.com", PublicURL: "http://localhost", Key: key, Links: service.Sending,
		Transport: enlistmail.Transport{SMTP: p.server.URL(), Key: key, Log: quiet}})
	p.must(err)
	p.Cleanup(func() { mailer.Close() })
	p.queue, p.done = p.start(jobs.Options{Service: service, Mailer: mailer}, nil,
		jobqueue.Completed, jobqueue.Failed, jobqueue.Cancelled, jobqueue.Postponed)
}

// autoresponder adds a Message and an autoresponder that sends it.
func (p *listWithMailServer) autoresponder(subject string, details ...enlist.Detail) {
	p.Helper()
	message, err := p.service.Messages.AddMessage(p.Context(), p.caller, []enlist.Detail{detail("type", "email"), detail("name", subject),
		detail("subject", subject), detail("text_content", "Dear {{Email}}")})
	p.must(err)
	number := func(key string, n int64) enlist.Detail {
		return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputNumber, Text: strconv.FormatInt(n, 10)}}
	}
	_, err = p.service.Batches.AddAutoresponder(p.Context(), p.caller, append(details, number("list_id", int64(p.list)), number("message_id", int64(message))))
	p.must(err)
}

// waitForEvent waits until the next job of a kind has ended, and returns its result of any kind.
func (p *listWithMailServer) waitForEvent(kind string) jobqueue.Event {
	p.Helper()
	for {
		if e := p.next(p.done); e.Job.Kind == kind {
			return e
		}
	}
}

// waitForMessages waits until the mail server has accepted n messages, and returns all messages.
func (p *listWithMailServer) waitForMessages(n int) []mailtest.Message {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	all, err := p.server.Wait(ctx, n)
	if err != nil {
		p.Fatalf("%d messages arrived, want %d: %v", len(all), n, err)
	}
	return all
}

// header returns the value of a header field of a message.
func header(t *testing.T, m mailtest.Message, name string) string {
	t.Helper()
	read, err := mail.ReadMessage(bytes.NewReader(m.Data))
	if err != nil {
		t.Fatal(err)
	}
	return read.Header.Get(name)
}

// contact reads a Contact of the List.
func (p *listWithMailServer) contact(id enlist.ContactID) (c *enlist.Contact) {
	p.Helper()
	p.must(p.store.View(p.Context(), func(tx *db.Tx) (err error) {
		c, err = contacts.ByID(tx, p.list, id)
		return err
	}))
	return c
}

// deliveries reads all deliveries to a Contact.
func (p *listWithMailServer) deliveries(id enlist.ContactID) (all []messages.Delivery) {
	p.Helper()
	p.must(p.store.View(p.Context(), func(tx *db.Tx) (err error) {
		all, err = messages.Deliveries(tx, p.list, id, 1000, 0)
		return err
	}))
	return all
}

// In each subtest the mail server has a temporary failure. All notifications arrive nevertheless, and
// each arrives once.
//
// covers: spec event.notification, decision 50
func TestNotificationsArriveAfterTemporaryFailures(t *testing.T) {
	dbtest.EachParallel(t, notificationsArriveAfterTemporaryFailures)
}

func notificationsArriveAfterTemporaryFailures(t *testing.T, e dbtest.Engine) {
	for _, c := range []struct {
		name   string
		script func(mailtest.Step) mailtest.Action
	}{
		{"refuses the greeting temporarily", mailtest.Once(mailtest.Greeting, mailtest.Reply(421, "busy"))},
		{"refuses the sender temporarily", mailtest.Once(mailtest.Mail, mailtest.Reply(450, "later"))},
		{"refuses the address temporarily", mailtest.Once(mailtest.Rcpt, mailtest.Reply(451, "later"))},
		{"refuses the text temporarily", mailtest.Once(mailtest.Text, mailtest.Reply(452, "disk full"))},
		{"disconnects during the greeting", mailtest.Once(mailtest.Greeting, mailtest.Drop())},
		{"disconnects during the text", mailtest.Once(mailtest.Text, mailtest.Drop())},
		{"is slow", mailtest.Always(mailtest.Rcpt, mailtest.Wait(time.Second))},
	} {
		if testing.Short() && e.Name != dbtest.SQLite.Name && c.name != "disconnects during the text" {
			continue // the engines differ only in the second attempt
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // the second attempt starts two seconds after the first one
			p := newListWithMailServer(t, e, detail("on_register_address", "first@example.com, second@example.com"))
			p.server.Script(c.script)
			p.send(p.service)
			p.subscribe("ann@example.com")
			to := make(map[string]int)
			for _, m := range p.waitForMessages(2) {
				to[strings.Join(m.To, ",")]++
			}
			if len(to) != 2 || to["first@example.com"] != 1 || to["second@example.com"] != 1 {
				t.Errorf("the numbers of messages by recipient are %v, want one for each of the two addresses", to)
			}
		})
	}
}

// The mail server accepts a message, but the connection breaks before the server replies. So the
// message is sent again, with the same Message-ID. The mail server can then recognise the repeated
// message.
//
// covers: spec event.notification, decision 44
func TestMailSentTwiceHasTheSameMessageID(t *testing.T) {
	dbtest.EachParallel(t, mailSentTwiceHasTheSameMessageID)
}

func mailSentTwiceHasTheSameMessageID(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e, detail("on_register_address", "first@example.com"))
	p.server.Script(mailtest.Once(mailtest.End, mailtest.Drop()))
	p.send(p.service)
	p.subscribe("ann@example.com")
	all := p.waitForMessages(2)
	if a, b := header(t, all[0], "Message-Id"), header(t, all[1], "Message-Id"); a != b || a == "" {
		t.Errorf("the Message-IDs are %q and %q, want them equal and not empty", a, b)
	}
}

// When the mail server works again, it receives all mails that waited.
//
// covers: decision 50
func TestWaitingMailIsSentWhenTheMailServerReturns(t *testing.T) {
	dbtest.EachParallel(t, waitingMailIsSentWhenTheMailServerReturns)
}

func waitingMailIsSentWhenTheMailServerReturns(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e, detail("on_register_address", "first@example.com"))
	p.server.Stop()
	p.send(p.service)
	for i := range 30 {
		p.subscribe("ann" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "@example.com")
	}
	p.waitForEvent("notify") // the first job has failed or went back to the queue
	p.must(p.server.Resume())
	p.waitForMessages(30)
}

// covers: decision 50
func TestPermanentlyRefusedMailIsKept(t *testing.T) {
	dbtest.EachParallel(t, permanentlyRefusedMailIsKept)
}

func permanentlyRefusedMailIsKept(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e, detail("on_register_address", "gone@example.com"))
	p.server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
	p.send(p.service)
	p.subscribe("ann@example.com")
	if e := p.waitForEvent("notify"); e.Kind != jobqueue.Cancelled {
		t.Fatalf("the job ended with %s, want it cancelled", e.Kind)
	}
	failed, err := jobs.List(t.Context(), p.queue, jobs.Filter{State: jobs.Failed})
	p.must(err)
	if len(failed) != 1 || !strings.Contains(failed[0].LastFail, "no such user") || !strings.Contains(failed[0].About, "gone@example.com") {
		t.Fatalf("the failed jobs are %+v, want one with the reply and the address", failed)
	}
	sums, err := jobs.Failures(t.Context(), p.queue)
	p.must(err)
	want := jobs.Failure{Kind: "notify", Refused: true, Count: 1, Last: "the mail server answered 550 5.1.1 no such user"}
	if len(sums) != 1 || sums[0] != want {
		t.Errorf("the failures are %+v, want %+v", sums, want)
	}
	p.server.Script(nil)
	p.must(jobs.Retry(t.Context(), p.queue, p.service.Webhooks, failed[0].ID))
	p.waitForMessages(1)
	if err := jobs.Discard(t.Context(), p.queue, 99); err != jobs.ErrNoJob {
		t.Errorf("Discard of a job that does not exist returned %v, want ErrNoJob", err)
	}
}

// covers: spec event.autoresponders, decision 44, decision 46
func TestAutoresponderIsSentOnce(t *testing.T) { dbtest.EachParallel(t, autoresponderIsSentOnce) }

func autoresponderIsSentOnce(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e)
	p.autoresponder("Welcome", detail("event_type", "subscribe"))
	p.autoresponder("Goodbye", detail("event_type", "unsubscribe"))
	stayed, left := p.subscribe("ann@example.com"), p.subscribe("bob@example.com")
	_, err := p.service.Contacts.UnsubscribeByID(t.Context(), p.caller, contacts.ContactRequest{List: p.list, Contact: left})
	p.must(err)
	p.send(p.service)
	for range 3 {
		if e := p.waitForEvent("autorespond"); e.Kind != jobqueue.Completed {
			t.Fatalf("a job ended with %s: %v, want it completed", e.Kind, e.Job.Errors)
		}
	}
	got := make(map[string]string)
	for _, m := range p.waitForMessages(2) {
		got[m.To[0]] = header(t, m, "Subject")
	}
	if len(p.server.Messages()) != 2 || got["ann@example.com"] != "Welcome" || got["bob@example.com"] != "Goodbye" {
		t.Errorf("the subjects by recipient are %v, want Welcome for ann and Goodbye for bob, and no third message", got)
	}
	d := p.deliveries(stayed)
	if len(d) != 1 || d[0].Status != messages.DeliverySent || d[0].Subject != "Welcome" || p.contact(stayed).LastMessageTime == 0 {
		t.Fatalf("the deliveries are %+v and last_message_time is %d; want one delivery, sent, and a time",
			d, p.contact(stayed).LastMessageTime)
	}
	// The same job runs again. This happens if the process crashes before the queue has stored that the
	// job is completed.
	p.enqueue(events.Autorespond{List: p.list, Contact: stayed, Autoresponder: 1, Time: d[0].Time})
	p.waitForEvent("autorespond")
	if n := len(p.server.Messages()); n != 2 {
		t.Errorf("after the second run of the job there are %d messages, want 2", n)
	}
}

// The clock was set back after the job was stored, so the job is not due.
//
// covers: spec autoresponder.times
func TestJobWaitsWhenTheClockWasSetBack(t *testing.T) {
	dbtest.EachParallel(t, jobWaitsWhenTheClockWasSetBack)
}

func jobWaitsWhenTheClockWasSetBack(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e)
	p.autoresponder("Welcome", detail("event_type", "subscribe"))
	p.subscribe("ann@example.com")
	p.send(app.New(p.store, func() time.Time { return time.Now().Add(-time.Hour) }))
	if e := p.waitForEvent("autorespond"); e.Kind != jobqueue.Postponed || time.Until(e.Job.ScheduledAt) < 59*time.Minute {
		t.Errorf("the job ended with %s and runs again at %v, want it snoozed for an hour", e.Kind, e.Job.ScheduledAt)
	}
}

// covers: decision 51
func TestThreeBouncesDeactivateTheContact(t *testing.T) {
	dbtest.EachParallel(t, threeBouncesDeactivateTheContact)
}

func threeBouncesDeactivateTheContact(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e)
	for _, subject := range []string{"One", "Two", "Three"} {
		p.autoresponder(subject, detail("event_type", "subscribe"))
	}
	p.server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
	id := p.subscribe("ann@example.com")
	p.send(p.service)
	for range 3 {
		if e := p.waitForEvent("autorespond"); e.Kind != jobqueue.Completed {
			t.Errorf("the job of a bounced mail ended with %s, want it completed", e.Kind)
		}
	}
	if c := p.contact(id); c.IsActive || !c.IsBounceDeactivated {
		t.Errorf("after three bounces is_active is %v and is_bounce_deactivated is %v, want false and true; deliveries: %+v",
			c.IsActive, c.IsBounceDeactivated, p.deliveries(id))
	}
}

// A refused address is a bounce, which the Contact has. It is no failed job, which the operator has to look at. Another
// refusal of the same mail is one.
//
// covers: decision 51
func TestRefusedConfirmationIsABounce(t *testing.T) {
	dbtest.EachParallel(t, refusedConfirmationIsABounce)
}

func refusedConfirmationIsABounce(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e, detail("double_opt_in_required", "1"))
	p.send(p.service)
	for _, c := range []struct {
		address, reply string
		job            jobqueue.Kind
		status         messages.DeliveryStatus
		failed         int
	}{
		{"ann@example.com", "5.1.1 no such user", jobqueue.Completed, messages.DeliveryBounced, 0},
		{"bob@example.com", "5.7.1 no relaying for this sender", jobqueue.Cancelled, messages.DeliveryFailed, 1},
	} {
		p.server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Reply(550, c.reply)))
		id := p.subscribe(c.address)
		if e := p.waitForEvent("ask_to_confirm"); e.Kind != c.job {
			t.Errorf("%s: the job ended with %s, want %s", c.reply, e.Kind, c.job)
		}
		if d := p.deliveries(id); len(d) != 1 || d[0].Status != c.status || !strings.Contains(d[0].Detail, c.reply) {
			t.Errorf("%s: the deliveries are %+v, want one that is %s", c.reply, d, c.status)
		}
		failed, err := jobs.List(t.Context(), p.queue, jobs.Filter{State: jobs.Failed})
		p.must(err)
		if len(failed) != c.failed {
			t.Errorf("%s: %d failed jobs, want %d", c.reply, len(failed), c.failed)
		}
	}
}

// covers: spec event.confirm
func TestConfirmationIsRequestedBeforeTheAutoresponder(t *testing.T) {
	dbtest.EachParallel(t, confirmationIsRequestedBeforeTheAutoresponder)
}

func confirmationIsRequestedBeforeTheAutoresponder(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e, detail("double_opt_in_required", "1"))
	p.autoresponder("Welcome", detail("event_type", "subscribe"))
	id := p.subscribe("ann@example.com")
	p.send(p.service)
	m := p.waitForMessages(1)[0]
	if m.To[0] != "ann@example.com" || !bytes.Contains(m.Data, []byte("http://localhost/c/")) {
		t.Errorf("the first message went to %v, want ann@example.com and a link to confirm:\n%s", m.To, m.Data)
	}
	_, err := p.service.Contacts.Confirm(t.Context(), p.caller, contacts.ContactRequest{List: p.list, Contact: id})
	p.must(err)
	if got := header(t, p.waitForMessages(2)[1], "Subject"); got != "Welcome" {
		t.Errorf("the subject of the next message is %q, want Welcome", got)
	}
}

// A completed job is deleted at once. A job that failed permanently is kept.
func TestOnlyCompletedJobsAreDeleted(t *testing.T) {
	dbtest.EachParallel(t, onlyCompletedJobsAreDeleted)
}

func onlyCompletedJobsAreDeleted(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e, detail("on_register_address", "first@example.com"))
	p.server.Script(mailtest.Once(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
	p.send(p.service)
	p.subscribe("ann@example.com")
	p.waitForEvent("notify")
	p.subscribe("bob@example.com")
	p.waitForEvent("notify")
	all, err := p.queue.JobList(t.Context(), river.NewJobListParams())
	p.must(err)
	if len(all.Jobs) != 1 || all.Jobs[0].State != "cancelled" {
		t.Errorf("the jobs are %+v, want only the cancelled one", all.Jobs)
	}
}
