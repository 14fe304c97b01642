package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/jobs"
	enlistmail "enlist/internal/mail"
	"enlist/internal/mail/mailtest"
)

// The tests in this file send Batches to a mail server for tests.

// startBatches starts the workers of the queue and the sender of Batches.
func (p *listWithMailServer) startBatches() {
	p.Helper()
	key, err := p.service.Messages.LinkKey(p.Context())
	p.must(err)
	quiet := slog.New(slog.DiscardHandler)
	mailer, err := enlistmail.New(enlistmail.Options{From: "news@example.com", PublicURL: "https://example.com", Key: key, Links: p.service.Sending,
		Transport: enlistmail.Transport{SMTP: p.server.URL(), Key: key, Log: quiet, Connections: 4}})
	p.must(err)
	p.Cleanup(func() { mailer.Close() })
	o := jobs.Options{Service: p.service, Mailer: mailer, Slots: jobs.NewSlots(8), Connections: 4, Poster: p.poster, Log: quiet}
	o.Batches = jobs.NewBatchSender(o)
	p.start(o, nil)
	o.Batches.Start()
	p.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		o.Batches.Stop(ctx)
	})
}

// addBatch subscribes n Contacts and adds a Batch for the List.
func (p *listWithMailServer) addBatch(n int, test bool) enlist.BatchID {
	p.Helper()
	return p.addBatchWith(n, batches.BatchRequest{IsTest: test})
}

// addBatchWith is addBatch for a request whose Message and populations it sets.
func (p *listWithMailServer) addBatchWith(n int, r batches.BatchRequest) enlist.BatchID {
	p.Helper()
	for i := range n {
		p.subscribe(fmt.Sprintf("a%d@example.com", i))
	}
	message, err := p.service.Messages.AddMessage(p.Context(), p.caller, []enlist.Detail{detail("name", "May"), detail("subject", "Hello {{Email}}"),
		detail("text_content", "Dear {{Email}}"), detail("html_content", "<p>Dear {{Email}}</p>")})
	p.must(err)
	r.Message, r.Populations = message, []batches.PopulationRequest{{List: p.list}}
	id, err := p.service.Batches.AddBatch(p.Context(), p.caller, r)
	p.must(err)
	return id
}

// untilStatus waits until a Batch has a status.
func (p *listWithMailServer) untilStatus(id enlist.BatchID, want batches.BatchStatus) *batches.Batch {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		b, err := p.service.Batches.Batch(ctx, p.caller, id)
		p.must(err)
		if b.Status == want {
			return b
		}
		<-look.C
	}
}

// Each recipient gets one complete mail, also if the mail server has temporary failures. The mail
// server refuses the address a0 for ever.
//
// covers: spec batch.doubt, batch.test, batch.counts, decision 59
func TestBatchIsSent(t *testing.T) { dbtest.EachParallel(t, batchIsSent) }

func batchIsSent(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e)
	refuseFirst := mailtest.Always(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user"))
	later := mailtest.Times(2, mailtest.Rcpt, mailtest.Reply(451, "later"))
	drop := mailtest.Once(mailtest.End, mailtest.Drop())
	p.server.Script(func(s mailtest.Step) mailtest.Action {
		if s.Stage == mailtest.Rcpt && slices.Contains(s.To, "a0@example.com") {
			return refuseFirst(s)
		}
		if a := later(s); a != (mailtest.Action{}) {
			return a
		}
		return drop(s)
	})
	p.startBatches()
	const n = 40
	id := p.addBatch(n, true)
	b := p.untilStatus(id, batches.BatchCompleted)
	want := batches.BatchCounts{Recipients: n, Sent: n - 1, Refused: 1, Bounced: 1, Repeated: 1}
	if b.BatchCounts != want {
		t.Errorf("the counts are %+v, want %+v", b.BatchCounts, want)
	}
	ids := make(map[string]string)
	for _, m := range p.server.Messages() {
		to, id := strings.Join(m.To, ","), header(t, m, "Message-Id")
		if ids[to] != "" && ids[to] != id {
			t.Errorf("%s got mails with the Message-IDs %s and %s", to, ids[to], id)
		}
		ids[to] = id
		if got := header(t, m, "Subject"); got != "[test] Hello "+to {
			t.Errorf("%s got the subject %q", to, got)
		}
		if header(t, m, "List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
			t.Errorf("the mail to %s has no one-click unsubscribe link", to)
		}
	}
	if len(ids) != n-1 {
		t.Errorf("%d addresses got a mail, want %d", len(ids), n-1)
	}
}

// A pause takes effect between two mails. After unpause the other recipients get their mails.
//
// covers: spec batch.commands, decision 59
func TestPausedBatchContinues(t *testing.T) { dbtest.EachParallel(t, pausedBatchContinues) }

func pausedBatchContinues(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e)
	p.server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Wait(50*time.Millisecond)))
	p.startBatches()
	const n = 120
	id := p.addBatch(n, false)
	p.waitForMessages(5)
	p.must(p.service.Batches.EditBatch(t.Context(), p.caller, id, "pause", 0))
	if b := p.untilStatus(id, batches.BatchPaused); b.Sent == n {
		t.Error("all mails were sent before the pause")
	}
	p.server.Script(nil)
	p.must(p.service.Batches.EditBatch(t.Context(), p.caller, id, "unpause", 0))
	p.untilStatus(id, batches.BatchCompleted)
	if got := len(p.server.Messages()); got != n {
		t.Errorf("%d mails arrived, want %d", got, n)
	}
}
