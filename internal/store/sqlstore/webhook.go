package sqlstore

import (
	"database/sql/driver"

	"enlist/internal/audience"
)

const webhookColumns = "id, account_id, list_id, object, event, url, secret, creation_time, last_modified_time, is_failing"

func decodeWebhook(row []driver.Value) audience.Webhook {
	return audience.Webhook{
		ID: audience.WebhookID(integer(row[0])), AccountID: audience.AccountID(integer(row[1])), ListID: audience.ListID(integer(row[2])),
		Object: audience.WebhookObject(text(row[3])), Event: audience.WebhookEventType(text(row[4])), URL: text(row[5]), Secret: text(row[6]),
		CreationTime: integer(row[7]), LastModifiedTime: integer(row[8]), IsFailing: flag(row[9]),
	}
}

// Webhooks returns an Account's webhooks by ID.
func (t *Tx) Webhooks(account audience.AccountID) ([]audience.Webhook, error) {
	return t.webhooks("account_id = ? AND (list_id = 0 OR list_id IN (SELECT list.id FROM list WHERE hidden = 0))", int64(account))
}

func (t *Tx) webhooks(where string, args ...any) (found []audience.Webhook, err error) {
	err = t.each(10, func(row []driver.Value) error {
		found = append(found, decodeWebhook(row))
		return nil
	}, "SELECT "+webhookColumns+" FROM webhook WHERE "+where+" ORDER BY id", args...)
	return found, err
}

// AddWebhook stores a new webhook.
func (t *Tx) AddWebhook(w *audience.Webhook) error {
	if err := t.changed(); err != nil {
		return err
	}
	id, err := t.conn.Insert(`INSERT INTO webhook (account_id, creation_time, list_id, object, event, url, secret, last_modified_time, is_failing)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		int64(w.AccountID), w.CreationTime, int64(w.ListID), string(w.Object), string(w.Event), w.URL, w.Secret, w.LastModifiedTime, bit(w.IsFailing))
	w.ID = audience.WebhookID(id)
	return err
}

// UpdateWebhook stores what may change of a webhook.
func (t *Tx) UpdateWebhook(w *audience.Webhook) error {
	if err := t.changed(); err != nil {
		return err
	}
	_, err := t.conn.Exec(`UPDATE webhook SET list_id = ?, object = ?, event = ?, url = ?, secret = ?, last_modified_time = ?, is_failing = ?
		WHERE id = ?`, int64(w.ListID), string(w.Object), string(w.Event), w.URL, w.Secret, w.LastModifiedTime, bit(w.IsFailing), int64(w.ID))
	return err
}

// DeleteWebhook removes a webhook and the events that wait for it.
func (t *Tx) DeleteWebhook(id audience.WebhookID) error {
	if err := t.changed(); err != nil {
		return err
	}
	for _, query := range []string{
		"DELETE FROM webhook_event WHERE webhook_id = ?",
		"DELETE FROM webhook_state WHERE webhook_id = ?",
		"DELETE FROM webhook WHERE id = ?",
	} {
		if _, err := t.conn.Exec(query, int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// AddWebhookEvent stores an event for one webhook.
func (t *Tx) AddWebhookEvent(e *audience.WebhookEvent) (err error) {
	e.ID, err = t.conn.Insert("INSERT INTO webhook_event (webhook_id, list_id, contact_id, object, event, time) VALUES (?, ?, ?, ?, ?, ?)",
		int64(e.Webhook), int64(e.List), int64(e.Contact), string(e.Object), string(e.Event), e.Time)
	return err
}

// WebhookEvents returns the oldest events that wait for a webhook.
func (t *Tx) WebhookEvents(id audience.WebhookID, limit int) (events []audience.WebhookEvent, err error) {
	err = t.each(6, func(row []driver.Value) error {
		events = append(events, audience.WebhookEvent{
			ID: integer(row[0]), Webhook: id, List: audience.ListID(integer(row[1])), Contact: audience.ContactID(integer(row[2])),
			Object: audience.WebhookObject(text(row[3])), Event: audience.WebhookEventType(text(row[4])), Time: integer(row[5]),
		})
		return nil
	}, "SELECT id, list_id, contact_id, object, event, time FROM webhook_event WHERE webhook_id = ? ORDER BY id LIMIT ? + 0", int64(id), int64(limit))
	return events, err
}

// RemoveWebhookEvents removes the events of a webhook up to and including one.
func (t *Tx) RemoveWebhookEvents(id audience.WebhookID, upto int64) error {
	_, err := t.conn.Exec("DELETE FROM webhook_event WHERE webhook_id = ? AND id <= ?", int64(id), upto)
	return err
}
