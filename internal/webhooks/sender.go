package webhooks

import (
	"context"
	"time"

	"enlist/internal/db"
	"enlist/internal/events"
)

// This file posts events to webhooks. Package post sends the HTTP request.

// Poster posts a batch of events to the URL of a webhook. The error ErrWebhookGone means
// that no further attempt can succeed. The API shows the text of an error to every caller that is
// allowed to read the webhook.
type Poster interface {
	Post(ctx context.Context, b *WebhookBatch) error
}

// Sender posts the waiting events of webhook targets.
//
// The events are rows of another table. A job contains the ID of the target, and no events. A job
// ends at once if another job has the lease of the target. No event is lost, because a job looks
// for more events before it releases the lease. If the process of a job dies, the queue retries the
// job. decisions.md: 52
type Sender struct {
	service *Service
	poster  Poster
	slots   *slots
}

// NewSender returns a Sender.
func (s *Service) NewSender(p Poster) *Sender {
	return &Sender{service: s, poster: p, slots: newSlots()}
}

// sendTime is the time after which a job ends, so that the next job can run.
const sendTime = 20 * time.Second

// Deliver does the work of a job. It posts one batch after another until no event waits, a POST
// fails or is slow, sendTime has passed, or the process stops. After an error of the database, the next attempt begins
// within seconds.
func (w *Sender) Deliver(ctx context.Context, j db.Job, e events.DeliverWebhook) error {
	leave, ok := w.slots.enter(e)
	if !ok {
		return db.LaterWithoutSlot(j)
	}
	defer leave()
	b, wait, err := w.service.TakeWebhookEvents(ctx, e.Target, j.ID)
	if wait > 0 && err == nil {
		return db.Later(wait)
	}
	for end := time.Now().Add(sendTime); b != nil && err == nil; {
		start := time.Now()
		failed := w.poster.Post(ctx, b)
		slow := w.slots.took(e.Target, time.Since(start))
		if failed != nil {
			return w.recordFailure(ctx, j, b, failed)
		}
		stop := slow || ctx.Err() != nil || time.Now().After(end)
		b, err = w.service.WebhookDelivered(context.WithoutCancel(ctx), b, stop)
	}
	return soon(j, err)
}

// soon makes the next attempt begin within seconds after an error of the database.
func soon(j db.Job, err error) error {
	if err == nil {
		return nil
	}
	return &db.Retry{Err: err, After: time.Duration(j.Attempt) * time.Second}
}

// recordFailure stores that a POST failed, and chooses the time of the next attempt. If the POST failed because this
// process stops, recordFailure only releases the lease of the target, and the job goes back to the queue.
func (w *Sender) recordFailure(ctx context.Context, j db.Job, b *WebhookBatch, cause error) error {
	storeCtx := context.WithoutCancel(ctx)
	if ctx.Err() != nil {
		if err := w.service.ReleaseWebhook(storeCtx, b); err != nil {
			return soon(j, err)
		}
		return db.Later(0)
	}
	wait, err := w.service.WebhookFailed(storeCtx, b, cause)
	switch {
	case err != nil:
		return soon(j, err)
	case wait == 0: // the server makes no further attempt for this target
		return &db.Final{Err: cause}
	}
	return &db.Retry{Err: cause, After: wait}
}
