package audience

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	mathrand "math/rand/v2"
	"strings"
	"time"
)

// WebhookBatch is what one POST carries: the oldest events that wait for a
// target. Whoever has one has the target to itself. decisions.md: 52
type WebhookBatch struct {
	ID     string // the same each time that these events are tried
	URL    string
	Secret string
	Events []WebhookEvent // in their order, at least one

	target WebhookTargetID
	holder int64
}

// ErrWebhookGone says that a receiver wants no more events, ever.
var ErrWebhookGone = errors.New("status 410: the receiver wants no more")

const (
	maxBatch = 100 // events of one POST

	// webhookLease is how long a target is reserved, in seconds: longer than a
	// POST can take, and shorter than until a job whose process died is taken up
	// again.
	webhookLease = 60

	maxWebhookError = 255 // bytes of an error that are kept
)

// webhookGaps are the seconds between tries; after the last one a target is
// given up on, over 7 hours after the first. decisions.md: 52
var webhookGaps = [...]int64{10, 60, 5 * 60, 30 * 60, 2 * 60 * 60, 5 * 60 * 60}

// webhookGap returns how long to wait after some failures in a row. Up to a
// tenth is added, so that not all that failed together come back together.
func webhookGap(failures int64) int64 {
	gap := webhookGaps[failures-1]
	return gap + mathrand.Int64N(gap/10+1)
}

// maxGap is the longest wait; a time further away was written by a clock that
// has been set back since.
const maxGap = 6 * 60 * 60

// TakeWebhookEvents reserves a target for a job and returns what to post there.
// nil: there is nothing to do, because nothing waits, or because another job is
// at it or will be. wait: it is this job that should come back, after so long.
func (s *Service) TakeWebhookEvents(ctx context.Context, target WebhookTargetID, holder int64) (b *WebhookBatch, wait time.Duration, err error) {
	id, now := newBatchID(), s.now().Unix()
	err = s.store.Update(ctx, func(tx Tx) error {
		b, wait = nil, 0
		t, err := tx.WebhookTarget(target)
		if err != nil {
			return ignoreKind(NotFound, err)
		}
		if t.CallTime > 0 {
			t.CallTime = 0 // this is what was waited for: the next event has one of its own
			if err := tx.UpdateWebhookTarget(t); err != nil {
				return err
			}
		}
		switch {
		case t.IsFailing && t.IsOrphaned:
			return dropOrphan(tx, target)
		case t.Holder != holder && within(t.LeaseTime, now, webhookLease):
			return nil
		case within(t.NextTime, now, maxGap):
			if t.Holder == holder {
				wait = time.Duration(t.NextTime-now) * time.Second
			}
			return nil
		}
		if b, err = t.reserve(tx, holder, now, id); b == nil && err == nil && t.IsOrphaned {
			err = tx.DropWebhookTarget(target)
		}
		return err
	})
	return b, wait, err
}

// within reports whether a time is ahead, by so many seconds at most.
func within(at, now, most int64) bool { return at > now && at <= now+most }

func newBatchID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand
	return "msg_" + hex.EncodeToString(b[:])
}

// reserve makes the oldest events the batch of the holder: those that were
// tried before, when there are such. Without any it stores nothing.
func (t *WebhookTarget) reserve(tx Tx, holder, now int64, id string) (*WebhookBatch, error) {
	var events []WebhookEvent
	var err error
	if t.BatchUpto > 0 {
		events, err = tx.WebhookEvents(t.ID, t.BatchUpto, maxBatch)
	}
	if err == nil && len(events) == 0 {
		t.Batch, t.BatchUpto = id, 0
		events, err = tx.WebhookEvents(t.ID, 0, maxBatch)
	}
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		t.LeaseTime, t.Batch = 0, ""
		return nil, nil
	}
	t.LeaseTime, t.Holder, t.BatchUpto = now+webhookLease, holder, events[len(events)-1].ID
	b := &WebhookBatch{ID: t.Batch, URL: t.URL, Secret: t.Secret, Events: events, target: t.ID, holder: holder}
	return b, tx.UpdateWebhookTarget(t)
}

// WebhookDelivered forgets the events of a batch that was accepted. It returns
// the next one, nil when nothing waits any more. To stop, say so: a job is
// stored for what is left then.
func (s *Service) WebhookDelivered(ctx context.Context, b *WebhookBatch, stop bool) (next *WebhookBatch, err error) {
	id, now := newBatchID(), s.now().Unix()
	err = s.store.Update(ctx, func(tx Tx) error {
		next = nil
		if err := tx.RemoveWebhookEvents(b.target, b.Events); err != nil {
			return err
		}
		t, err := b.held(tx)
		if err != nil || t == nil {
			return err
		}
		t.Failures, t.NextTime, t.LastError, t.Batch, t.BatchUpto = 0, 0, "", "", 0
		if t.IsFailing {
			if err := tx.SetWebhookFailing(t.ID, false); err != nil {
				return err
			}
		}
		if !stop {
			next, err = t.reserve(tx, b.holder, now, id)
		}
		if next != nil || err != nil {
			return err
		}
		t.LeaseTime = 0
		if err := tx.UpdateWebhookTarget(t); err != nil {
			return err
		}
		if stop {
			return tx.Enqueue(DeliverWebhook{t.ID})
		}
		if t.IsOrphaned {
			return tx.DropWebhookTarget(t.ID)
		}
		return nil
	})
	return next, err
}

