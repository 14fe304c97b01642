package audience

import (
	"context"
	"errors"
	"slices"
)

// This file adds, edits and deletes webhooks. Events that already wait for a webhook follow it
// to its new target or are deleted with it, in batches, since there may be very many.

// maxWebhooks bounds the webhooks of one List, and those of all Lists: each event is stored
// once for every webhook, in the transaction of the change.
const maxWebhooks = 100

// eventBatch is how many waiting events one Update moves or deletes.
const eventBatch = 2000

// AddWebhook stores a webhook for events of one List or of all Lists. Errors: NoList, Denied,
// InvalidParameters. decisions.md: 52
func (s *Service) AddWebhook(ctx context.Context, c *Caller, details []Detail) (WebhookID, error) {
	fresh := newWebhookSecret()
	return update(ctx, s, c, func(tx Tx, now int64) (WebhookID, error) {
		w := Webhook{AccountID: c.Account.ID, CreationTime: now, LastModifiedTime: now}
		if err := assign(&w, WholeWebhookAttributes, details); err != nil {
			return 0, err
		}
		if err := w.define(tx, c, fresh); err != nil {
			return 0, err
		}
		if err := tx.AddWebhook(&w); err != nil {
			return 0, err
		}
		// The URL may be that of a failing target. The caller expects that it works now.
		return w.ID, resume(tx, w.Target, false)
	})
}

// EditWebhook changes the keys that details name. Events that wait are posted to the new
// target, at once. Errors: NoList, Denied, InvalidParameters, also for an ID of no webhook.
func (s *Service) EditWebhook(ctx context.Context, c *Caller, id WebhookID, details []Detail) (WebhookID, error) {
	edit := webhookEdit{caller: c, id: id, details: details, fresh: newWebhookSecret()}
	for {
		result, err := update(ctx, s, c, edit.run)
		if !errors.Is(err, errMoreBatches) {
			return result, err
		}
		// More than eventBatch events wait: move the oldest ones first, then try again.
		if err := s.store.Update(ctx, confirmed(c, edit.moveOldest)); err != nil {
			return 0, err
		}
	}
}

// webhookEdit is one call of EditWebhook.
type webhookEdit struct {
	caller  *Caller
	id      WebhookID
	details []Detail
	fresh   string // the secret to use if the webhook needs a new one
}

// read returns the webhook before and after the edit, without storing anything.
func (e *webhookEdit) read(tx Tx) (old, edited *Webhook, err error) {
	old, err = loadWebhook(tx, e.caller, e.id)
	if err != nil {
		return nil, nil, err
	}
	w := *old
	if err := assign(&w, WholeWebhookAttributes, e.details); err != nil {
		return nil, nil, err
	}
	return old, &w, w.define(tx, e.caller, e.fresh)
}

// run stores the edit. Its error is errMoreBatches, which undoes the edit, if too many events wait.
func (e *webhookEdit) run(tx Tx, now int64) (WebhookID, error) {
	old, w, err := e.read(tx)
	if err != nil {
		return 0, err
	}
	w.LastModifiedTime = now
	if err := tx.UpdateWebhook(w); err != nil {
		return 0, err
	}
	more, err := moveEvents(tx, old, w)
	if more {
		err = errMoreBatches
	}
	return w.ID, err
}

// moveOldest moves the oldest events to the new target and leaves the webhook as it is.
func (e *webhookEdit) moveOldest(tx Tx) error {
	old, w, err := e.read(tx)
	if err != nil {
		return err
	}
	if err := tx.FindWebhookTarget(w); err != nil {
		return err
	}
	_, err = moveEvents(tx, old, w)
	return err
}

// moveEvents moves up to eventBatch events of a webhook to its new target, and enqueues a job
// for that target. more reports whether there may be further events.
func moveEvents(tx Tx, old, w *Webhook) (more bool, err error) {
	if w.Target == old.Target {
		return false, resume(tx, w.Target, false)
	}
	moved, err := tx.MoveWebhookEvents(w.ID, old.Target, w.Target, eventBatch)
	if err != nil {
		return false, err
	}
	if err := tx.DropWebhookTarget(old.Target); err != nil {
		return false, err
	}
	return moved == eventBatch, resume(tx, w.Target, moved > 0)
}

