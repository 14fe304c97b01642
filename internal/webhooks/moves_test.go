package webhooks_test

import (
	"fmt"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/webhooks"
)

// This file tests what happens to the events of webhooks when webhooks and Lists change.

// webhookMoves tests that the waiting events of a webhook move to its new URL.
func webhookMoves(o *apptest.Account) {
	list := o.AddList()
	created, subscribed := o.AddWebhook("contact", "created"), o.AddWebhook("contact", "subscribed")
	old := o.Webhook(created).Target
	o.Subscribe(list, "Email", "a@example.com")
	take(o, old, 1)
	editWebhook(o, created, "url", apptest.Hook+"/new")
	moved := o.Webhook(created)
	if moved.Target == old || moved.Secret != o.Webhook(subscribed).Secret {
		o.Errorf("the moved webhook is %+v, want another target and the secret of the other webhook", moved)
	}
	wantEvents(o, take(o, old, 1), "contact subscribed 1")
	wantEvents(o, take(o, moved.Target, 2), "contact created 1")

	// The webhook moves back to its old URL. Since a job last took the batch of this URL, events have
	// been added to the batch. So the batch must get a new ID.
	before := take(o, old, 1)
	editWebhook(o, created, "url", apptest.Hook)
	after := take(o, old, 1)
	wantEvents(o, after, "contact created 1", "contact subscribed 1")
	if o.Webhook(created).Target != old || after.ID == before.ID {
		o.Errorf("the batch has the ID %s, want a new ID; the webhook must have its old target", after.ID)
	}
	wantEvents(o, delivered(o, after))

	// The Service needs several Updates to move so many events.
	const many = 4500
	o.Update(func(tx *db.Tx) error {
		for i := range many {
			e := enlist.WebhookEvent{Target: old, Webhook: created, List: list, Contact: enlist.ContactID(i + 1),
				Object: enlist.AboutContact, Event: enlist.WebhookCreated}
			if err := events.AddWebhookEvent(tx, &e); err != nil {
				return err
			}
		}
		return nil
	})
	editWebhook(o, created, "url", apptest.Hook+"/many")
	n := 0
	for b := take(o, o.Webhook(created).Target, 1); b != nil; b = delivered(o, b) {
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
func webhookDeletion(o *apptest.Account) {
	list := o.AddList()
	created, subscribed := o.AddWebhook("contact", "created"), o.AddWebhook("contact", "subscribed")
	target := o.Webhook(created).Target
	o.Subscribe(list, "Email", "a@example.com")
	o.Must(o.App.Webhooks.DeleteWebhook(o.Context(), o.Caller, created))
	o.Subscribe(list, "Email", "b@example.com")
	b := take(o, target, 1)
	wantEvents(o, b, "contact subscribed 1", "contact subscribed 2")
	o.Must(o.App.Webhooks.DeleteWebhook(o.Context(), o.Caller, subscribed))
	if delivered(o, b) != nil || failed(o, b) != 0 || targetExists(o, target) {
		o.Error("the target of the deleted webhooks, or events of it, still exist")
	}
	o.Refused(o.App.Webhooks.DeleteWebhook(o.Context(), o.Caller, created), enlist.InvalidParameters, "no webhook")
}

func targetExists(o *apptest.Account, id enlist.WebhookTargetID) (found bool) {
	o.Helper()
	o.Update(func(tx *db.Tx) error {
		_, err := events.LoadWebhookTarget(tx, id)
		found = err == nil
		if enlist.KindOf(err) == enlist.NotFound {
			err = nil
		}
		return err
	})
	return found
}

// removeList deletes a List and runs its removal job to the end.
func removeList(o *apptest.Account, id enlist.ListID) {
	o.Helper()
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, id))
	for done := false; !done; {
		var err error
		done, err = o.App.Contacts.RemoveContacts(o.Context(), contacts.RemoveContacts{List: id, Upto: 1 << 60, Delete: true})
		o.Must(err)
	}
}

// webhooksOfDeletedList tests that deleting a List also deletes its webhooks, but that their waiting
// events are still delivered.
func webhooksOfDeletedList(o *apptest.Account) {
	list := o.AddList()
	id := o.AddWebhook("list", "removed", "list_id", list)
	target := o.Webhook(id).Target
	removeList(o, list)
	_, err := o.App.Webhooks.Webhook(o.Context(), o.Caller, id)
	o.Refused(err, enlist.InvalidParameters, "no webhook")
	b := take(o, target, 1)
	wantEvents(o, b, "list removed 0")
	if b.Events[0].List != list || delivered(o, b) != nil || targetExists(o, target) {
		o.Error("the target still exists after its last events were delivered:", b.Events)
	}
}

// webhookOrphanedTarget tests that a failing target without webhooks is deleted, because no call could
// resume its deliveries.
func webhookOrphanedTarget(o *apptest.Account) {
	for _, failsFirst := range []bool{true, false} {
		list := o.AddList()
		target := o.Webhook(o.AddWebhook("list", "removed", "list_id", list, "url", fmt.Sprint(apptest.Hook, list))).Target
		o.Update(func(tx *db.Tx) error {
			return events.AddWebhookEvent(tx, &enlist.WebhookEvent{Target: target, List: list,
				Object: enlist.AboutList, Event: enlist.WebhookUpdated})
		})
		if failsFirst {
			_, err := o.App.Webhooks.WebhookFailed(o.Context(), take(o, target, 1), webhooks.ErrWebhookGone)
			o.Must(err)
		}
		removeList(o, list)
		if !failsFirst {
			_, err := o.App.Webhooks.WebhookFailed(o.Context(), take(o, target, 1), webhooks.ErrWebhookGone)
			o.Must(err)
		}
		if take(o, target, 2) != nil || targetExists(o, target) {
			o.Error("the failing target without webhooks still exists")
		}
	}
}

// webhooksOfLists tests the events about Lists.
func webhooksOfLists(o *apptest.Account) {
	all := make(map[string]enlist.WebhookID)
	for _, event := range []string{"created", "updated", "removed", "bulk_updated"} {
		all[event] = o.AddWebhook("list", event)
	}
	target := o.Webhook(all["created"]).Target
	list := o.AddList()
	for range 2 { // the second call changes nothing
		_, err := o.App.Lists.EditList(o.Context(), o.Caller, list, apptest.Details("name", "Club"))
		o.Must(err)
	}
	o.Must(o.App.Contacts.ClearList(o.Context(), o.Caller, list))
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, list))
	wantEvents(o, take(o, target, 1), "list created 0", "list updated 0", "list bulk_updated 0", "list removed 0")
}
