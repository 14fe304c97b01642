package events

import (
	"fmt"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores events for webhooks and enqueues the job that posts them. It does both in
// the transaction of the change.

// Publish stores events of a Contact, in the given order, for every webhook that
// receives them. If contact is 0, they are events of the List.
func Publish(tx *db.Tx, schema *enlist.Schema, contact enlist.ContactID, now int64,
	events ...enlist.WebhookEventType) error {
	e := enlist.WebhookEvent{List: schema.List.ID, Contact: contact, Object: enlist.AboutContact, Time: now}
	if contact == 0 {
		e.Object = enlist.AboutList
	}
	return PublishAbout(tx, schema, e, events...)
}

// PublishAbout stores events for every webhook that receives them. e has what the events share.
func PublishAbout(tx *db.Tx, schema *enlist.Schema, e enlist.WebhookEvent, events ...enlist.WebhookEventType) error {
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
	marked, err := markWebhookScheduled(tx, job.Target, now, now-scheduledLife)
	if err != nil || !marked {
		return err
	}
	return tx.Enqueue(job)
}

var webhookEventTable = db.NewMapping("webhook_event", mapWebhookEvent)

func lockTarget(tx *db.Tx, mode db.LockMode, id enlist.WebhookTargetID) error {
	return tx.Lock(mode, fmt.Sprintf("webhook target %d", id))
}

// markWebhookScheduled stores now as the time at which a job for the target was enqueued. If the stored time
// is later than the argument before, it returns false and stores nothing. It ignores a stored time in the
// future: that time was stored before the clock was set back.
func markWebhookScheduled(tx *db.Tx, id enlist.WebhookTargetID, now, before int64) (marked bool, err error) {
	const mark = "UPDATE webhook_target SET call_time = ? WHERE id = ? AND (call_time <= ? OR call_time > ?)"
	n, err := tx.Exec(mark, now, int64(id), before, now)
	return n > 0, err
}

// AddWebhookEvent adds an event of a webhook to the queue of its target.
func AddWebhookEvent(tx *db.Tx, e *enlist.WebhookEvent) error {
	if err := lockTarget(tx, db.Shared, e.Target); err != nil {
		return err
	}
	return webhookEventTable.Queue(tx, e)
}

func mapWebhookEvent(m *db.Mapper, e *enlist.WebhookEvent) {
	m.ID("id", &e.ID)
	m.Fixed("target_id", (*int64)(&e.Target))
	m.Fixed("webhook_id", (*int64)(&e.Webhook))
	m.Fixed("list_id", (*int64)(&e.List))
	m.Fixed("contact_id", (*int64)(&e.Contact))
	m.Fixed("batch_id", (*int64)(&e.Batch))
	m.Fixed("object", (*string)(&e.Object))
	m.Fixed("event", (*string)(&e.Event))
	m.Fixed("time", &e.Time)
}
