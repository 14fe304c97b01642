package sending_test

import (
	"testing"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/mail/mailtest"
	"enlist/internal/recipients"
)

// While the operator holds all mails, neither a Batch nor a job sends one. After the release all mails are sent.
//
// covers: spec batch.hold, decision 63
func TestHeldMailsAreSentAfterTheRelease(t *testing.T) { dbtest.EachParallel(t, heldMailsAreSent) }

func heldMailsAreSent(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	p.must(p.service.Sending.HoldMails(t.Context(), "restored from the backup of Monday"))
	p.startSender()
	id := p.addBatch(5, batches.BatchRequest{})
	p.untilStatus(id, batches.BatchSending)
	p.must(p.service.Sending.HoldMails(t.Context(), "restored from the backup of Sunday"))
	if hold, err := p.service.Sending.Held(t.Context()); err != nil || hold == nil || hold.Reason != "restored from the backup of Sunday" {
		t.Errorf("the hold is %+v, %v; want the last reason", hold, err)
	}
	b, err := p.service.Batches.Batch(t.Context(), p.caller, id)
	p.must(err)
	if n := len(p.server.Messages()); n > 0 || b.Sent > 0 {
		t.Errorf("%d mails arrived and %d are sent, want none while mails are held", n, b.Sent)
	}
	for _, want := range []bool{true, false} {
		released, err := p.service.Sending.ReleaseMails(t.Context())
		if err != nil || released != want {
			t.Errorf("released is %t, %v; want %t", released, err, want)
		}
	}
	p.prepare(id)
	p.untilStatus(id, batches.BatchCompleted)
}

// A hold takes effect in the middle of a Batch.
//
// covers: spec batch.hold
func TestHoldStopsARunningBatch(t *testing.T) { dbtest.EachParallel(t, holdStopsABatch) }

func holdStopsABatch(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	p.server.Script(mailtest.Always(mailtest.Rcpt, mailtest.Wait(50*time.Millisecond)))
	p.startSender()
	const n = 200
	id := p.addBatch(n, batches.BatchRequest{})
	p.waitForMessages(5)
	p.must(p.service.Sending.HoldMails(t.Context(), ""))
	p.untilIdle(id)
	if b, _ := p.service.Batches.Batch(t.Context(), p.caller, id); b.Sent == n || b.Status != batches.BatchSending {
		t.Errorf("the Batch is %s with %d mails sent, want it sending and not complete", b.Status, b.Sent)
	}
	p.server.Script(nil)
	_, err := p.service.Sending.ReleaseMails(t.Context())
	p.must(err)
	p.prepare(id)
	p.untilStatus(id, batches.BatchCompleted)
	if got := len(p.server.Messages()); got != n {
		t.Errorf("%d mails arrived, want %d", got, n)
	}
}

// untilIdle waits until no recipient of a Batch is being sent.
func (p *mailedList) untilIdle(id enlist.BatchID) {
	p.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for busy := true; busy; <-look.C {
		p.must(p.store.View(p.Context(), func(tx *db.Tx) error {
			slice := recipients.Slice{Batch: id, Number: 1, List: p.list, First: 1, Last: 1 << 40}
			all, err := slice.Due(tx, time.Now().Unix())
			busy = false
			for i := range all {
				busy = busy || all[i].Status == recipients.StatusSending
			}
			return err
		}))
	}
}
