package audience

// This file stores events for webhooks, in the transaction of the change that they are about,
// and enqueues the job that posts them.

// publishWebhook stores events of a Contact for every webhook that listens to them, in the
// order given. With contact 0 they are events of the List.
func publishWebhook(tx Tx, schema *Schema, contact ContactID, now int64, events ...WebhookEventType) error {
	if len(schema.Webhooks) == 0 {
		return nil
	}
	object := AboutContact
	if contact == 0 {
		object = AboutList
	}
	for _, event := range events {
		for i := range schema.Webhooks {
			w := &schema.Webhooks[i]
			if w.Object != object || w.Event != event {
				continue
			}
			err := tx.AddWebhookEvent(&WebhookEvent{Target: w.Target, Webhook: w.ID, List: schema.List.ID,
				Contact: contact, Object: object, Event: event, Time: now})
			if err != nil {
				return err
			}
			if w.IsFailing {
				continue // kept until the webhook is edited or its job is retried
			}
			if err := scheduleDelivery(tx, w.Target, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// scheduledLife is for how long a job that is enqueued for a target counts as waiting, in
// seconds. After that it was discarded, or is far behind in its queue.
const scheduledLife = 60

// scheduleDelivery enqueues a job that posts a target's events, unless one waits already.
// Under load, events are published faster than workers take up jobs.
func scheduleDelivery(tx Tx, id WebhookTargetID, now int64) error {
	marked, err := tx.MarkWebhookScheduled(id, now, now-scheduledLife)
	if err != nil || !marked {
		return err
	}
	return tx.Enqueue(DeliverWebhook{id})
}
