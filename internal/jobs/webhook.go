package jobs

import (
	"context"
	"sync"
	"time"

	"enlist/internal/audience"

	"github.com/riverqueue/river"
)

// Poster posts a batch of events to its URL. An error that is
// audience.ErrWebhookGone says that trying again cannot help. What an error
// says is shown to whoever may see the webhook.
type Poster interface {
	Post(ctx context.Context, b *audience.WebhookBatch) error
}

// callWebhook posts what waits for a target of webhooks.
//
// A job stands for the wake-up only: the events are in a table of their own, and
// one that finds another job at them, or about to try them again, is done. None
// is lost that way: whoever is at them looks for more before it lets go of the
// target, and a job whose process dies is taken up again. decisions.md: 52
type callWebhook struct {
	river.WorkerDefaults[audience.DeliverWebhook]
	base
	poster Poster
	next   sync.Map // by job ID: the time of the next try
}

// Work implements river.Worker.
func (w *callWebhook) Work(ctx context.Context, job *river.Job[audience.DeliverWebhook]) error {
	b, wait, err := w.service.TakeWebhookEvents(ctx, job.Args.Target, job.ID)
	if wait > 0 && err == nil {
		return river.JobSnooze(wait)
	}
	for end := time.Now().Add(turn); b != nil && err == nil; {
		if err := w.poster.Post(ctx, b); err != nil {
			return w.failed(ctx, job.ID, b, err)
		}
		stop := ctx.Err() != nil || time.Now().After(end)
		b, err = w.service.WebhookDelivered(context.WithoutCancel(ctx), b, stop)
	}
	return err
}

// failed notes how a POST failed. One that this process broke off says nothing
// about the receiver: the job is put back.
func (w *callWebhook) failed(ctx context.Context, job int64, b *audience.WebhookBatch, cause error) error {
	outcome := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		if err := w.service.ReleaseWebhook(outcome, b); err != nil {
			return err
		}
		return river.JobSnooze(0)
	}
	wait, err := w.service.WebhookFailed(outcome, b, cause)
	switch {
	case err != nil:
		return err
	case wait == 0:
		return river.JobCancel(cause)
	}
	w.next.Store(job, time.Now().Add(wait))
	return cause
}

// NextRetry implements river.Worker. A job that is not tried again because of a
// receiver, but because its process died or the database could not be written
// to, is tried soon.
func (w *callWebhook) NextRetry(job *river.Job[audience.DeliverWebhook]) time.Time {
	if at, ok := w.next.LoadAndDelete(job.ID); ok {
		return at.(time.Time)
	}
	return time.Now().Add(time.Duration(job.Attempt) * time.Second)
}
