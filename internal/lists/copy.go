package lists

import (
	"context"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/events"
)

// This file copies the definitions of a List.

// CopyList adds a List with the settings, Fields and preferences of another one, and without its Contacts, Segments and
// autoresponders. The copy is not public: subscribers must not see it before a person decides so. Errors: NoList, Denied, also for a restricted key, and InvalidParameters for a bad name.
func (s *Service) CopyList(ctx context.Context, c *enlist.Caller, from enlist.ListID, name string) (
	enlist.ListID, error) {
	return db.UpdateUnrestricted(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.ListID, error) {
		schema, err := Load(tx, c, from)
		if err != nil {
			return 0, err
		}
		list := schema.List
		if list.Name, err = enlist.ReadName(name); err != nil {
			return 0, enlist.Invalid("name", err.Error())
		}
		list.Public = false
		list.ID, list.ContactCount, list.SMSResponseFields = 0, 0, "" // the last one has IDs of Fields
		list.CreatorKeyID, list.CreatorName = c.Key.ID, c.Key.Name
		list.CreationTime, list.LastModifiedTime = now, now
		if err := Insert(tx, &list); err != nil {
			return 0, err
		}
		if err := copyDefinitions(tx, schema, list.ID); err != nil {
			return 0, err
		}
		on, values := accounts.AuditObject{Kind: "List", ID: int64(list.ID), List: list.ID},
			accounts.SettableValues(ListAttributes, &list)
		values["copy_of"] = int64(from)
		if err := accounts.Audit(tx, c, now, on, nil, values); err != nil {
			return 0, err
		}
		if schema, err = Schema(tx, list.ID); err != nil {
			return 0, err
		}
		return list.ID, events.Publish(tx, schema, 0, now, enlist.WebhookCreated)
	})
}

// copyDefinitions adds the Fields and preferences of a List to another one, in the order of their IDs.
func copyDefinitions(tx *db.Tx, schema *enlist.Schema, to enlist.ListID) error {
	for _, f := range schema.Sorted {
		field := *f
		field.ID, field.ListID = 0, to
		if err := AddField(tx, &field); err != nil {
			return err
		}
	}
	for _, p := range schema.Preferences {
		p.ID, p.ListID = 0, to
		if err := AddPreference(tx, &p); err != nil {
			return err
		}
	}
	return nil
}
