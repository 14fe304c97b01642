package jobs

import (
	"context"
	"sync"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// This file has the worker that posts events to webhooks. Package webhook sends the HTTP request.

// Poster posts a batch of events to its URL. The error audience.ErrWebhookGone means that no
// further attempt can succeed. Callers who may name the webhook see the error's text.
type Poster interface {
	Post(ctx context.Context, b *audience.WebhookBatch) error
}

// deliverWebhook posts the events that wait for a webhook target.
//
// The events are in a table of their own, and a job only starts the work on them. A job ends
// at once if another job has the target's lease. That loses no event: a job looks for more
// events before it releases the lease. A job whose process died is retried. decisions.md: 52
type deliverWebhook struct {
	river.WorkerDefaults[audience.DeliverWebhook]
	service *audience.Service
	poster  Poster
	next    sync.Map // by job ID: the time.Time of the next attempt
}

// Work implements river.Worker. It posts one batch after another until none waits, a POST
// fails, or runTime is over.
func (w *deliverWebhook) Work(ctx context.Context, job *river.Job[audience.DeliverWebhook]) error {
	b, wait, err := w.service.TakeWebhookEvents(ctx, job.Args.Target, job.ID)
	if wait > 0 && err == nil {
		return river.JobSnooze(wait)
	}
	for end := time.Now().Add(runTime); b != nil && err == nil; {
		if err := w.poster.Post(ctx, b); err != nil {
			return w.recordFailure(ctx, job.ID, b, err)
		}
		stop := ctx.Err() != nil || time.Now().After(end)
		b, err = w.service.WebhookDelivered(context.WithoutCancel(ctx), b, stop)
	}
	return err
}

// recordFailure stores that a POST failed. If this process interrupted it, that says nothing
// about the receiver, and the job goes back to the queue.
func (w *deliverWebhook) recordFailure(ctx context.Context, job int64, b *audience.WebhookBatch, cause error) error {
	storeCtx := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		if err := w.service.ReleaseWebhook(storeCtx, b); err != nil {
			return err
		}
		return river.JobSnooze(0)
	}
	wait, err := w.service.WebhookFailed(storeCtx, b, cause)
	switch {
	case err != nil:
		return err
	case wait == 0: // the server gives up on this target
		return river.JobCancel(cause)
	}
	w.next.Store(job, time.Now().Add(wait))
	return cause
}

// NextRetry implements river.Worker. recordFailure sets the time after a failed POST. A job
// that failed otherwise (its process died, the database refused a write) is retried soon.
func (w *deliverWebhook) NextRetry(job *river.Job[audience.DeliverWebhook]) time.Time {
	if at, ok := w.next.LoadAndDelete(job.ID); ok {
		return at.(time.Time)
	}
	return time.Now().Add(time.Duration(job.Attempt) * time.Second)
}
