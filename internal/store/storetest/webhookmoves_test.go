package storetest

import (
	"fmt"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/webhooks"
)

// This file tests what happens to the events of webhooks when webhooks and Lists change.

// webhookMoves tests that the waiting events of a webhook move to its new URL.
func webhookMoves(o *accountFixture) {
	list := o.addList()
	created, subscribed := o.addWebhook("contact", "created"), o.addWebhook("contact", "subscribed")
	old := o.webhook(created).Target
	o.subscribe(list, "Email", "a@example.com")
	o.take(old, 1)
	o.editWebhook(created, "url", hook+"/new")
	moved := o.webhook(created)
	if moved.Target == old || moved.Secret != o.webhook(subscribed).Secret {
		o.Errorf("the moved webhook is %+v, want another target and the secret of the other webhook", moved)
	}
	o.wantEvents(o.take(old, 1), "contact subscribed 1")
	o.wantEvents(o.take(moved.Target, 2), "contact created 1")

	// The webhook moves back to its old URL. Since a job last took the batch of this URL, events have
	// been added to the batch. So the batch must get a new ID.
	before := o.take(old, 1)
	o.editWebhook(created, "url", hook)
	after := o.take(old, 1)
	o.wantEvents(after, "contact created 1", "contact subscribed 1")
	if o.webhook(created).Target != old || after.ID == before.ID {
		o.Errorf("the batch has the ID %s, want a new ID; the webhook must have its old target", after.ID)
	}
	o.wantEvents(o.delivered(after))

	// The Service needs several Updates to move so many events.
	const many = 4500
	o.update(func(tx *db.Tx) error {
		for i := range many {
			e := enlist.WebhookEvent{Target: old, Webhook: created, List: list, Contact: enlist.ContactID(i + 1),
				Object: enlist.AboutContact, Event: enlist.WebhookCreated}
			if err := events.AddWebhookEvent(tx, &e); err != nil {
				return err
			}
		}
		return nil
	})
	o.editWebhook(created, "url", hook+"/many")
	n := 0
	for b := o.take(o.webhook(created).Target, 1); b != nil; b = o.delivered(b) {
		for _, e := range b.Events {
			if n++; e.Contact != enlist.ContactID(n) {
				o.Fatalf("event %d is about Contact %d, want the same number", n, e.Contact)
			}
		}
	}
	if n != many {
		o.Errorf("%d of %d events moved to the new URL, want all", n, many)
	}
}

// webhookDeletion tests that deleting a webhook also deletes its waiting events. Deleting the last
// webhook of a target also deletes the target.
func webhookDeletion(o *accountFixture) {
	list := o.addList()
	created, subscribed := o.addWebhook("contact", "created"), o.addWebhook("contact", "subscribed")
	target := o.webhook(created).Target
	o.subscribe(list, "Email", "a@example.com")
	o.must(o.service.Webhooks.DeleteWebhook(o.Context(), o.caller, created))
	o.subscribe(list, "Email", "b@example.com")
	b := o.take(target, 1)
	o.wantEvents(b, "contact subscribed 1", "contact subscribed 2")
	o.must(o.service.Webhooks.DeleteWebhook(o.Context(), o.caller, subscribed))
	if o.delivered(b) != nil || o.failed(b) != 0 || o.targetExists(target) {
		o.Error("the target of the deleted webhooks, or events of it, still exist")
	}
	o.refused(o.service.Webhooks.DeleteWebhook(o.Context(), o.caller, created), enlist.InvalidParameters, "no webhook")
}

func (o *accountFixture) targetExists(id enlist.WebhookTargetID) (found bool) {
	o.Helper()
	o.update(func(tx *db.Tx) error {
		_, err := webhooks.LoadWebhookTarget(tx, id)
		found = err == nil
		if enlist.KindOf(err) == enlist.NotFound {
			err = nil
		}
		return err
	})
	return found
}

// removeList deletes a List and runs its removal job to the end.
func (o *accountFixture) removeList(id enlist.ListID) {
	o.Helper()
	o.must(o.service.Contacts.DeleteList(o.Context(), o.caller, id))
	for done := false; !done; {
		var err error
		done, err = o.service.Contacts.RemoveContacts(o.Context(), contacts.RemoveContacts{List: id, Upto: 1 << 60, Delete: true})
		o.must(err)
	}
}

// webhooksOfDeletedList tests that deleting a List also deletes its webhooks, but that their waiting
// events are still delivered.
func webhooksOfDeletedList(o *accountFixture) {
	list := o.addList()
	id := o.addWebhook("list", "removed", "list_id", list)
	target := o.webhook(id).Target
	o.removeList(list)
	_, err := o.service.Webhooks.Webhook(o.Context(), o.caller, id)
	o.refused(err, enlist.InvalidParameters, "no webhook")
	b := o.take(target, 1)
	o.wantEvents(b, "list removed 0")
	if b.Events[0].List != list || o.delivered(b) != nil || o.targetExists(target) {
		o.Error("the target still exists after its last events were delivered:", b.Events)
	}
}

// webhookOrphanedTarget tests that a failing target without webhooks is deleted, because no call could
// resume its deliveries.
func webhookOrphanedTarget(o *accountFixture) {
	for _, failsFirst := range []bool{true, false} {
		list := o.addList()
		target := o.webhook(o.addWebhook("list", "removed", "list_id", list, "url", fmt.Sprint(hook, list))).Target
		o.update(func(tx *db.Tx) error {
			return events.AddWebhookEvent(tx, &enlist.WebhookEvent{Target: target, List: list,
				Object: enlist.AboutList, Event: enlist.WebhookUpdated})
		})
		if failsFirst {
			_, err := o.service.Webhooks.WebhookFailed(o.Context(), o.take(target, 1), webhooks.ErrWebhookGone)
			o.must(err)
		}
		o.removeList(list)
		if !failsFirst {
			_, err := o.service.Webhooks.WebhookFailed(o.Context(), o.take(target, 1), webhooks.ErrWebhookGone)
			o.must(err)
		}
		if o.take(target, 2) != nil || o.targetExists(target) {
			o.Error("the failing target without webhooks still exists")
		}
	}
}

// webhooksOfLists tests the events about Lists.
func webhooksOfLists(o *accountFixture) {
	all := make(map[string]enlist.WebhookID)
	for _, event := range []string{"created", "updated", "removed", "bulk_updated"} {
		all[event] = o.addWebhook("list", event)
	}
	target := o.webhook(all["created"]).Target
	list := o.addList()
	for range 2 { // the second call changes nothing
		_, err := o.service.Lists.EditList(o.Context(), o.caller, list, details("name", "Club"))
		o.must(err)
	}
	o.must(o.service.Contacts.ClearList(o.Context(), o.caller, list))
	o.must(o.service.Contacts.DeleteList(o.Context(), o.caller, list))
	o.wantEvents(o.take(target, 1), "list created 0", "list updated 0", "list bulk_updated 0", "list removed 0")
}
