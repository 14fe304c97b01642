package batches

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
)

// This file publishes the events of mails to webhooks: opened, clicked, bounced and complained of a Contact, and
// completed of a Batch.

// AboutMail returns what the webhook events of a mail share. batch has the figures of the mail; 0: there are none.
func AboutMail(k enlist.DeliveryKey, batch enlist.BatchID, now int64) enlist.WebhookEvent {
	return enlist.WebhookEvent{List: k.List, Contact: k.Contact, Batch: batch, Object: enlist.AboutContact, Time: now}
}

// PublishMail publishes an event of a mail. It does nothing if the List is gone.
func PublishMail(tx *db.Tx, k enlist.DeliveryKey, now int64, event enlist.WebhookEventType) error {
	schema, err := lists.Schema(tx, k.List)
	if err != nil {
		return enlist.IgnoreKind(enlist.NoList, err)
	}
	batch, err := FiguresOf(tx, k)
	if err != nil {
		return err
	}
	return events.PublishAbout(tx, schema, AboutMail(k, batch, now), event)
}

// publishCompleted publishes that a Batch is completed, to the webhooks of its Lists. A webhook of all Lists gets the
// event once.
func (b *Batch) publishCompleted(tx *db.Tx, now int64) error {
	all, err := BatchLists(tx, b.ID)
	if err != nil {
		return err
	}
	told := make(map[enlist.WebhookID]bool)
	for _, list := range all {
		schema, err := lists.Schema(tx, list)
		if enlist.KindOf(err) == enlist.NoList {
			continue
		}
		if err != nil {
			return err
		}
		only := *schema
		only.Webhooks = nil
		for _, w := range schema.Webhooks {
			if !told[w.ID] {
				told[w.ID] = true
				only.Webhooks = append(only.Webhooks, w)
			}
		}
		e := enlist.WebhookEvent{List: list, Batch: b.ID, Object: enlist.AboutBatch, Time: now}
		if err := events.PublishAbout(tx, &only, e, enlist.WebhookCompleted); err != nil {
			return err
		}
	}
	return nil
}
