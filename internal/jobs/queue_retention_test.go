package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/jobs"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// The test in this file lets the queue library delete old jobs.

// The queue library deletes old jobs, but not the job of a mail that failed in all attempts. The
// test also has a cancelled job. When the library has deleted the cancelled job, the test knows
// that the deletion has run.
//
// covers: decision 50
func TestJobThatFailedInAllAttemptsIsKept(t *testing.T) {
	dbtest.EachParallel(t, jobThatFailedInAllAttemptsIsKept)
}

func jobThatFailedInAllAttemptsIsKept(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e)
	config := func(keep time.Duration) *river.Config {
		c := jobs.Config(jobs.Options{Service: p.service, Store: p.store, Mailer: refusingMailer{}, Log: slog.New(slog.DiscardHandler)})
		c.CancelledJobRetentionPeriod = keep
		c.TestOnly = true // with it, the library deletes old jobs when it starts
		return c
	}
	client := p.client(config(time.Hour))
	failed, cancel := client.Subscribe(river.EventKindJobFailed)
	about := events.Notify{List: p.list, Contact: 1, Event: enlist.EventSubscribe, Address: "owner@example.com"}
	lost, err := client.Insert(t.Context(), about, &river.InsertOpts{Queue: about.Kind(), MaxAttempts: 1})
	p.must(err)
	mark, err := client.Insert(t.Context(), about, &river.InsertOpts{Queue: "without_worker"})
	p.must(err)
	_, err = client.JobCancel(t.Context(), mark.Job.ID)
	p.must(err)
	p.must(client.Start(t.Context()))
	p.next(failed)
	cancel()
	p.must(client.Stop(context.Background()))

	client = p.client(config(time.Millisecond))
	p.must(client.Start(t.Context()))
	defer client.StopAndCancel(context.Background())
	p.untilGone(client, mark.Job.ID)
	if kept, err := client.JobGet(t.Context(), lost.Job.ID); err != nil || kept.State != rivertype.JobStateDiscarded {
		t.Errorf("the job that failed in all attempts is %v, %v, want it in the state discarded", kept, err)
	}
}

// untilGone waits until the queue library has deleted a job.
func (p *listWithMailServer) untilGone(client interface {
	JobGet(context.Context, int64) (*rivertype.JobRow, error)
}, id int64) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		_, err := client.JobGet(ctx, id)
		if errors.Is(err, rivertype.ErrNotFound) {
			return
		}
		p.must(err)
		<-look.C
	}
}
