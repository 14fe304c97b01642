package main

import (
	"bytes"
	"context"
	"log/slog"
	"math/rand/v2"
	"net/mail"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/jobs"
	"enlist/internal/mail/mailtest"
	"enlist/internal/webhooks/post"
)

// This test kills the program while it sends mail.

// The test kills the server while it sends notifications. No notification is lost. The mail server is slow, drops
// connections within messages and loses its replies. At the end the test sends the remaining notifications. The owner
// must have a notification of each Contact whose ID the server returned. If a notification arrives twice, both mails must
// have the same Message-ID.
//
// covers: spec event.notification, decision 44, decision 50
func TestKilledServerLosesNoNotification(t *testing.T) {
	if testing.Short() {
		t.Skip("this test kills many processes: run it with \"make faults\"")
	}
	t.Parallel()
	const rounds = 30
	server := mailtest.Start(t, mailtest.Options{})
	server.Script(faultyServer())
	c := newCrash(t, dbtest.SQLite, server.URL())
	for round := range rounds {
		stop := c.start()
		if round == 0 {
			c.notifyOwner()
		}
		c.subscribe(round, time.Duration(rand.IntN(20))*time.Millisecond)
		sendFor(t.Context(), server, rand.IntN(60))
		stop()
	}
	server.Script(nil)
	c.sendRest(server)
	repeated, lost := c.countNotified(server.Messages())
	t.Logf("%d Contacts in %d rounds, %d notified twice or more", len(c.answered), rounds, repeated)
	if lost > 0 {
		t.Errorf("the owner was not notified of %d of %d Contacts whose IDs the server had returned", lost, len(c.answered))
	}
}

// faultyServer returns a script for the mail server. It makes some commands fail, and delays the others.
func faultyServer() func(mailtest.Step) mailtest.Action {
	var count atomic.Int64
	return func(step mailtest.Step) mailtest.Action {
		switch n := count.Add(1); {
		case n%31 == 0 && step.Stage == mailtest.Text:
			return mailtest.Drop()
		case n%37 == 0 && step.Stage == mailtest.End:
			return mailtest.Drop()
		case n%41 == 0 && step.Stage == mailtest.Rcpt:
			return mailtest.Reply(451, "try later")
		}
		return mailtest.Wait(time.Duration(rand.IntN(3)) * time.Millisecond)
	}
}

// sendFor waits until the given number of further messages has arrived, at most
// 700 ms. The queue looks for jobs every 500 ms.
func sendFor(ctx context.Context, server *mailtest.Server, more int) {
	ctx, cancel := context.WithTimeout(ctx, 700*time.Millisecond)
	defer cancel()
	server.Wait(ctx, len(server.Messages())+more) // the time limit is not an error
}

// sendRest runs all queued jobs, as a process does that starts an hour after the last process was killed.
func (c *crash) sendRest(server *mailtest.Server) {
	c.t.Helper()
	must(0, dbtest.AgeKilledJobs(c.t.Context(), c.db))(c.t)
	store := c.open()
	defer store.Close()
	service := app.New(store, time.Now)
	must(0, service.ReadSettings(c.t.Context()))(c.t)
	quiet := slog.New(slog.DiscardHandler)
	mailer, _, err := newMailer(c.t.Context(), config.Serve{SMTP: server.URL(), PublicURL: "http://localhost"}, service, nil, quiet)
	if err != nil {
		c.t.Fatal(err)
	}
	defer mailer.Close()
	hooks := post.New(post.Options{Private: true})
	defer hooks.Close()
	settings := jobs.Config(jobs.Options{Service: service, Store: store, Mailer: mailer, Poster: hooks, Log: quiet})
	settings.Timeout, settings.RescueAfter = 0, 2*time.Second
	client, err := store.jobs(settings)
	if err != nil {
		c.t.Fatal(err)
	}
	client.Start(c.t.Context())
	defer client.StopAndCancel(context.Background())
	c.untilDone(client)
}

// untilDone waits until the queue is empty.
func (c *crash) untilDone(queue jobs.Queue) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Minute)
	defer cancel()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		left, err := jobs.List(ctx, queue, jobs.Filter{Limit: 1})
		switch {
		case err != nil:
			c.t.Fatalf("the queue is not empty, or cannot be read: %v", err)
		case len(left) == 0:
			return
		case left[0].State == jobs.Failed:
			c.t.Fatalf("a job failed permanently: %+v", left[0])
		}
		<-look.C
	}
}

// contactLink matches the link in every notification, without soft line breaks.
var contactLink = regexp.MustCompile(`/n/1-(\d+)-`)

// countNotified counts the Contacts with several messages, and the Contacts without a message.
func (c *crash) countNotified(messages []mailtest.Message) (repeated, lost int) {
	c.t.Helper()
	ids := make(map[int64]map[string]bool) // by Contact
	count := make(map[int64]int)
	for _, m := range messages {
		read, err := mail.ReadMessage(bytes.NewReader(m.Data))
		link := contactLink.FindSubmatch(bytes.ReplaceAll(m.Data, []byte("=\r\n"), nil))
		if err != nil || link == nil {
			c.t.Fatalf("a message is incomplete: %v\n%s", err, m.Data)
		}
		contact, _ := strconv.ParseInt(string(link[1]), 10, 64)
		if ids[contact] == nil {
			ids[contact] = make(map[string]bool)
		}
		ids[contact][read.Header.Get("Message-Id")] = true
		count[contact]++
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.answered {
		switch {
		case count[id] == 0:
			lost++
		case len(ids[id]) > 1:
			c.t.Errorf("Contact %d: messages with different Message-IDs: %v", id, ids[id])
		case count[id] > 1:
			repeated++
		}
	}
	return repeated, lost
}
