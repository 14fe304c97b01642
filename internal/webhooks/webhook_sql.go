package webhooks

import (
	"math"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
)

// This file stores webhooks. If several webhooks of an Account have the same URL and secret, they share
// one target. The target has the queue of the webhooks' events and the state of the delivery.

var (
	webhookTargetTable = db.NewMapping("webhook_target", mapWebhookTarget)
)

// Webhooks returns an Account's webhooks in the order of their IDs.
func Webhooks(tx *db.Tx, account enlist.AccountID) ([]enlist.Webhook, error) {
	return lists.Webhooks(tx, `webhook.account_id = ?
		AND (list_id = 0 OR list_id IN (SELECT list.id FROM list WHERE hidden = 0))`, int64(account))
}

// addWebhook stores a new webhook.
func addWebhook(tx *db.Tx, w *enlist.Webhook) error {
	if err := FindWebhookTarget(tx, w); err != nil {
		return err
	}
	return lists.WebhookTable.AddDefinition(tx, w)
}

// updateWebhook stores the columns of a webhook that an edit can change.
func updateWebhook(tx *db.Tx, w *enlist.Webhook) error {
	if err := FindWebhookTarget(tx, w); err != nil {
		return err
	}
	return lists.WebhookTable.SaveDefinition(tx, w)
}

// deleteWebhook removes a webhook. It does not remove the events of the webhook.
func deleteWebhook(tx *db.Tx, id enlist.WebhookID) error {
	return tx.Define("DELETE FROM webhook WHERE id = ?", int64(id))
}

// FindWebhookTarget sets the target of a webhook. It stores a new target if the Account has no target with
// the URL and the secret of the webhook.
func FindWebhookTarget(tx *db.Tx, w *enlist.Webhook) error {
	if err := tx.LockDefinitions(); err != nil {
		return err
	}
	const (
		find = "SELECT id FROM webhook_target WHERE account_id = ? AND url = ? AND secret = ?"
		add  = "INSERT INTO webhook_target (account_id, url, secret) VALUES (?, ?, ?)"
	)
	id, err := tx.Number(find, int64(w.AccountID), w.URL, w.Secret)
	if err == nil && id == 0 {
		id, err = tx.Insert(add, int64(w.AccountID), w.URL, w.Secret)
	}
	w.Target = enlist.WebhookTargetID(id)
	return err
}

// LoadWebhookTarget returns the target with an ID, or ErrNotFound. A transaction that writes locks the target.
// The lock waits for transactions that are inserting events. So events that are inserted later have higher
// IDs than all events that this transaction can see.
func LoadWebhookTarget(tx *db.Tx, id enlist.WebhookTargetID) (*WebhookTarget, error) {
	if tx.Writes {
		if err := events.LockTarget(tx, db.Exclusive, id); err != nil {
			return nil, err
		}
	}
	return webhookTargetTable.One(tx, enlist.ErrNotFound, "WHERE id = ?", int64(id))
}

func mapWebhookTarget(m *db.Mapper, w *WebhookTarget) {
	m.ID("id", (*int64)(&w.ID))
	m.Fixed("account_id", (*int64)(&w.AccountID))
	m.Fixed("url", &w.URL)
	m.Fixed("secret", &w.Secret)
	m.Computed("is_failing", &w.IsFailing) // only SetWebhookFailing changes it
	m.Value("failures", &w.Failures)
	m.Value("next_time", &w.NextTime)
	m.Value("lease_time", &w.LeaseTime)
	m.Value("holder", &w.Holder)
	m.Value("batch", &w.Batch)
	m.Value("batch_upto", &w.BatchUpto)
	m.Value("last_error", &w.LastError)
	m.Value("call_time", &w.ScheduledTime)
	m.Computed(withoutWebhooks, &w.IsOrphaned)
}

// withoutWebhooks is the condition that no webhook uses a row of webhook_target.
const withoutWebhooks = "NOT EXISTS (SELECT 1 FROM webhook WHERE target_id = webhook_target.id)"

