package contacts

import (
	"context"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/lists"
	"enlist/internal/search"
	"enlist/internal/webhooks"
)

// This file deletes and clears Lists. A deleted List is hidden at once, and a job removes its
// Contacts in steps.

// RemoveStep is how many Contacts one Update removes or changes. With 10 Fields this takes
// 1 to 6 ms. On SQLite no other caller can write during this time.
const RemoveStep = 500

// DeleteList hides a List at once and stores a job that removes its Contacts. Errors:
// NoList, Denied.
func (s *Service) DeleteList(ctx context.Context, c *enlist.Caller, id enlist.ListID) error {
	_, err := db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (RemoveContacts, error) {
		e, err := startRemoval(tx, c, now, RemoveContacts{List: id, Delete: true})
		if err != nil {
			return e, err
		}
		return e, lists.MarkListDeleted(tx, id)
	})
	return err
}

// ClearList removes the Contacts that a List has now, and then returns. If the server crashes
// meanwhile, a job removes the remaining Contacts. Errors: NoList, Denied.
func (s *Service) ClearList(ctx context.Context, c *enlist.Caller, id enlist.ListID) error {
	e, err := db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (RemoveContacts, error) {
		return startRemoval(tx, c, now, RemoveContacts{List: id})
	})
	for done := false; err == nil && !done; {
		done, err = s.RemoveContacts(ctx, e)
	}
	return err
}

// startRemoval stores the job that removes Contacts. The job removes Contacts up to the highest
// ID at this time, so Contacts that are added later stay.
func startRemoval(tx *db.Tx, c *enlist.Caller, now int64, e RemoveContacts) (RemoveContacts, error) {
	schema, err := lists.Load(tx, c, e.List)
	if err != nil {
		return e, err
	}
	e.Upto, err = LastContactID(tx, e.List)
	if err != nil {
		return e, err
	}
	if err := auditRemoval(tx, c, now, schema, e.Delete); err != nil {
		return e, err
	}
	event := enlist.WebhookBulkUpdated
	if e.Delete {
		event = enlist.WebhookRemoved
	}
	if err := events.Publish(tx, schema, 0, now, event); err != nil {
		return e, err
	}
	return e, tx.Enqueue(e)
}

// auditRemoval adds a row to the audit log. It has the number of Contacts and, if the List is deleted, its settings.
func auditRemoval(tx *db.Tx, c *enlist.Caller, now int64, schema *enlist.Schema, isDeleted bool) error {
	id := schema.List.ID
	contacts, err := search.Count(tx, &enlist.Search{Schema: schema})
	if err != nil {
		return err
	}
	before, after := accounts.AuditValues{}, accounts.AuditValues{"contacts": int64(0)}
	if isDeleted {
		before, after = accounts.SettableValues(lists.ListAttributes, &schema.List), nil
	}
	before["contacts"] = contacts
	return accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "List", ID: int64(id), List: id}, before, after)
}

// RemoveContacts removes the Contacts of one step. done is true if this step was the last. A call
// after the last step changes nothing. Such calls happen, because a job can run twice, and because
// ClearList and its job remove the same Contacts.
func (s *Service) RemoveContacts(ctx context.Context, e RemoveContacts) (done bool, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (done bool, err error) {
		if err := tx.LockListForBulk(e.List); err != nil {
			return false, err
		}
		removed, err := s.RemoveContactsUpTo(tx, now, e.List, e.Upto, RemoveStep)
		if err != nil || removed == RemoveStep {
			return false, err
		}
		if !e.Delete {
			return true, nil
		}
		if err := s.DropList(tx, e.List); err != nil {
			return false, err
		}
		return true, webhooks.DropOrphans(tx)
	})
}
