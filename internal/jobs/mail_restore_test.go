package jobs_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/batches"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/jobs"
	"enlist/internal/mail/mailtest"
	"enlist/internal/sending"
	"enlist/internal/webhooks/post"
)

// After a restore neither mails nor webhooks leave the server. A release sends what was caused after the restore, and
// what was due before it only if the operator wants that.
//
// covers: spec batch.hold, decision 85
func TestReleaseAfterARestoreSendsOrDiscards(t *testing.T) {
	dbtest.EachParallel(t, releaseAfterRestore)
}

func releaseAfterRestore(t *testing.T, e dbtest.Engine) {
	for _, name := range []string{"discard", "send"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // a mail that the hold kept back is tried again after five seconds
			testRelease(t, e, name == "discard")
		})
	}
}

func testRelease(t *testing.T, e dbtest.Engine, discard bool) {
	p := newListWithMailServer(t, e, detail("on_register_address", "owner@example.com"))
	r := newReceiver(t, func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusOK) })
	p.addWebhooks(r)
	p.autoresponder("Welcome", detail("event_type", "subscribe"))
	later := batches.BatchRequest{SendTime: time.Now().Add(time.Hour).Unix()}
	scheduled := p.addBatch(0, later)
	batch := p.addBatch(1, batches.BatchRequest{}) // also subscribes a0@example.com
	p.must(p.service.Sending.HoldRestored(t.Context(), time.Now().Add(-time.Hour)))
	hold, err := p.service.Sending.Held(t.Context())
	p.must(err)
	p.untilSecond(hold.Time + 1)
	p.subscribe("after@example.com")
	poster := post.New(post.Options{Private: true, Version: "test"})
	t.Cleanup(poster.Close)
	p.poster = poster
	p.startBatches()
	p.untilStatus(batch, batches.BatchSending)
	p.must(p.service.Sending.HoldMails(t.Context(), "another reason")) // must not turn the hold into one that sends webhooks
	_, work, err := p.service.Sending.HeldWork(t.Context())
	p.must(err)
	want := []sending.HeldWork{{Kind: "autorespond", Count: 2, Before: 1}, {Kind: "notify", Count: 2, Before: 1},
		{Kind: "batch", Count: 2, Before: 2}, {Kind: "webhook_event", Count: 4, Before: 2}}
	for i := range work {
		if work[i].Oldest == 0 {
			t.Errorf("the oldest %s has no time", work[i].Kind)
		}
		work[i].Oldest = 0
	}
	if e.Name == "sqlite" && !slices.Equal(work, want) || len(work) != len(want) {
		t.Errorf("held are %+v, want %+v", work, want)
	}
	if n := len(p.server.Messages()); n > 0 || r.has() > 0 {
		t.Errorf("%d mails and %d events left the server while it was held", n, r.count)
	}
	messages, posted := 6, 4 // two autoresponders, two notifications, two mails of the Batch
	if discard {
		messages, posted = 2, 2
		p.discard()
	}
	if released, err := p.service.Sending.ReleaseMails(t.Context()); err != nil || !released {
		t.Fatal(released, err)
	}
	r.until(t, posted)
	for _, m := range p.waitForMessages(messages) {
		if discard && !isAbout(m, "after@example.com") {
			t.Errorf("a mail that was due before the restore was sent: %s", m.Data)
		}
	}
	p.untilStatus(scheduled, batches.BatchPending)
	end := batches.BatchCompleted
	if discard {
		end = batches.BatchCancelled
	}
	p.untilStatus(batch, end)
	if n := len(p.server.Messages()); n != messages {
		t.Errorf("%d mails arrived, want %d", n, messages)
	}
}

// isAbout reports whether a mail was sent to an address or is about it.
func isAbout(m mailtest.Message, address string) bool {
	return slices.Contains(m.To, address) || strings.Contains(string(m.Data), address)
}

// discard discards what was due before the restore, as enlist release does.
func (p *listWithMailServer) discard() {
	p.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for running := int64(1); running > 0; <-look.C {
		var err error
		running, err = p.service.Sending.DiscardHeld(p.Context())
		p.must(err)
	}
}

// untilSecond waits for a Unix time.
func (p *listWithMailServer) untilSecond(at int64) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for time.Now().Unix() < at {
		<-look.C
	}
}

// Nothing can be discarded without a restore.
//
// covers: decision 85
func TestDiscardNeedsARestore(t *testing.T) {
	p := newStoreWithList(t, dbtest.SQLite)
	p.must(p.service.Sending.HoldMails(t.Context(), ""))
	p.enqueue(events.Notify{List: p.list, Contact: 1, Address: "owner@example.com"})
	if _, err := p.service.Sending.DiscardHeld(t.Context()); enlist.KindOf(err) != enlist.InvalidParameters {
		t.Errorf("DiscardHeld returns %v, want a refusal", err)
	}
	queued, err := jobs.List(t.Context(), p.client(&jobqueue.Config{}), jobs.Filter{})
	if err != nil || len(queued) != 1 {
		t.Errorf("%d jobs are queued, error %v; want 1", len(queued), err)
	}
}
