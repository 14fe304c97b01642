package jobs

import (
	"context"
	"sync"
	"time"

	"enlist/internal/app"
	"enlist/internal/events"
	"enlist/internal/webhooks"

	"github.com/riverqueue/river"
)

// This file has the worker that posts events to webhooks. Package webhook sends the HTTP request.

// Poster posts a batch of events to the URL of a webhook. The error webhooks.ErrWebhookGone means
// that no further attempt can succeed. The API shows the text of an error to every caller that is
// allowed to read the webhook.
type Poster interface {
	Post(ctx context.Context, b *webhooks.WebhookBatch) error
}

// deliverWebhook posts the waiting events of a webhook target.
//
// The events are rows of another table. A job contains the ID of the target, and no events. A job
// ends at once if another job has the lease of the target. No event is lost, because a job looks
// for more events before it releases the lease. If the process of a job dies, the queue retries the
// job. decisions.md: 52
type deliverWebhook struct {
	river.WorkerDefaults[events.DeliverWebhook]
	service *app.App
	poster  Poster
	places  *webhookPlaces
	next    sync.Map // maps the ID of a job to the time.Time of its next attempt
}

// Work implements river.Worker. It posts one batch after another until no event waits, a POST
// fails or is slow, runTime has passed, or the process stops.
func (w *deliverWebhook) Work(ctx context.Context, job *river.Job[events.DeliverWebhook]) error {
	leave, ok := w.places.enter(job.Args)
	if !ok {
		return river.JobSnooze(noPlaceSnooze(job.Metadata))
	}
	defer leave()
	b, wait, err := w.service.Webhooks.TakeWebhookEvents(ctx, job.Args.Target, job.ID)
	if wait > 0 && err == nil {
		return river.JobSnooze(wait)
	}
	for end := time.Now().Add(runTime); b != nil && err == nil; {
		start := time.Now()
		failed := w.poster.Post(ctx, b)
		slow := w.places.took(job.Args.Target, time.Since(start))
		if failed != nil {
			return w.recordFailure(ctx, job.ID, b, failed)
		}
		stop := slow || ctx.Err() != nil || time.Now().After(end)
		b, err = w.service.Webhooks.WebhookDelivered(context.WithoutCancel(ctx), b, stop)
	}
	return err
}

// recordFailure stores that a POST failed. If the POST failed because this process stops,
// recordFailure only releases the lease of the target, and the job goes back to the queue.
func (w *deliverWebhook) recordFailure(ctx context.Context, job int64, b *webhooks.WebhookBatch, cause error) error {
	storeCtx := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		if err := w.service.Webhooks.ReleaseWebhook(storeCtx, b); err != nil {
			return err
		}
		return river.JobSnooze(0)
	}
	wait, err := w.service.Webhooks.WebhookFailed(storeCtx, b, cause)
	switch {
	case err != nil:
		return err
	case wait == 0: // the server makes no further attempt for this target
		return river.JobCancel(cause)
	}
	w.next.Store(job, time.Now().Add(wait))
	return cause
}

// NextRetry implements river.Worker. After a failed POST it returns the time that recordFailure has
// chosen. After another failure, such as an error of the database, the job is retried within seconds.
func (w *deliverWebhook) NextRetry(job *river.Job[events.DeliverWebhook]) time.Time {
	if at, ok := w.next.LoadAndDelete(job.ID); ok {
		return at.(time.Time)
	}
	return time.Now().Add(time.Duration(job.Attempt) * time.Second)
}
