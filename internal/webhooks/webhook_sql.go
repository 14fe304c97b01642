package webhooks

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
)

// This file stores webhooks. Package events stores their targets and the events that wait.

// Webhooks returns an Account's webhooks in the order of their IDs.
func Webhooks(tx *db.Tx, account enlist.AccountID) ([]enlist.Webhook, error) {
	return lists.Webhooks(tx, `webhook.account_id = ?
		AND (list_id = 0 OR list_id IN (SELECT list.id FROM list WHERE hidden = 0))`, int64(account))
}

func addWebhook(tx *db.Tx, w *enlist.Webhook) error {
	if err := events.FindWebhookTarget(tx, w); err != nil {
		return err
	}
	return lists.WebhookTable.AddDefinition(tx, w)
}

// updateWebhook stores the columns of a webhook that an edit can change.
func updateWebhook(tx *db.Tx, w *enlist.Webhook) error {
	if err := events.FindWebhookTarget(tx, w); err != nil {
		return err
	}
	return lists.WebhookTable.SaveDefinition(tx, w)
}

// Restore stores a webhook under its ID.
func Restore(tx *db.Tx, w *enlist.Webhook) error {
	if err := events.FindWebhookTarget(tx, w); err != nil {
		return err
	}
	return lists.WebhookTable.RestoreDefinition(tx, "webhook", w)
}

// RemoveOf removes the webhooks of a deleted List. The server still posts the events that are in the queue.
func RemoveOf(tx *db.Tx, list enlist.ListID) error {
	if err := tx.Do("DELETE FROM webhook WHERE list_id = ?", int64(list)); err != nil {
		return err
	}
	return events.DropTargets(tx, "TRUE")
}
