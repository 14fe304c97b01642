package sqlstore

// This file stores webhooks. Webhooks with the same URL and secret share a target, which holds a
// queue of events and the state of their delivery.

import (
	"math"
	"strconv"

	"enlist/internal/audience"
)

// mapWebhook describes the table webhook with the target that each row posts to.
func mapWebhook(m *mapper, w *audience.Webhook) {
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

// Webhooks returns an Account's webhooks by ID.
func (t *Tx) Webhooks(account audience.AccountID) ([]audience.Webhook, error) {
	return t.webhooks("webhook.account_id = ? AND (list_id = 0 OR list_id IN (SELECT list.id FROM list WHERE hidden = 0))", int64(account))
}

func (t *Tx) webhooks(where string, args ...any) ([]audience.Webhook, error) {
	return t.sql.mappings.webhooks.all(t, "JOIN webhook_target ON webhook_target.id = target_id WHERE "+where+" ORDER BY webhook.id", args...)
}

// AddWebhook stores a new webhook.
func (t *Tx) AddWebhook(w *audience.Webhook) error {
	if err := t.changed(); err != nil {
		return err
	}
	if err := t.FindWebhookTarget(w); err != nil {
		return err
	}
	id, err := t.sql.mappings.webhooks.add(t, w)
	w.ID = audience.WebhookID(id)
	return err
}

// UpdateWebhook stores what may change of a webhook.
func (t *Tx) UpdateWebhook(w *audience.Webhook) error {
	if err := t.changed(); err != nil {
		return err
	}
	if err := t.FindWebhookTarget(w); err != nil {
		return err
	}
	return t.sql.mappings.webhooks.save(t, w)
}

// DeleteWebhook removes a webhook and leaves its events.
func (t *Tx) DeleteWebhook(id audience.WebhookID) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do("DELETE FROM webhook WHERE id = ?", int64(id))
}

// FindWebhookTarget finds where a webhook posts to, or makes it.
func (t *Tx) FindWebhookTarget(w *audience.Webhook) error {
	if err := t.LockDefinitions(); err != nil {
		return err
	}
	id, err := t.number("SELECT id FROM webhook_target WHERE account_id = ? AND url = ? AND secret = ?", int64(w.AccountID), w.URL, w.Secret)
	if err == nil && id == 0 {
		id, err = t.conn.Insert("INSERT INTO webhook_target (account_id, url, secret) VALUES (?, ?, ?)", int64(w.AccountID), w.URL, w.Secret)
	}
	w.Target = audience.WebhookTargetID(id)
	return err
}

// WebhookTarget returns where webhooks post to. A transaction that writes has the
// target to itself: no event is on its way there that would come, under a lower
// ID, behind those that are seen now.
func (t *Tx) WebhookTarget(id audience.WebhookTargetID) (*audience.WebhookTarget, error) {
	if t.writes {
		if err := t.lockTarget(Exclusive, id); err != nil {
			return nil, err
		}
	}
	return t.sql.mappings.webhookTargets.one(t, audience.ErrNotFound, "WHERE id = ?", int64(id))
}

func mapWebhookTarget(m *mapper, w *audience.WebhookTarget) {
	m.id("id", (*int64)(&w.ID))
	m.fixed("url", &w.URL)
	m.fixed("secret", &w.Secret)
	m.computed("is_failing", &w.IsFailing) // changed by SetWebhookFailing alone
	m.value("failures", &w.Failures)
	m.value("next_time", &w.NextTime)
	m.value("lease_time", &w.LeaseTime)
	m.value("holder", &w.Holder)
	m.value("batch", &w.Batch)
	m.value("batch_upto", &w.BatchUpto)
	m.value("last_error", &w.LastError)
	m.value("call_time", &w.ScheduledTime)
	m.computed("NOT EXISTS (SELECT 1 FROM webhook WHERE target_id = webhook_target.id)", &w.IsOrphaned)
}

func (t *Tx) lockTarget(mode LockMode, id audience.WebhookTargetID) error {
	return t.conn.Lock(mode, "webhook target "+strconv.FormatInt(int64(id), 10))
}

// UpdateWebhookTarget stores how far the delivery to a target is.
func (t *Tx) UpdateWebhookTarget(w *audience.WebhookTarget) error {
	return t.sql.mappings.webhookTargets.save(t, w)
}