// updateWebhookTarget stores the state of the delivery to a target.
func updateWebhookTarget(tx *db.Tx, w *WebhookTarget) error {
	return webhookTargetTable.Save(tx, w)
}

// SetWebhookFailing stores whether the server has stopped the delivery to a target after many failures.
func SetWebhookFailing(tx *db.Tx, id enlist.WebhookTargetID, is bool) error {
	return tx.Define("UPDATE webhook_target SET is_failing = ? WHERE id = ?", db.Bit(is), int64(id))
}

// dropWebhookTarget removes a target that has neither webhooks nor events. Otherwise it does nothing.
func dropWebhookTarget(tx *db.Tx, id enlist.WebhookTargetID) error {
	return DropTargets(tx, "id = ?", int64(id))
}

func DropTargets(tx *db.Tx, where string, args ...any) error {
	return tx.Do("DELETE FROM webhook_target WHERE "+where+" AND "+withoutWebhooks+
		" AND NOT EXISTS (SELECT 1 FROM webhook_event WHERE target_id = webhook_target.id)", args...)
}

// orphanedWebhookTargets returns the IDs of the failing targets that no webhook uses any more.
func orphanedWebhookTargets(tx *db.Tx) (ids []enlist.WebhookTargetID, err error) {
	return db.IDsOf[enlist.WebhookTargetID](tx,
		"SELECT id FROM webhook_target WHERE is_failing = 1 AND "+withoutWebhooks+" ORDER BY id")
}

// WebhookEvents returns the oldest events in the queue of a target. It returns at most limit events. If
// upto is not 0, their IDs are at most upto.
func WebhookEvents(tx *db.Tx, id enlist.WebhookTargetID, upto int64, limit int) ([]enlist.WebhookEvent, error) {
	if upto <= 0 {
		upto = math.MaxInt64
	}
	const oldest = "WHERE target_id = ? AND id <= ? ORDER BY id" + db.Limited
	return events.WebhookEventTable.All(tx, oldest, int64(id), upto, int64(limit))
}

// RemoveWebhookEvents removes events from the queue of a target. It removes each event by its ID, because
// the queue can contain other events with IDs between those of these events.
func RemoveWebhookEvents(tx *db.Tx, id enlist.WebhookTargetID, events []enlist.WebhookEvent) error {
	for i := range events {
		err := tx.Do("DELETE FROM webhook_event WHERE id = ? AND target_id = ?", events[i].ID, int64(id))
		if err != nil {
			return err
		}
	}
	return nil
}

// oldestEvents is a subquery for the IDs of the oldest events in the queue of a target. It finds the events
// of one webhook, or of all webhooks if the argument for the webhook is 0.
const oldestEvents = `(SELECT e.id FROM webhook_event e WHERE e.target_id = ?
	AND (CAST(? AS BIGINT) = 0 OR e.webhook_id = ?) ORDER BY e.id` + db.Limited + ")"

// deleteWebhookEvents removes at most limit events from the queue of a target. It removes the events of one
// webhook, or of all webhooks if webhook is 0.
func deleteWebhookEvents(tx *db.Tx, id enlist.WebhookTargetID, webhook enlist.WebhookID, limit int) (
	removed int, err error) {
	n, err := tx.Exec("DELETE FROM webhook_event WHERE id IN "+oldestEvents,
		int64(id), int64(webhook), int64(webhook), int64(limit))
	return int(n), err
}

// moveWebhookEvents moves at most limit events of a webhook to the queue of another target.
func moveWebhookEvents(tx *db.Tx, webhook enlist.WebhookID, from, to enlist.WebhookTargetID, limit int) (
	moved int, err error) {
	n, err := tx.Exec("UPDATE webhook_event SET target_id = ? WHERE id IN "+oldestEvents,
		int64(to), int64(from), int64(webhook), int64(webhook), int64(limit))
	return int(n), err
}
