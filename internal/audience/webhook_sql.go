package audience

import (
	"fmt"
	"math"

	"enlist/internal/enlist"
)

// This file stores webhooks. If several webhooks of an Account have the same URL and secret, they share
// one target. The target has the queue of the webhooks' events and the state of the delivery.

// mapWebhook describes the table webhook, joined with the target of each row.
func mapWebhook(m *mapper, w *enlist.Webhook) {
	m.id("id", (*int64)(&w.ID))
	m.readAs("webhook.id")
	m.fixed("account_id", (*int64)(&w.AccountID))
	m.readAs("webhook.account_id")
	m.value("list_id", (*int64)(&w.ListID))
	m.value("object", (*string)(&w.Object))
	m.value("event", (*string)(&w.Event))
	m.fixed("creation_time", &w.CreationTime)
	m.value("last_modified_time", &w.LastModifiedTime)
	m.value("target_id", (*int64)(&w.Target))
	m.computed("url", &w.URL)
	m.computed("secret", &w.Secret)
	m.computed("is_failing", &w.IsFailing)
	m.computed("last_error", &w.LastError)
}

var (
	webhookTable       = newMapping("webhook", mapWebhook)
	webhookTargetTable = newMapping("webhook_target", mapWebhookTarget)
	webhookEventTable  = newMapping("webhook_event", mapWebhookEvent)
)

// Webhooks returns an Account's webhooks in the order of their IDs.
func (t *Tx) Webhooks(account enlist.AccountID) ([]enlist.Webhook, error) {
	return t.webhooks(`webhook.account_id = ?
		AND (list_id = 0 OR list_id IN (SELECT list.id FROM list WHERE hidden = 0))`, int64(account))
}

func (t *Tx) webhooks(where string, args ...any) ([]enlist.Webhook, error) {
	const withTarget = "JOIN webhook_target ON webhook_target.id = target_id WHERE "
	return webhookTable.all(t, withTarget+where+" ORDER BY webhook.id", args...)
}

// AddWebhook stores a new webhook.
func (t *Tx) AddWebhook(w *enlist.Webhook) error {
	if err := t.FindWebhookTarget(w); err != nil {
		return err
	}
	return webhookTable.addDefinition(t, w)
}

// UpdateWebhook stores the columns of a webhook that an edit can change.
func (t *Tx) UpdateWebhook(w *enlist.Webhook) error {
	if err := t.FindWebhookTarget(w); err != nil {
		return err
	}
	return webhookTable.saveDefinition(t, w)
}

// DeleteWebhook removes a webhook. It does not remove the events of the webhook.
func (t *Tx) DeleteWebhook(id enlist.WebhookID) error {
	return t.define("DELETE FROM webhook WHERE id = ?", int64(id))
}

// FindWebhookTarget sets the target of a webhook. It stores a new target if the Account has no target with
// the URL and the secret of the webhook.
func (t *Tx) FindWebhookTarget(w *enlist.Webhook) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	const (
		find = "SELECT id FROM webhook_target WHERE account_id = ? AND url = ? AND secret = ?"
		add  = "INSERT INTO webhook_target (account_id, url, secret) VALUES (?, ?, ?)"
	)
	id, err := t.number(find, int64(w.AccountID), w.URL, w.Secret)
	if err == nil && id == 0 {
		id, err = t.Insert(add, int64(w.AccountID), w.URL, w.Secret)
	}
	w.Target = enlist.WebhookTargetID(id)
	return err
}

// WebhookTarget returns the target with an ID, or ErrNotFound. A transaction that writes locks the target.
// The lock waits for transactions that are inserting events. So events that are inserted later have higher
// IDs than all events that this transaction can see.
func (t *Tx) WebhookTarget(id enlist.WebhookTargetID) (*WebhookTarget, error) {
	if t.writes {
		if err := t.lockTarget(Exclusive, id); err != nil {
			return nil, err
		}
	}
	return webhookTargetTable.one(t, enlist.ErrNotFound, "WHERE id = ?", int64(id))
}

func mapWebhookTarget(m *mapper, w *WebhookTarget) {
	m.id("id", (*int64)(&w.ID))
	m.fixed("account_id", (*int64)(&w.AccountID))
	m.fixed("url", &w.URL)
	m.fixed("secret", &w.Secret)
	m.computed("is_failing", &w.IsFailing) // only SetWebhookFailing changes it
	m.value("failures", &w.Failures)
	m.value("next_time", &w.NextTime)
	m.value("lease_time", &w.LeaseTime)
	m.value("holder", &w.Holder)
	m.value("batch", &w.Batch)
	m.value("batch_upto", &w.BatchUpto)
	m.value("last_error", &w.LastError)
	m.value("call_time", &w.ScheduledTime)
	m.computed(withoutWebhooks, &w.IsOrphaned)
}

// withoutWebhooks is the condition that no webhook uses a row of webhook_target.
const withoutWebhooks = "NOT EXISTS (SELECT 1 FROM webhook WHERE target_id = webhook_target.id)"

func (t *Tx) lockTarget(mode LockMode, id enlist.WebhookTargetID) error {
	return t.Lock(mode, fmt.Sprintf("webhook target %d", id))
}

