package jobs_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/jobs"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// The test in this file counts how many mails are in memory at the same time.

// countingMailer is a Mailer that counts how many calls of Notify run at the same time. A call
// waits until the number of running calls has reached the field want.
type countingMailer struct {
	now, most, sent atomic.Int64
	full            chan struct{}
	want            int64
}

func (h *countingMailer) Notify(context.Context, string, *messages.Notification) error {
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

func (h *countingMailer) Send(context.Context, *messages.OutgoingMail) (string, error) {
	return "", nil
}

// Many mails wait, but only a few of them are loaded into memory.
//
// covers: decision 50
func TestMailsInMemoryAreLimited(t *testing.T) { dbtest.EachParallel(t, mailsInMemoryAreLimited) }

func mailsInMemoryAreLimited(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e, detail("on_register_address", "owner@example.com"))
	const contacts = 40
	for i := range contacts {
		p.subscribe(fmt.Sprintf("c%d@example.com", i))
	}
	mailer := &countingMailer{full: make(chan struct{}), want: 3}
	_, done := p.start(jobs.Options{Mailer: mailer, Slots: sending.NewSlots(3)}, nil, jobqueue.Completed)
	for range contacts {
		p.next(done)
	}
	if most := mailer.most.Load(); most != 3 {
		t.Errorf("%d mails were sent at the same time, want 3", most)
	}
}
