package webhooks

import (
	"context"
	"errors"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file adds, edits and deletes webhooks. If events wait for a webhook, an edit moves them
// to the new target, and a deletion deletes them. Both work in batches, because very many
// events may wait.

// maxWebhooks is the largest number of webhooks with the same ListID. The transaction of a
// change stores its events once for each webhook.
const maxWebhooks = 100

// eventBatch is how many waiting events one Update moves or deletes.
const eventBatch = 2000

// AddWebhook stores a webhook for events of one List or of all Lists. Errors: NoList, Denied,
// InvalidParameters. decisions.md: 52
func (s *Service) AddWebhook(ctx context.Context, c *enlist.Caller, details []enlist.Detail) (enlist.WebhookID, error) {
	fresh := NewWebhookSecret()
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.WebhookID, error) {
		w := enlist.Webhook{AccountID: c.Account.ID, CreationTime: now, LastModifiedTime: now}
		if err := enlist.Assign(&w, WholeWebhookAttributes, details); err != nil {
			return 0, err
		}
		if err := DefineWebhook(&w, tx, c, fresh); err != nil {
			return 0, err
		}
		if err := addWebhook(tx, &w); err != nil {
			return 0, err
		}
		if err := accounts.Audit(tx, c, now, auditedWebhook(&w), nil,
			accounts.SettableValues(WholeWebhookAttributes, &w)); err != nil {
			return 0, err
		}
		// An older target with the same URL and secret may be failing. The caller expects that
		// the URL works now, so try the target again.
		return w.ID, resume(tx, w.Target, false)
	})
}

// EditWebhook changes the keys that details contain. Events that wait are posted to the new
// target at once. Errors: NoList, Denied, and InvalidParameters, also for an unknown ID.
func (s *Service) EditWebhook(ctx context.Context, c *enlist.Caller, id enlist.WebhookID,
	details []enlist.Detail) (enlist.WebhookID, error) {
	edit := webhookEdit{caller: c, id: id, details: details, fresh: NewWebhookSecret()}
	for {
		result, err := db.Update(ctx, s.db, c, edit.run)
		if !errors.Is(err, db.ErrMoreSteps) {
			return result, err
		}
		// More than eventBatch events wait: move the oldest events, then try again.
		if err := s.db.Update(ctx, s.db.Confirmed(c, edit.moveOldest)); err != nil {
			return 0, err
		}
	}
}

// webhookEdit is one call of EditWebhook.
type webhookEdit struct {
	caller  *enlist.Caller
	id      enlist.WebhookID
	details []enlist.Detail
	fresh   string // the secret to use if the webhook needs a new one
}

// read returns the webhook as stored, and the webhook with the edit. It stores nothing.
func (e *webhookEdit) read(tx *db.Tx) (old, edited *enlist.Webhook, err error) {
	old, err = LoadWebhook(tx, e.caller, e.id)
	if err != nil {
		return nil, nil, err
	}
	w := *old
	if err := enlist.Assign(&w, WholeWebhookAttributes, e.details); err != nil {
		return nil, nil, err
	}
	return old, &w, DefineWebhook(&w, tx, e.caller, e.fresh)
}

// run stores the edit. If too many events wait, it returns ErrMoreSteps, which rolls back the
// edit.
func (e *webhookEdit) run(tx *db.Tx, now int64) (enlist.WebhookID, error) {
	old, w, err := e.read(tx)
	if err != nil {
		return 0, err
	}
	w.LastModifiedTime = now
	if err := updateWebhook(tx, w); err != nil {
		return 0, err
	}
	before, after := accounts.SettableValues(WholeWebhookAttributes,
		old), accounts.SettableValues(WholeWebhookAttributes, w)
	if err := accounts.Audit(tx, e.caller, now, auditedWebhook(w), before, after); err != nil {
		return 0, err
	}
	more, err := moveEvents(tx, old, w)
	if more {
		err = db.ErrMoreSteps
	}
	return w.ID, err
}

