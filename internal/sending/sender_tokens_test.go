package sending_test

import (
	"slices"
	"strings"
	"testing"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
	"enlist/internal/pace"
	"enlist/internal/sending"
)

// The tests in this file send Batches with limited rates.

// limit sets the rate limits of the service.
func (p *mailedList) limit(limits ...string) {
	p.Helper()
	rates, err := pace.ParseRateLimits(limits)
	p.must(err)
	p.service.SetSending(pace.Settings{Relay: "test", From: "news@example.com", Rates: rates})
}

// A Batch with a rate sends all of its mails.
//
// covers: spec batch.rate, decision 63
func TestBatchWithARateIsCompleted(t *testing.T) { dbtest.EachParallel(t, batchWithARate) }

func batchWithARate(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	p.limit("relay=100/second", "sender=1000/second")
	p.startSender()
	id := p.addBatch(30, batches.BatchRequest{Options: batches.BatchOptions{Rate: "20/second"}})
	if b := p.untilStatus(id, batches.BatchCompleted); b.Sent != 30 {
		t.Errorf("%d mails were sent, want 30", b.Sent)
	}
}

// The limit of one domain delays only the recipients of this domain.
//
// covers: spec batch.rate, decision 63
func TestLimitOfADomainDelaysOnlyItsRecipients(t *testing.T) {
	dbtest.EachParallel(t, limitOfADomain)
}

func limitOfADomain(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	p.limit("recipient:slow.example=2/day")
	p.startSender()
	for _, name := range []string{"x", "y", "z"} {
		p.subscribe(name + "@slow.example")
	}
	id := p.addBatch(20, batches.BatchRequest{})
	p.waitForMessages(21)
	slow := 0
	for _, m := range p.server.Messages() {
		if strings.HasSuffix(m.To[0], "@slow.example") {
			slow++
		}
	}
	if slow != 1 {
		t.Errorf("%d mails to slow.example arrived, want 1: the others wait for hours", slow)
	}
	p.untilStatus(id, batches.BatchSending)
	p.edit(id, "cancel")
}

// If a mail server asks for fewer mails, the other mails are sent at a lower rate, and the refused
// mail is sent again.
//
// covers: spec batch.pace, decision 63
func TestReplyForFewerMailsSlowsDown(t *testing.T) { dbtest.EachParallel(t, replyForFewerMails) }

func replyForFewerMails(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	refuse := mailtest.Once(mailtest.Rcpt, mailtest.Reply(450, "4.7.1 too many mails"))
	p.server.Script(func(s mailtest.Step) mailtest.Action {
		if s.Stage == mailtest.Rcpt && slices.Contains(s.To, "a9@example.com") {
			return refuse(s)
		}
		return mailtest.Action{}
	})
	p.startSender()
	id := p.addBatch(20, batches.BatchRequest{})
	if b := p.untilStatus(id, batches.BatchCompleted); b.Sent != 20 {
		t.Errorf("%d mails were sent, want 20", b.Sent)
	}
	p.must(p.store.View(t.Context(), func(tx *db.Tx) error {
		paces, err := sending.Paces(tx)
		if err == nil && (len(paces) != 1 || paces[0].Group != "example.com" || paces[0].Mails >= paces[0].Top) {
			t.Errorf("the paces are %+v, want one of example.com below its top", paces)
		}
		return err
	}))
}