// UpdateWebhookTarget stores the state of the delivery to a target.
func (t *Tx) UpdateWebhookTarget(w *WebhookTarget) error {
	return webhookTargetTable.save(t, w)
}

// MarkWebhookScheduled stores now as the time at which a job for the target was enqueued. If the stored time
// is later than the argument before, it returns false and stores nothing. It ignores a stored time in the
// future: that time was stored before the clock was set back.
func (t *Tx) MarkWebhookScheduled(id enlist.WebhookTargetID, now, before int64) (marked bool, err error) {
	const mark = "UPDATE webhook_target SET call_time = ? WHERE id = ? AND (call_time <= ? OR call_time > ?)"
	n, err := t.Exec(mark, now, int64(id), before, now)
	return n > 0, err
}

// SetWebhookFailing stores whether the server has stopped the delivery to a target after many failures.
func (t *Tx) SetWebhookFailing(id enlist.WebhookTargetID, is bool) error {
	return t.define("UPDATE webhook_target SET is_failing = ? WHERE id = ?", bit(is), int64(id))
}

// DropWebhookTarget removes a target that has neither webhooks nor events. Otherwise it does nothing.
func (t *Tx) DropWebhookTarget(id enlist.WebhookTargetID) error {
	return t.dropTargets("id = ?", int64(id))
}

func (t *Tx) dropTargets(where string, args ...any) error {
	return t.Do("DELETE FROM webhook_target WHERE "+where+" AND "+withoutWebhooks+
		" AND NOT EXISTS (SELECT 1 FROM webhook_event WHERE target_id = webhook_target.id)", args...)
}

// OrphanedWebhookTargets returns the IDs of the failing targets that no webhook uses any more.
func (t *Tx) OrphanedWebhookTargets() (ids []enlist.WebhookTargetID, err error) {
	return idsOf[enlist.WebhookTargetID](t,
		"SELECT id FROM webhook_target WHERE is_failing = 1 AND "+withoutWebhooks+" ORDER BY id")
}

// AddWebhookEvent adds an event of a webhook to the queue of its target.
func (t *Tx) AddWebhookEvent(e *enlist.WebhookEvent) error {
	if err := t.lockTarget(Shared, e.Target); err != nil {
		return err
	}
	return webhookEventTable.queue(t, e)
}

func mapWebhookEvent(m *mapper, e *enlist.WebhookEvent) {
	m.id("id", &e.ID)
	m.fixed("target_id", (*int64)(&e.Target))
	m.fixed("webhook_id", (*int64)(&e.Webhook))
	m.fixed("list_id", (*int64)(&e.List))
	m.fixed("contact_id", (*int64)(&e.Contact))
	m.fixed("batch_id", (*int64)(&e.Batch))
	m.fixed("object", (*string)(&e.Object))
	m.fixed("event", (*string)(&e.Event))
	m.fixed("time", &e.Time)
}

// WebhookEvents returns the oldest events in the queue of a target. It returns at most limit events. If
// upto is not 0, their IDs are at most upto.
func (t *Tx) WebhookEvents(id enlist.WebhookTargetID, upto int64, limit int) ([]enlist.WebhookEvent, error) {
	if upto <= 0 {
		upto = math.MaxInt64
	}
	const oldest = "WHERE target_id = ? AND id <= ? ORDER BY id" + limited
	return webhookEventTable.all(t, oldest, int64(id), upto, int64(limit))
}

// RemoveWebhookEvents removes events from the queue of a target. It removes each event by its ID, because
// the queue can contain other events with IDs between those of these events.
func (t *Tx) RemoveWebhookEvents(id enlist.WebhookTargetID, events []enlist.WebhookEvent) error {
	for i := range events {
		err := t.Do("DELETE FROM webhook_event WHERE id = ? AND target_id = ?", events[i].ID, int64(id))
		if err != nil {
			return err
		}
	}
	return nil
}

// oldestEvents is a subquery for the IDs of the oldest events in the queue of a target. It finds the events
// of one webhook, or of all webhooks if the argument for the webhook is 0.
const oldestEvents = `(SELECT e.id FROM webhook_event e WHERE e.target_id = ?
	AND (CAST(? AS BIGINT) = 0 OR e.webhook_id = ?) ORDER BY e.id` + limited + ")"

// DeleteWebhookEvents removes at most limit events from the queue of a target. It removes the events of one
// webhook, or of all webhooks if webhook is 0.
func (t *Tx) DeleteWebhookEvents(id enlist.WebhookTargetID, webhook enlist.WebhookID, limit int) (
	removed int, err error) {
	n, err := t.Exec("DELETE FROM webhook_event WHERE id IN "+oldestEvents,
		int64(id), int64(webhook), int64(webhook), int64(limit))
	return int(n), err
}

// MoveWebhookEvents moves at most limit events of a webhook to the queue of another target.
func (t *Tx) MoveWebhookEvents(webhook enlist.WebhookID, from, to enlist.WebhookTargetID, limit int) (
	moved int, err error) {
	n, err := t.Exec("UPDATE webhook_event SET target_id = ? WHERE id IN "+oldestEvents,
		int64(to), int64(from), int64(webhook), int64(webhook), int64(limit))
	return int(n), err
}
