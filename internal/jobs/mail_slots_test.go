package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/jobs"
	"enlist/internal/store/teststores"

	"github.com/riverqueue/river"
)

// The test in this file counts how many mails are in memory at once.

// countingMailer is a Mailer that counts how many mails are being sent at once. It sends no
// mail before want mails have arrived.
type countingMailer struct {
	now, most, sent atomic.Int64
	full            chan struct{}
	want            int64
}

func (h *countingMailer) Notify(context.Context, string, *audience.Notification) error {
	n := h.now.Add(1)
	defer h.now.Add(-1)
	for most := h.most.Load(); n > most && !h.most.CompareAndSwap(most, n); most = h.most.Load() {
	}
	if n == h.want && h.sent.Load() == 0 {
		close(h.full)
	}
	<-h.full
	h.sent.Add(1)
	return nil
}

func (h *countingMailer) Send(context.Context, *audience.OutgoingMail) (string, error) {
	return "", nil
}

// Many mails wait, but only a few have their contents in memory.
//
// covers: decision 50
func TestMailsInMemoryAreLimited(t *testing.T) { teststores.EachParallel(t, mailsInMemoryAreLimited) }

func mailsInMemoryAreLimited(t *testing.T, e teststores.Engine) {
	p := newListWithMailServer(t, e, detail("on_register_address", "owner@example.com"))
	const contacts = 40
	for i := range contacts {
		p.subscribe(fmt.Sprintf("c%d@example.com", i))
	}
	mailer := &countingMailer{full: make(chan struct{}), want: 3}
	config := jobs.Config(jobs.Options{Service: p.service, Store: p.store, Mailer: mailer, Mails: 3, Log: slog.New(slog.DiscardHandler)})
	config.TestOnly = true
	client := p.client(config)
	done, cancel := client.Subscribe(river.EventKindJobCompleted)
	defer cancel()
	p.must(client.Start(t.Context()))
	defer client.StopAndCancel(context.Background())
	late := time.After(time.Minute)
	for range contacts {
		select {
		case <-done:
		case <-late:
			t.Fatalf("%d of %d were sent", mailer.sent.Load(), contacts)
		}
	}
	if most := mailer.most.Load(); most != 3 {
		t.Errorf("%d mails at once, want 3", most)
	}
}
