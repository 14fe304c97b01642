package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"enlist/internal/db/dbtest"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/jobs"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// The test in this file lets the queue delete old jobs.

// The queue deletes old jobs, but not the job of a mail that failed in all attempts. The
// test also has a cancelled job. When the queue has deleted the cancelled job, the test knows
// that the deletion has run.
//
// covers: decision 50
func TestJobThatFailedInAllAttemptsIsKept(t *testing.T) {
	dbtest.EachParallel(t, jobThatFailedInAllAttemptsIsKept)
}

func jobThatFailedInAllAttemptsIsKept(t *testing.T, e dbtest.Engine) {
	p := newListWithMailServer(t, e)
	config := func(keep time.Duration) *jobqueue.Config {
		c := jobs.Config(jobs.Options{Service: p.service, Store: p.store, Mailer: refusingMailer{}, Log: slog.New(slog.DiscardHandler)})
		c.KeepCancelled = keep
		return c
	}
	long := config(time.Hour)
	failed := resultsOf(long, jobqueue.Failed)
	client := p.client(long)
	queue := client.Library.(library)
	about := events.Notify{List: p.list, Contact: 1, Event: enlist.EventSubscribe, Address: "owner@example.com"}
	lost, err := queue.Insert(t.Context(), about, &river.InsertOpts{Queue: about.Kind(), MaxAttempts: 1})
	p.must(err)
	mark, err := queue.Insert(t.Context(), about, &river.InsertOpts{Queue: "without_worker"})
	p.must(err)
	_, err = queue.JobCancel(t.Context(), mark.Job.ID)
	p.must(err)
	client.Start(t.Context())
	p.next(failed)
	p.must(client.Stop(context.Background()))

	client = p.client(config(time.Millisecond))
	client.Start(t.Context())
	defer client.StopAndCancel(context.Background())
	p.untilGone(queue, mark.Job.ID)
	if kept, err := queue.JobGet(t.Context(), lost.Job.ID); err != nil || kept.State != rivertype.JobStateDiscarded {
		t.Errorf("the job that failed in all attempts is %v, %v, want it in the state discarded", kept, err)
	}
}

// untilGone waits until the queue has deleted a job.
func (p *listWithMailServer) untilGone(queue library, id int64) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		_, err := queue.JobGet(ctx, id)
		if errors.Is(err, rivertype.ErrNotFound) {
			return
		}
		p.must(err)
		<-look.C
	}
}