// resume enqueues a job for a target whose last attempts failed, so that it is tried now. With
// mixed, other events have joined those of the batch that was tried; the next attempt must then
// have a batch ID of its own, since a receiver drops a batch ID that it has seen.
func resume(tx Tx, id WebhookTargetID, mixed bool) error {
	t, err := tx.WebhookTarget(id)
	if err != nil || t.Failures == 0 && !t.IsFailing && !mixed {
		return err
	}
	t.Failures, t.NextTime = 0, 0
	if mixed {
		t.Batch, t.BatchUpto = "", 0
	}
	if err := tx.UpdateWebhookTarget(t); err != nil {
		return err
	}
	if t.IsFailing {
		if err := tx.SetWebhookFailing(id, false); err != nil {
			return err
		}
	}
	return tx.Enqueue(DeliverWebhook{id})
}

// DeleteWebhook removes a webhook and the events that wait for it. Errors: Denied,
// InvalidParameters for an ID of no webhook.
func (s *Service) DeleteWebhook(ctx context.Context, c *Caller, id WebhookID) error {
	target, err := update(ctx, s, c, func(tx Tx, _ int64) (WebhookTargetID, error) {
		w, err := loadWebhook(tx, c, id)
		if err != nil {
			return 0, err
		}
		return w.Target, tx.DeleteWebhook(id)
	})
	for removed := eventBatch; err == nil && removed == eventBatch; {
		err = s.store.Update(ctx, func(tx Tx) (err error) {
			removed, err = tx.DeleteWebhookEvents(target, id, eventBatch)
			if err != nil {
				return err
			}
			return tx.DropWebhookTarget(target)
		})
	}
	return err
}

// define refuses a webhook that is not valid as a whole, and gives it a secret if it has none:
// that of another webhook with the same URL, so that they share a target, or else fresh.
func (w *Webhook) define(tx Tx, c *Caller, fresh string) error {
	if err := w.check(); err != nil {
		return err
	}
	if err := checkWebhookList(tx, c, w.ListID); err != nil {
		return err
	}
	others, err := visibleWebhooks(tx, c)
	if err != nil {
		return err
	}
	secret, count := fresh, 0
	for i := range others {
		o := &others[i]
		if o.ID != w.ID && o.URL == w.URL {
			secret = o.Secret
		}
		if o.ID != w.ID && o.ListID == w.ListID {
			count++
		}
	}
	if count >= maxWebhooks {
		return Refuse(InvalidParameters, "at most 100 webhooks are allowed for one List, and 100 for all Lists together")
	}
	if w.Secret == "" {
		w.Secret = secret
	}
	return nil
}

// check refuses a webhook without an object or a URL, and an event that the object lacks.
func (w *Webhook) check() error {
	events := webhookEvents(w.Object)
	switch {
	case w.Object == "":
		return invalid("object", "expected list or contact")
	case w.URL == "":
		return invalid("url", "expected the address to post events to")
	case !slices.Contains(events, w.Event):
		return invalid("event", "expected one of "+joinEvents(events)+" for the object "+string(w.Object))
	}
	return nil
}

// WebhookTx reads and changes webhooks, in a transaction. A Schema holds those
// that listen to its List.
type WebhookTx interface {
	// Webhooks returns the webhooks of an Account by ID, without those of deleted Lists.
	Webhooks(account AccountID) ([]Webhook, error)
	// AddWebhook inserts a webhook, sets its ID, and its Target as FindWebhookTarget does.
	AddWebhook(w *Webhook) error
	// UpdateWebhook stores everything but the ID, the Account and the time of
	// creation. It sets Target as FindWebhookTarget does.
	UpdateWebhook(w *Webhook) error
	// DeleteWebhook removes a webhook. Its events stay.
	DeleteWebhook(id WebhookID) error
}
