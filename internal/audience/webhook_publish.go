package audience

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores events for webhooks and enqueues the job that posts them. It does both in
// the transaction of the change.

// publishWebhook stores events of a Contact, in the given order, for every webhook that
// receives them. If contact is 0, they are events of the List.
func publishWebhook(tx *db.Tx, schema *enlist.Schema, contact enlist.ContactID, now int64, events ...enlist.WebhookEventType) error {
	e := enlist.WebhookEvent{List: schema.List.ID, Contact: contact, Object: enlist.AboutContact, Time: now}
	if contact == 0 {
		e.Object = enlist.AboutList
	}
	return publishAbout(tx, schema, e, events...)
}

// publishAbout stores events for every webhook that receives them. e has what the events share.
func publishAbout(tx *db.Tx, schema *enlist.Schema, e enlist.WebhookEvent, events ...enlist.WebhookEventType) error {
	for _, event := range events {
		for i := range schema.Webhooks {
			w := &schema.Webhooks[i]
			if w.Object != e.Object || w.Event != event {
				continue
			}
			stored := e
			stored.Target, stored.Webhook, stored.Event = w.Target, w.ID, event
			err := AddWebhookEvent(tx, &stored)
			if err != nil {
				return err
			}
			if w.IsFailing {
				continue // the event waits until the webhook is edited or its job is retried
			}
			if err := scheduleDelivery(tx, DeliverWebhook{w.Target, w.AccountID}, e.Time); err != nil {
				return err
			}
		}
	}
	return nil
}

// scheduledLife is how long, in seconds, an enqueued job of a target is assumed to wait. After
// that time the job was probably discarded, or its queue is very long. So scheduleDelivery then
// enqueues another job.
const scheduledLife = 60

// scheduleDelivery enqueues a job that posts a target's events, unless such a job waits
// already. Under load, events are published faster than workers start jobs.
func scheduleDelivery(tx *db.Tx, job DeliverWebhook, now int64) error {
	marked, err := MarkWebhookScheduled(tx, job.Target, now, now-scheduledLife)
	if err != nil || !marked {
		return err
	}
	return tx.Enqueue(job)
}
