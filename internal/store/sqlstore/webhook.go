package sqlstore

import (
	"database/sql/driver"
	"strconv"

	"enlist/internal/audience"
)

const webhookQuery = `SELECT webhook.id, webhook.account_id, list_id, object, event, creation_time, last_modified_time,
		target_id, url, secret, is_failing, last_error
	FROM webhook JOIN webhook_target ON webhook_target.id = target_id WHERE `

func decodeWebhook(row []driver.Value) audience.Webhook {
	return audience.Webhook{
		ID: audience.WebhookID(integer(row[0])), AccountID: audience.AccountID(integer(row[1])), ListID: audience.ListID(integer(row[2])),
		Object: audience.WebhookObject(text(row[3])), Event: audience.WebhookEventType(text(row[4])),
		CreationTime: integer(row[5]), LastModifiedTime: integer(row[6]),
		Target: audience.WebhookTargetID(integer(row[7])), URL: text(row[8]), Secret: text(row[9]),
		IsFailing: flag(row[10]), LastError: text(row[11]),
	}
}

// Webhooks returns an Account's webhooks by ID.
func (t *Tx) Webhooks(account audience.AccountID) ([]audience.Webhook, error) {
	return t.webhooks("webhook.account_id = ? AND (list_id = 0 OR list_id IN (SELECT list.id FROM list WHERE hidden = 0))", int64(account))
}

func (t *Tx) webhooks(where string, args ...any) (found []audience.Webhook, err error) {
	err = t.each(12, func(row []driver.Value) error {
		found = append(found, decodeWebhook(row))
		return nil
	}, webhookQuery+where+" ORDER BY webhook.id", args...)
	return found, err
}

// AddWebhook stores a new webhook.
func (t *Tx) AddWebhook(w *audience.Webhook) error {
	if err := t.changed(); err != nil {
		return err
	}
	if err := t.FindWebhookTarget(w); err != nil {
		return err
	}
	id, err := t.conn.Insert(`INSERT INTO webhook (account_id, creation_time, list_id, object, event, target_id, last_modified_time)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		int64(w.AccountID), w.CreationTime, int64(w.ListID), string(w.Object), string(w.Event), int64(w.Target), w.LastModifiedTime)
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
	return t.conn.Do("UPDATE webhook SET list_id = ?, object = ?, event = ?, target_id = ?, last_modified_time = ? WHERE id = ?",
		int64(w.ListID), string(w.Object), string(w.Event), int64(w.Target), w.LastModifiedTime, int64(w.ID))
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
func (t *Tx) WebhookTarget(id audience.WebhookTargetID) (target *audience.WebhookTarget, err error) {
	if t.writes {
		if err := t.lockTarget(Exclusive, id); err != nil {
			return nil, err
		}
	}
	err = t.each(12, func(row []driver.Value) error {
		target = &audience.WebhookTarget{
			ID: id, URL: text(row[0]), Secret: text(row[1]), IsFailing: flag(row[2]), Failures: integer(row[3]), NextTime: integer(row[4]),
			LeaseTime: integer(row[5]), Holder: integer(row[6]), Batch: text(row[7]), BatchUpto: integer(row[8]), LastError: text(row[9]),
			CallTime: integer(row[10]), IsOrphaned: flag(row[11]),
		}
		return nil
	}, `SELECT url, secret, is_failing, failures, next_time, lease_time, holder, batch, batch_upto, last_error, call_time,
			NOT EXISTS (SELECT 1 FROM webhook WHERE target_id = webhook_target.id)
		FROM webhook_target WHERE id = ?`, int64(id))
	if err == nil && target == nil {
		err = audience.ErrNotFound
	}
	return target, err
}

func (t *Tx) lockTarget(mode LockMode, id audience.WebhookTargetID) error {
	return t.conn.Lock(mode, "webhook target "+strconv.FormatInt(int64(id), 10))
}

// UpdateWebhookTarget stores how far the delivery to a target is.
func (t *Tx) UpdateWebhookTarget(w *audience.WebhookTarget) error {
	return t.conn.Do(`UPDATE webhook_target SET failures = ?, next_time = ?, lease_time = ?, holder = ?, batch = ?, batch_upto = ?, last_error = ?, call_time = ?
		WHERE id = ?`, w.Failures, w.NextTime, w.LeaseTime, w.Holder, w.Batch, w.BatchUpto, w.LastError, w.CallTime, int64(w.ID))
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
	err = t.each(1, func(row []driver.Value) error {
		ids = append(ids, audience.WebhookTargetID(integer(row[0])))
		return nil
	}, `SELECT id FROM webhook_target WHERE is_failing = 1
		AND NOT EXISTS (SELECT 1 FROM webhook WHERE target_id = webhook_target.id) ORDER BY id`)
	return ids, err
}

// AddWebhookEvent stores an event for one webhook.
func (t *Tx) AddWebhookEvent(e *audience.WebhookEvent) error {
	if err := t.lockTarget(Shared, e.Target); err != nil {
		return err
	}
	return t.conn.Do("INSERT INTO webhook_event (target_id, webhook_id, list_id, contact_id, object, event, time) VALUES (?, ?, ?, ?, ?, ?, ?)",
		int64(e.Target), int64(e.Webhook), int64(e.List), int64(e.Contact), string(e.Object), string(e.Event), e.Time)
}

// WebhookEvents returns the oldest events that wait for a target.
func (t *Tx) WebhookEvents(id audience.WebhookTargetID, upto int64, limit int) (events []audience.WebhookEvent, err error) {
	query := "SELECT id, webhook_id, list_id, contact_id, object, event, time FROM webhook_event WHERE target_id = ?"
	args := []any{int64(id), int64(limit)}
	if upto > 0 {
		query += " AND id <= ?"
		args = []any{int64(id), upto, int64(limit)}
	}
	err = t.each(7, func(row []driver.Value) error {
		events = append(events, audience.WebhookEvent{
			ID: integer(row[0]), Target: id, Webhook: audience.WebhookID(integer(row[1])), List: audience.ListID(integer(row[2])),
			Contact: audience.ContactID(integer(row[3])), Object: audience.WebhookObject(text(row[4])),
			Event: audience.WebhookEventType(text(row[5])), Time: integer(row[6]),
		})
		return nil
	}, query+" ORDER BY id LIMIT CAST(? AS BIGINT)", args...)
	return events, err
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
