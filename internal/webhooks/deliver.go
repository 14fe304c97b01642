package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	mathrand "math/rand/v2"
	"strings"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file decides which events are posted, and when. A job of a Sender reserves a target
// with TakeWebhookEvents, posts the batch, and then calls WebhookDelivered, WebhookFailed or
// ReleaseWebhook. The lease in the target's row ensures that only one job posts at a time, so
// events arrive in order. decisions.md: 52

// WebhookBatch is the content of one POST request: the oldest events that wait for a target.
// The job that has the batch also has the target's lease.
type WebhookBatch struct {
	ID     string // the same for every attempt with these events
	URL    string
	Secret string
	Events []enlist.WebhookEvent // in order of ID; at least one

	target enlist.WebhookTargetID
	holder int64 // ID of the job
}

// ErrWebhookGone is the cause of a failure after which the server makes no further attempt.
var ErrWebhookGone = errors.New("status 410: the receiver wants no more events")

const (
	maxBatchEvents = 100 // largest number of events in one POST request

	// webhookLease is how long a target is reserved, in seconds. It is longer than a POST
	// request can take. If a process dies, the queue runs its job again, and this job has the lease.
	webhookLease = 60

	maxWebhookError = 255 // largest number of bytes of an error that are stored
)

// webhookDelays are the seconds between attempts. The last attempt is over 7 hours after the
// first. If the last attempt fails, the server makes no further attempt.
var webhookDelays = [...]int64{10, 60, 5 * 60, 30 * 60, 2 * 60 * 60, 5 * 60 * 60}

// webhookDelay returns how long to wait after a number of failures in a row, in seconds. It adds
// a random time of at most a tenth, so that targets that failed at the same time are not
// retried at the same time.
func webhookDelay(failures int64) int64 {
	delay := webhookDelays[failures-1]
	return delay + mathrand.Int64N(delay/10+1)
}

// maxWebhookDelay is more than the longest delay, in seconds. If NextTime is later than that,
// the clock was set back after NextTime was stored, and NextTime is ignored.
const maxWebhookDelay = 6 * 60 * 60

// TakeWebhookEvents reserves a target for a job and returns the batch to post. If wait is more
// than 0, the same job must call again after that time. If the batch is nil and wait is 0, the
// job is done: no event waits, another job posts or will post the events, or webhooks are held after a
// restore. The release of the hold enqueues new jobs.
func (s *Service) TakeWebhookEvents(ctx context.Context, target enlist.WebhookTargetID,
	holder int64) (b *WebhookBatch, wait time.Duration, err error) {
	id, now := newBatchID(), s.db.Now().Unix()
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		b, wait = nil, 0
		t, err := events.LoadWebhookTarget(tx, target)
		if err != nil {
			return enlist.IgnoreKind(enlist.NotFound, err)
		}
		if t.ScheduledTime > 0 {
			t.ScheduledTime = 0 // this job no longer waits, so the next event must enqueue another job
			if err := t.Save(tx); err != nil {
				return err
			}
		}
		if stopped, err := s.stops(tx); err != nil || stopped {
			return err
		}
		switch {
		case t.IsFailing && t.IsOrphaned:
			return dropOrphan(tx, target)
		case t.Holder != holder && isWithin(t.LeaseTime, now, webhookLease):
			return nil
		case isWithin(t.NextTime, now, maxWebhookDelay):
			if t.Holder == holder {
				wait = time.Duration(t.NextTime-now) * time.Second
			}
			return nil
		}
		b, err = reserve(tx, t, holder, now, id)
		if b == nil && err == nil && t.IsOrphaned {
			err = events.DropWebhookTarget(tx, target)
		}
		return err
	})
	return b, wait, err
}

// isWithin reports whether the time at is later than now, by at most limit seconds.
func isWithin(at, now, limit int64) bool { return at > now && at <= now+limit }

// newBatchID returns a random ID for a batch. No other batch has the same ID.
func newBatchID() string {
	var b [16]byte
	rand.Read(b[:]) // crypto/rand never returns an error
	return "msg_" + hex.EncodeToString(b[:])
}

// reserve gives the holder the lease of a target and returns the batch to post. If events of the last
// attempt still wait, it returns their batch again, else a batch of the oldest events. If no
// event waits, it returns nil and stores nothing.
func reserve(tx *db.Tx, t *events.WebhookTarget, holder, now int64, id string) (*WebhookBatch, error) {
	var waiting []enlist.WebhookEvent
	var err error
	if t.BatchUpto > 0 {
		waiting, err = events.WebhookEvents(tx, t.ID, t.BatchUpto, maxBatchEvents)
	}
	if err == nil && len(waiting) == 0 {
		t.Batch, t.BatchUpto = id, 0
		waiting, err = events.WebhookEvents(tx, t.ID, 0, maxBatchEvents)
	}
	if err != nil {
		return nil, err
	}
	if len(waiting) == 0 {
		t.LeaseTime, t.Batch = 0, ""
		return nil, nil
	}
	t.LeaseTime, t.Holder, t.BatchUpto = now+webhookLease, holder, waiting[len(waiting)-1].ID
	b := &WebhookBatch{ID: t.Batch, URL: t.URL, Secret: t.Secret, Events: waiting, target: t.ID, holder: holder}
	return b, t.Save(tx)
}

