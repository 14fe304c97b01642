package movein

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/webhooks"
)

// This file stores webhooks that move in from another service.

// storeWebhook stores a webhook under its ID, with the secret of the record, or with the stored one. A move causes no
// event, so nothing is posted before programs change Lists or Contacts here. moved is false if the webhook is left out.
func (m *Mover) storeWebhook(ctx context.Context, record Record) (moved bool, err error) {
	err = m.step(ctx, func(w *writing) (err error) {
		moved, err = w.reader("webhook", record).webhook(w.tx, w.caller)
		return err
	})
	return moved, err
}

func (r *reader) webhook(tx *db.Tx, c *enlist.Caller) (moved bool, err error) {
	w := enlist.Webhook{ID: enlist.WebhookID(r.record.ID()), AccountID: c.Account.ID,
		CreationTime: r.int("creation_time"), LastModifiedTime: r.int("last_modified_time")}
	setEach(r, &w, webhooks.WholeWebhookAttributes, r.record)
	old, err := webhooks.LoadWebhook(tx, c, w.ID)
	switch {
	case err == nil && w.Secret == "":
		w.Secret = old.Secret
	case err != nil && enlist.IgnoreKind(enlist.InvalidParameters, err) != nil:
		return false, err
	case w.Secret == "":
		r.refuse("secret", "the other service does not show it: getWebhookById of this service has a new one")
	}
	if err := webhooks.DefineWebhook(&w, tx, c, webhooks.NewWebhookSecret()); err != nil {
		return false, r.refuseError("", err)
	}
	return true, webhooks.Restore(tx, &w)
}
