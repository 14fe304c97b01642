package sending_test

import (
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
	"enlist/internal/pace"
)

// A Batch that begins while the calendar is closed is sent when the calendar opens. On this night, clocks in Berlin are
// put forward from 2:00 to 3:00, so the calendar opens at 3:00.
//
// covers: spec batch.calendar, decision 63
func TestBatchWaitsForTheCalendar(t *testing.T) { dbtest.EachParallel(t, batchWaitsForTheCalendar) }

func batchWaitsForTheCalendar(t *testing.T, e dbtest.Engine) {
	p := newMailedList(t, e)
	opens := time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)
	var now, looks atomic.Int64
	now.Store(opens.Unix() - 1)
	p.service = app.New(p.store, func() time.Time {
		looks.Add(1)
		return time.Unix(now.Load(), 0)
	})
	calendar, err := pace.ParseCalendar("sun 2:30-3:30 Europe/Berlin")
	p.must(err)
	p.service.SetSending(pace.Settings{Relay: "test", From: "news@example.com", Calendar: calendar})
	p.server.Script(func(mailtest.Step) mailtest.Action {
		if now.Load() < opens.Unix() {
			t.Error("a mail server was called while the calendar was closed")
		}
		return mailtest.Action{}
	})
	p.startSender()
	id := p.addBatch(5, batches.BatchRequest{})
	p.untilStatus(id, batches.BatchSending)
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for until := looks.Load() + 10; looks.Load() < until; <-look.C { // the sender looks at the clock, and sends nothing
	}
	now.Store(opens.Unix())
	if b := p.untilStatus(id, batches.BatchCompleted); b.Sent != 5 {
		t.Errorf("%d mails were sent, want 5", b.Sent)
	}
}
