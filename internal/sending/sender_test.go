package sending_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
	"enlist/internal/recipients"
)

// The tests in this file send Batches to a mail server for tests.

// Each recipient gets one complete mail, also if the mail server has temporary failures. The mail
// server refuses the address a0 for ever.
//
// covers: spec batch.doubt, batch.test, batch.counts, decision 59
func TestBatchIsSent(t *testing.T) { dbtest.EachParallel(t, batchIsSent) }

func batchIsSent(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
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
	p.startSender()
	const n = 40
	id := p.addBatch(n, batches.BatchRequest{IsTest: true})
	b := p.untilStatus(id, batches.BatchCompleted)
	want := recipients.Counts{Recipients: n, Sent: n - 1, Refused: 1, Bounced: 1, Repeated: 1,
		Unmeasured: recipients.Unmeasured{Opens: n - 1, Clicks: n - 1}}
	if b.Counts != want {
		t.Errorf("the counts are %+v, want %+v", b.Counts, want)
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
	p := newMailedList(t, e)
	p.server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Wait(50*time.Millisecond)))
	p.startSender()
	const n = 120
	id := p.addBatch(n, batches.BatchRequest{})
	p.waitForMessages(5)
	p.edit(id, "pause")
	if b := p.untilStatus(id, batches.BatchPaused); b.Sent == n {
		t.Error("all mails were sent before the pause")
	}
	p.server.Script(nil)
	p.edit(id, "unpause")
	p.untilStatus(id, batches.BatchCompleted)
	if got := len(p.server.Messages()); got != n {
		t.Errorf("%d mails arrived, want %d", got, n)
	}
}
