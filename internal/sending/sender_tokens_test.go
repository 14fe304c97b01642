package sending_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
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

// Two Batches share the limit of a domain. A small Batch that is added later gets half of the mails until it is done.
//
// covers: decision 63
func TestBatchesShareALimitFairly(t *testing.T) { dbtest.EachParallel(t, batchesShareALimit) }

func batchesShareALimit(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	p.limit("recipient:example.com=20/second") // on a slow machine, too, no more than one token is there at a time
	p.startSender()
	large := p.addBatch(400, batches.BatchRequest{})
	p.waitForMessages(5)
	other := *p
	list, err := p.service.Lists.AddList(t.Context(), p.caller, []enlist.Detail{detail("name", "Other"),
		detail("email_field", "Email")})
	p.must(err)
	other.list = list
	const n = 10
	for i := range n {
		other.subscribe(fmt.Sprintf("b%d@example.com", i))
	}
	other.untilStatus(other.send(batches.BatchRequest{}), batches.BatchCompleted)
	all := p.server.Messages()
	first := slices.IndexFunc(all, func(m mailtest.Message) bool { return m.To[0][0] == 'b' })
	if sent := len(all) - first; sent > 5*n {
		t.Errorf("%d mails were sent while the %d mails of the small Batch were, want about twice as many", sent, n)
	}
	p.edit(large, "cancel")
}

// A slice whose next token appears in 6 s is leased again at least a second before, so that it waits for the token
// together with other Batches.
//
// covers: decision 63
func TestSliceIsLeasedBeforeItsToken(t *testing.T) { dbtest.EachParallel(t, sliceIsLeasedEarly) }

func sliceIsLeasedEarly(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	p.limit("recipient:example.com=10/minute")
	p.startSender()
	id := p.addBatch(2, batches.BatchRequest{})
	var at int64
	for at == 0 {
		time.Sleep(5 * time.Millisecond)
		p.must(p.store.View(t.Context(), func(tx *db.Tx) (err error) {
			at, err = tx.Number("SELECT max(lease_time) FROM batch_slice WHERE holder = ''")
			return err
		}))
	}
	if wait := at - time.Now().Unix(); wait > 4 {
		t.Errorf("the slice is free in %d s, want at most 4", wait)
	}
	p.edit(id, "cancel")
}