// MarkWebhookScheduled notes that a wake-up was stored. One that was noted at a
// time to come was noted by a clock that has been set back since.
func (t *Tx) MarkWebhookScheduled(id audience.WebhookTargetID, now, before int64) (marked bool, err error) {
	n, err := t.conn.Exec("UPDATE webhook_target SET call_time = ? WHERE id = ? AND (call_time <= ? OR call_time > ?)", now, int64(id), before, now)
	return n > 0, err
}

// SetWebhookFailing stores whether a target is given up on.
func (t *Tx) SetWebhookFailing(id audience.WebhookTargetID, is bool) error {
	if err := t.changed(); err != nil {
		return err
	}
	return t.conn.Do("UPDATE webhook_target SET is_failing = ? WHERE id = ?", bit(is), int64(id))
}

// DropWebhookTarget removes a target that nothing has any more.
func (t *Tx) DropWebhookTarget(id audience.WebhookTargetID) error {
	return t.dropTargets("id = ?", int64(id))
}

func (t *Tx) dropTargets(where string, args ...any) error {
	return t.conn.Do(`DELETE FROM webhook_target WHERE `+where+`
			AND NOT EXISTS (SELECT 1 FROM webhook WHERE target_id = webhook_target.id)
			AND NOT EXISTS (SELECT 1 FROM webhook_event WHERE target_id = webhook_target.id)`, args...)
}

// OrphanedWebhookTargets returns targets given up on whose webhooks are gone.
func (t *Tx) OrphanedWebhookTargets() (ids []audience.WebhookTargetID, err error) {
	return idsOf[audience.WebhookTargetID](t, `SELECT id FROM webhook_target WHERE is_failing = 1
		AND NOT EXISTS (SELECT 1 FROM webhook WHERE target_id = webhook_target.id) ORDER BY id`)
}

// AddWebhookEvent stores an event for one webhook.
func (t *Tx) AddWebhookEvent(e *audience.WebhookEvent) error {
	if err := t.lockTarget(Shared, e.Target); err != nil {
		return err
	}
	return t.sql.mappings.webhookEvents.queue(t, e)
}

func mapWebhookEvent(m *mapper, e *audience.WebhookEvent) {
	m.id("id", &e.ID)
	m.fixed("target_id", (*int64)(&e.Target))
	m.fixed("webhook_id", (*int64)(&e.Webhook))
	m.fixed("list_id", (*int64)(&e.List))
	m.fixed("contact_id", (*int64)(&e.Contact))
	m.fixed("object", (*string)(&e.Object))
	m.fixed("event", (*string)(&e.Event))
	m.fixed("time", &e.Time)
}

// WebhookEvents returns the oldest events that wait for a target.
func (t *Tx) WebhookEvents(id audience.WebhookTargetID, upto int64, limit int) ([]audience.WebhookEvent, error) {
	if upto <= 0 {
		upto = math.MaxInt64
	}
	return t.sql.mappings.webhookEvents.all(t, "WHERE target_id = ? AND id <= ? ORDER BY id"+limited, int64(id), upto, int64(limit))
}

// RemoveWebhookEvents removes events that still wait for a target, each by its
// ID: others may have come between them.
func (t *Tx) RemoveWebhookEvents(id audience.WebhookTargetID, events []audience.WebhookEvent) error {
	for i := range events {
		if err := t.conn.Do("DELETE FROM webhook_event WHERE id = ? AND target_id = ?", events[i].ID, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

const someEvents = "(SELECT e.id FROM webhook_event e WHERE e.target_id = ? AND (CAST(? AS BIGINT) = 0 OR e.webhook_id = ?) ORDER BY e.id LIMIT CAST(? AS BIGINT))"

// DeleteWebhookEvents removes events of a webhook, or of all, that wait for a target.
func (t *Tx) DeleteWebhookEvents(id audience.WebhookTargetID, webhook audience.WebhookID, limit int) (removed int, err error) {
	n, err := t.conn.Exec("DELETE FROM webhook_event WHERE id IN "+someEvents, int64(id), int64(webhook), int64(webhook), int64(limit))
	return int(n), err
}

// MoveWebhookEvents has events of a webhook wait for another target.
func (t *Tx) MoveWebhookEvents(webhook audience.WebhookID, from, to audience.WebhookTargetID, limit int) (moved int, err error) {
	n, err := t.conn.Exec("UPDATE webhook_event SET target_id = ? WHERE id IN "+someEvents,
		int64(to), int64(from), int64(webhook), int64(webhook), int64(limit))
	return int(n), err
}