// WebhookDelivered deletes the events of a batch that the receiver accepted. It returns the
// next batch, or nil if no event waits. If stop is true, it returns nil, releases the lease and
// enqueues a job for the remaining events.
func (s *Service) WebhookDelivered(ctx context.Context, b *WebhookBatch, stop bool) (*WebhookBatch, error) {
	id := newBatchID()
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*WebhookBatch, error) {
		if err := events.RemoveWebhookEvents(tx, b.target, b.Events); err != nil {
			return nil, err
		}
		t, err := b.leased(tx)
		if err != nil || t == nil {
			return nil, err
		}
		t.Failures, t.NextTime, t.LastError, t.Batch, t.BatchUpto = 0, 0, "", "", 0
		if t.IsFailing {
			if err := events.SetWebhookFailing(tx, t.ID, false); err != nil {
				return nil, err
			}
		}
		if stop {
			return nil, t.Release(tx, true)
		}
		next, err := reserve(tx, t, b.holder, now, id)
		if next != nil || err != nil {
			return next, err
		}
		return nil, t.Release(tx, false)
	})
}

// leased returns the batch's target, or nil if another job has taken over the lease or the
// target is gone.
func (b *WebhookBatch) leased(tx *db.Tx) (*events.WebhookTarget, error) {
	t, err := events.LoadWebhookTarget(tx, b.target)
	if err != nil || t.Holder != b.holder {
		return nil, enlist.IgnoreKind(enlist.NotFound, err)
	}
	return t, nil
}

// WebhookFailed stores that the receiver did not accept a batch. The events are kept. It returns
// how long the job must wait before the next attempt, or 0 if there will be no further attempt.
func (s *Service) WebhookFailed(ctx context.Context, b *WebhookBatch, cause error) (wait time.Duration, err error) {
	text := cause.Error()
	text = strings.ToValidUTF8(text[:min(len(text), maxWebhookError)], "")
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (wait time.Duration, err error) {
		t, err := b.leased(tx)
		if err != nil || t == nil {
			return 0, err
		}
		t.LeaseTime, t.LastError = 0, text
		t.Failures++
		if t.IsFailing || t.Failures > int64(len(webhookDelays)) || errors.Is(cause, ErrWebhookGone) {
			return 0, t.GiveUp(tx)
		}
		delay := webhookDelay(t.Failures)
		t.NextTime = now + delay
		return time.Duration(delay) * time.Second, t.Save(tx)
	})
}

// RetryWebhookNow ends the wait of a target after a failure: the next job posts at once. It
// does not change the number of failures.
func (s *Service) RetryWebhookNow(ctx context.Context, target enlist.WebhookTargetID) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		t, err := events.LoadWebhookTarget(tx, target)
		if err != nil || t.NextTime == 0 {
			return enlist.IgnoreKind(enlist.NotFound, err)
		}
		t.NextTime = 0
		return t.Save(tx)
	})
}

// ReleaseWebhook ends the lease without a result: the POST request was not sent, or the process
// stopped during the request. The batch is tried again later.
func (s *Service) ReleaseWebhook(ctx context.Context, b *WebhookBatch) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		t, err := b.leased(tx)
		if err != nil || t == nil {
			return err
		}
		t.LeaseTime = 0
		return t.Save(tx)
	})
}

// dropOrphan deletes the events of a failing target in batches, and then the target. The
// webhooks of the target were deleted with their Lists, so no call can resume the target.
func dropOrphan(tx *db.Tx, target enlist.WebhookTargetID) error {
	removed, err := events.DeleteWebhookEvents(tx, target, 0, eventBatch)
	if err != nil {
		return err
	}
	if removed == eventBatch {
		return tx.Enqueue(events.DeliverWebhook{Target: target})
	}
	return events.DropWebhookTarget(tx, target)
}

// DropOrphans enqueues jobs that drop failing targets whose last webhook was deleted with its
// List.
func DropOrphans(tx *db.Tx) error {
	targets, err := events.OrphanedWebhookTargets(tx)
	if err != nil {
		return err
	}
	for _, target := range targets {
		if err := tx.Enqueue(events.DeliverWebhook{Target: target}); err != nil {
			return err
		}
	}
	return nil
}