// held returns the batch's target, nil when somebody else has it now.
func (b *WebhookBatch) held(tx Tx) (*WebhookTarget, error) {
	t, err := tx.WebhookTarget(b.target)
	if err != nil || t.Holder != b.holder {
		return nil, ignoreKind(NotFound, err)
	}
	return t, nil
}

// WebhookFailed notes that a batch was not accepted, and returns how long to
// wait before the next try; 0 when the target is given up on. Its events are kept.
func (s *Service) WebhookFailed(ctx context.Context, b *WebhookBatch, cause error) (wait time.Duration, err error) {
	now := s.now().Unix()
	err = s.store.Update(ctx, func(tx Tx) error {
		wait = 0
		t, err := b.held(tx)
		if err != nil || t == nil {
			return err
		}
		t.LeaseTime, t.LastError = 0, strings.ToValidUTF8(cause.Error()[:min(len(cause.Error()), maxWebhookError)], "")
		t.Failures++
		if t.IsFailing || t.Failures > int64(len(webhookGaps)) || errors.Is(cause, ErrWebhookGone) {
			return t.giveUp(tx)
		}
		gap := webhookGap(t.Failures)
		t.NextTime, wait = now+gap, time.Duration(gap)*time.Second
		return tx.UpdateWebhookTarget(t)
	})
	return wait, err
}

func (t *WebhookTarget) giveUp(tx Tx) error {
	t.NextTime = 0
	if err := tx.UpdateWebhookTarget(t); err != nil {
		return err
	}
	if !t.IsFailing {
		if err := tx.SetWebhookFailing(t.ID, true); err != nil {
			return err
		}
	}
	if t.IsOrphaned {
		return tx.Enqueue(DeliverWebhook{t.ID})
	}
	return nil
}

// RetryWebhookNow has a target called by the next job that looks, however long it
// was to wait after a failure. Its failures still count.
func (s *Service) RetryWebhookNow(ctx context.Context, target WebhookTargetID) error {
	return s.store.Update(ctx, func(tx Tx) error {
		t, err := tx.WebhookTarget(target)
		if err != nil || t.NextTime == 0 {
			return ignoreKind(NotFound, err)
		}
		t.NextTime = 0
		return tx.UpdateWebhookTarget(t)
	})
}

// ReleaseWebhook gives a target back that was not called, or not to the end.
func (s *Service) ReleaseWebhook(ctx context.Context, b *WebhookBatch) error {
	return s.store.Update(ctx, func(tx Tx) error {
		t, err := b.held(tx)
		if err != nil || t == nil {
			return err
		}
		t.LeaseTime = 0
		return tx.UpdateWebhookTarget(t)
	})
}

// forsake removes, in steps, what waits for a target that failed and that
// nobody can set going again, since its Lists were deleted.
func dropOrphan(tx Tx, target WebhookTargetID) error {
	removed, err := tx.DeleteWebhookEvents(target, 0, forgetStep)
	if err != nil {
		return err
	}
	if removed == forgetStep {
		return tx.Enqueue(DeliverWebhook{target})
	}
	return tx.DropWebhookTarget(target)
}

// dropOrphans has what waits for such targets removed, after a List was
// deleted with its webhooks.
func dropOrphans(tx Tx) error {
	targets, err := tx.OrphanedWebhookTargets()
	for i := 0; i < len(targets) && err == nil; i++ {
		err = tx.Enqueue(DeliverWebhook{targets[i]})
	}
	return err
}

// WebhookQueueTx reads and changes the targets of webhooks and the events that wait
// for them, in a transaction. In an Update, a target that was read stays as it is
// until the transaction ends.
type WebhookQueueTx interface {
	// WebhookTarget returns one target. Its error is of kind NotFound when there is none.
	WebhookTarget(id WebhookTargetID) (*WebhookTarget, error)
	// FindWebhookTarget sets Target to the target with the webhook's Account, URL and
	// Secret, and inserts one if there is none.
	FindWebhookTarget(w *Webhook) error
	// UpdateWebhookTarget stores how far the delivery is.
	UpdateWebhookTarget(t *WebhookTarget) error
	// MarkWebhookScheduled sets the time of the job that will call a target to now, in
	// Unix seconds. It returns false and changes nothing when that time is already
	// later than before.
	MarkWebhookScheduled(id WebhookTargetID, now, before int64) (marked bool, err error)
	// SetWebhookFailing sets or clears is_failing of a target.
	SetWebhookFailing(id WebhookTargetID, is bool) error
	// DropWebhookTarget removes a target unless a webhook or an event refers to it.
	DropWebhookTarget(id WebhookTargetID) error
	// OrphanedWebhookTargets returns the failing targets that no webhook has any more.
	OrphanedWebhookTargets() ([]WebhookTargetID, error)
	// AddWebhookEvent appends an event to those that wait for a target.
	AddWebhookEvent(e *WebhookEvent) error
	// WebhookEvents returns up to limit events of a target, the oldest first, with an
	// ID of at most upto; 0 means any ID.
	WebhookEvents(id WebhookTargetID, upto int64, limit int) ([]WebhookEvent, error)
	// RemoveWebhookEvents deletes events that were delivered.
	RemoveWebhookEvents(id WebhookTargetID, events []WebhookEvent) error
	// DeleteWebhookEvents deletes up to limit events of a webhook, or of all webhooks
	// for 0, that wait for a target.
	DeleteWebhookEvents(id WebhookTargetID, webhook WebhookID, limit int) (removed int, err error)
	// MoveWebhookEvents moves up to limit events of a webhook to another target, the
	// oldest first.
	MoveWebhookEvents(webhook WebhookID, from, to WebhookTargetID, limit int) (moved int, err error)
}
