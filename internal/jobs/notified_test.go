package jobs_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"
	"enlist/internal/jobs"
	"enlist/internal/messages"
)

// The test in this file runs jobs with workers that never poll.

// failingOnce is a Mailer that cannot send its first mail.
type failingOnce struct {
	calls atomic.Int64
}

func (f *failingOnce) Notify(context.Context, string, *messages.Notification) error {
	if f.calls.Add(1) == 1 {
		return &messages.Undelivered{Err: errors.New("temporary failure")}
	}
	return nil
}

func (*failingOnce) Send(context.Context, *messages.OutgoingMail) (string, error) { return "", nil }

// New jobs, jobs that are tried again, and jobs that another process stores start without a poll.
func TestWorkersNeedNoPollToFindJobs(t *testing.T) {
	dbtest.EachParallel(t, workersNeedNoPollToFindJobs)
}

func workersNeedNoPollToFindJobs(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e, detail("on_register_address", "owner@example.com"))
	mailer := new(failingOnce)
	_, ended := p.start(jobs.Options{Mailer: mailer}, nil, jobqueue.Completed, jobqueue.Failed)
	p.subscribe("a@example.com")
	for _, want := range []jobqueue.Kind{jobqueue.Failed, jobqueue.Completed} {
		if got := p.next(ended); got.Kind != want {
			t.Fatalf("the job of the first mail ended with %s, want %s", got.Kind, want)
		}
	}
	other, err := dbtest.Open(t.Context(), p.store.Address(), 0)
	p.must(err)
	defer other.Close()
	_, err = app.New(other, time.Now).Contacts.Subscribe(t.Context(), p.caller,
		contacts.SubscribeRequest{List: p.list, Details: []enlist.Detail{detail("Email", "b@example.com")}})
	p.must(err)
	if got := p.next(ended); got.Kind != jobqueue.Completed || mailer.calls.Load() != 3 {
		t.Errorf("after the mail of another process, the job ended with %s and %d mails were tried, want it completed and 3", got.Kind, mailer.calls.Load())
	}
}