// moveOldest moves the oldest events to the new target. It does not change the webhook.
func (e *webhookEdit) moveOldest(tx *db.Tx) error {
	old, w, err := e.read(tx)
	if err != nil {
		return err
	}
	if err := events.FindWebhookTarget(tx, w); err != nil {
		return err
	}
	_, err = moveEvents(tx, old, w)
	return err
}

// moveEvents moves up to eventBatch events of a webhook to its new target, and enqueues a job
// for that target. more is true if further events may wait.
func moveEvents(tx *db.Tx, old, w *enlist.Webhook) (more bool, err error) {
	if w.Target == old.Target {
		return false, resume(tx, w.Target, false)
	}
	moved, err := events.MoveWebhookEvents(tx, w.ID, old.Target, w.Target, eventBatch)
	if err != nil {
		return false, err
	}
	if err := events.DropWebhookTarget(tx, old.Target); err != nil {
		return false, err
	}
	return moved == eventBatch, resume(tx, w.Target, moved > 0)
}

// resume enqueues a job for a target whose last attempts failed, so that the next attempt starts
// now. mixed is true if events of another target were added. Then the batch that was tried may
// have other events now, so it needs a new ID: a receiver ignores a batch ID that it has seen.
func resume(tx *db.Tx, id enlist.WebhookTargetID, mixed bool) error {
	t, err := events.LoadWebhookTarget(tx, id)
	if err != nil || t.Failures == 0 && !t.IsFailing && !mixed {
		return err
	}
	t.Failures, t.NextTime = 0, 0
	if mixed {
		t.Batch, t.BatchUpto = "", 0
	}
	if err := t.Save(tx); err != nil {
		return err
	}
	if t.IsFailing {
		if err := events.SetWebhookFailing(tx, id, false); err != nil {
			return err
		}
	}
	return tx.Enqueue(events.DeliverWebhook{Target: id, Account: t.AccountID})
}

// DeleteWebhook removes a webhook and its waiting events. Errors: Denied, and InvalidParameters
// for an unknown ID.
func (s *Service) DeleteWebhook(ctx context.Context, c *enlist.Caller, id enlist.WebhookID) error {
	target, err := db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.WebhookTargetID, error) {
		w, err := LoadWebhook(tx, c, id)
		if err != nil {
			return 0, err
		}
		if err := accounts.Audit(tx, c, now, auditedWebhook(w), accounts.SettableValues(WholeWebhookAttributes, w),
			nil); err != nil {
			return 0, err
		}
		return w.Target, tx.Define("DELETE FROM webhook WHERE id = ?", int64(id))
	})
	for removed := eventBatch; err == nil && removed == eventBatch; {
		err = s.db.Update(ctx, func(tx *db.Tx) (err error) {
			removed, err = events.DeleteWebhookEvents(tx, target, id, eventBatch)
			if err != nil {
				return err
			}
			return events.DropWebhookTarget(tx, target)
		})
	}
	return err
}

func auditedWebhook(w *enlist.Webhook) accounts.AuditObject {
	return accounts.AuditObject{Kind: "Webhook", ID: int64(w.ID), List: w.ListID}
}

// DefineWebhook checks the complete webhook. It gives a webhook without a secret the secret of another
// webhook with the same URL, so that they share a target. If there is none, it uses fresh.
func DefineWebhook(w *enlist.Webhook, tx *db.Tx, c *enlist.Caller, fresh string) error {
	if err := checkWebhook(w); err != nil {
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
		return enlist.Refuse(enlist.InvalidParameters, "at most 100 webhooks may have the same list_id")
	}
	if w.Secret == "" {
		w.Secret = secret
	}
	return nil
}

// checkWebhook refuses a webhook without an object or a URL, or with an event that its object does not
// have.
func checkWebhook(w *enlist.Webhook) error {
	events := enlist.WebhookEvents(w.Object)
	switch {
	case w.Object == "":
		return enlist.Invalid("object", "expected list, contact or batch")
	case w.URL == "":
		return enlist.Invalid("url", "expected the address to post events to")
	case !slices.Contains(events, w.Event):
		return enlist.Invalid("event", "expected one of "+joinEvents(events)+" for the object "+string(w.Object))
	}
	return nil
}
