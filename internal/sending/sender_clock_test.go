package sending_test

import (
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/sending"
)

// The clock of a machine is set forward by more than a lease, as after a sleep of the machine. The process does not
// take its own slice once more, so no mail is sent twice.
//
// covers: decision 59
func TestClockThatJumpsRepeatsNoMail(t *testing.T) {
	dbtest.EachParallel(t, clockThatJumpsRepeatsNoMail)
}

func clockThatJumpsRepeatsNoMail(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	var jump atomic.Int64
	p.now = func() time.Time { return time.Now().Add(time.Duration(jump.Load())) }
	p.service = app.New(p.store, p.now)
	arrived, free := p.holdMails()
	p.startSender()
	const n = 20
	id := p.addBatch(n, batches.BatchRequest{})
	for range 2 { // workers, which have marked all recipients
		<-arrived
	}
	until := func(query string, isReached func(n int64) bool) {
		for n := int64(-1); !isReached(n); {
			p.must(p.store.View(t.Context(), func(tx *db.Tx) (err error) {
				n, err = tx.Number(query+" AND batch_id = ?", int64(p.list), int64(id))
				return err
			}))
		}
	}
	var lease int64
	// The mails also outlast the pause of the slice. The process has noted a renewal when it begins the next one.
	for _, by := range []time.Duration{sending.SliceLease + 1, sending.SliceLease + 1, 30} {
		jump.Add(int64(by * time.Second))
		p.sender.Wake()
		until("SELECT lease_time FROM batch_slice WHERE list_id = ?", func(at int64) bool {
			renewed := at > p.now().Unix() && at > lease
			lease = max(lease, at)
			return renewed
		})
	}
	close(free)
	until("SELECT count(*) FROM recipient WHERE status = 'sending' AND list_id = ?", func(n int64) bool { return n == 0 })
	jump.Add(int64(time.Minute))
	p.sender.Wake()
	b := p.untilStatus(id, batches.BatchCompleted)
	if got := len(p.server.Messages()); got != n || b.Repeated != 0 {
		t.Errorf("%d mails arrived, and %d are repeated, want %d and none", got, b.Repeated, n)
	}
}
