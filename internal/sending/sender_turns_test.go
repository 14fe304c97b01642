package sending_test

import (
	"slices"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/mail/mailtest"
)

// A Batch of one mail is sent while a large Batch of another Account is being sent: it waits at most for the mails that
// are marked as being sent.
//
// covers: decision 59
func TestAccountsTakeTurns(t *testing.T) { dbtest.EachParallel(t, accountsTakeTurns) }

func accountsTakeTurns(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	p.server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Wait(20*time.Millisecond)))
	p.startSender()
	const n, workers, marked = 250, 4, 16
	large := p.addBatch(n, batches.BatchRequest{})
	p.waitForMessages(5)
	other := p.ofAnotherAccount()
	before := len(p.server.Messages())
	other.subscribe("one@example.org")
	small := other.send(batches.BatchRequest{})
	other.untilStatus(small, batches.BatchCompleted)
	all := p.server.Messages()
	at := slices.IndexFunc(all, func(m mailtest.Message) bool { return slices.Contains(m.To, "one@example.org") })
	if most := before + 2*workers*marked; at < 0 || at > most {
		t.Errorf("%d mails were sent before the mail of the other Account, want at most %d", at, most)
	}
	if b := p.untilStatus(large, batches.BatchCompleted); b.Sent != n {
		t.Errorf("%d mails of the large Batch were sent, want %d", b.Sent, n)
	}
}

// ofAnotherAccount returns a List of a new Account in the same database, with the same mail server and sender.
func (p *mailedList) ofAnotherAccount() *mailedList {
	p.Helper()
	other := *p
	a, err := p.service.Accounts.AddAccount(p.Context(), accounts.AccountDetails{Name: "Another",
		ContactLimit: enlist.NoContactLimit})
	p.must(err)
	other.caller, err = p.service.Accounts.Operator(p.Context(), a.ID)
	p.must(err)
	other.list, err = p.service.Lists.AddList(p.Context(), other.caller, []enlist.Detail{detail("name", "Other"),
		detail("email_field", "Email")})
	p.must(err)
	return &other
}

// Several servers send a Batch together. Here, the mails of the first one do not get through, so that the Batch cannot end
// before the second one has a slice.
//
// covers: decision 59
func TestServersShareABatch(t *testing.T) {
	p := newMailedList(t, dbtest.Postgres)
	arrived, free := p.holdMails()
	p.startSender()
	p.newSender()
	const n = 501 // two slices
	id := p.addBatch(n, batches.BatchRequest{})
	for range 5 { // a sender has four connections
		<-arrived
	}
	close(free)
	for range n - 5 {
		<-arrived
	}
	p.untilStatus(id, batches.BatchCompleted)
}
