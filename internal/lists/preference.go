package lists

import (
	"context"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the record of a preference, its keys, and the calls about preferences.

// AddPreference defines a preference on a List. Errors: NoList, Denied, and InvalidParameters
// if the name is not valid or the List has a preference with this name. reference.md: name.rule
func (s *Service) AddPreference(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	name string) (enlist.PreferenceID, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.PreferenceID, error) {
		schema, err := Load(tx, c, list)
		if err != nil {
			return 0, err
		}
		name, err := enlist.ReadName(name)
		if err != nil {
			return 0, enlist.Invalid("name", err.Error())
		}
		if schema.Preference(name) != nil {
			return 0, enlist.Invalid("name", "the List has a preference of this name already")
		}
		p := enlist.Preference{ListID: list, Name: name}
		if err := AddPreference(tx, &p); err != nil {
			return 0, err
		}
		return p.ID, accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Preference", ID: int64(p.ID), List: list},
			nil, accounts.AuditValues{"name": name})
	})
}

// RenamePreference gives a preference another name. The answers of Contacts stay, and so do the rows of the ledger,
// which have the name that the person read. Errors: NoList, Denied, and InvalidParameters as of AddPreference, and if
// the List has no preference with the ID.
func (s *Service) RenamePreference(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.PreferenceID,
	name string) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		schema, p, err := loadPreference(tx, c, list, id)
		if err != nil {
			return err
		}
		before := accounts.AuditValues{"name": p.Name}
		if p.Name, err = enlist.ReadName(name); err != nil {
			return enlist.Invalid("name", err.Error())
		}
		if other := schema.Preference(p.Name); other != nil && other.ID != id {
			return enlist.Invalid("name", "the List has a preference of this name already")
		}
		if err := preferenceTable.SaveDefinition(tx, &p); err != nil {
			return err
		}
		return accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Preference", ID: int64(id), List: list},
			before, accounts.AuditValues{"name": p.Name})
	})
}

// loadPreference returns a List and a copy of one of its preferences. Errors: NoList, Denied, InvalidParameters.
func loadPreference(tx *db.Tx, c *enlist.Caller, list enlist.ListID, id enlist.PreferenceID) (
	*enlist.Schema, enlist.Preference, error) {
	schema, err := Load(tx, c, list)
	if err != nil {
		return nil, enlist.Preference{}, err
	}
	p := schema.PreferenceByID(id)
	if p == nil {
		return nil, enlist.Preference{}, enlist.Refuse(enlist.InvalidParameters, "the List has no preference with this ID")
	}
	return schema, *p, nil
}

// DeletePreference removes a preference and the answers of all Contacts.
// Errors: NoList, Denied, and InvalidParameters if the List has no preference with the ID.
func (s *Service) DeletePreference(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	id enlist.PreferenceID) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		_, p, err := loadPreference(tx, c, list, id)
		if err != nil {
			return err
		}
		err = accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Preference", ID: int64(id), List: list},
			accounts.AuditValues{"name": p.Name}, nil)
		if err != nil {
			return err
		}
		return DeletePreference(tx, list, id)
	})
}

// SearchPreferences returns the List's preferences that match. Errors: NoList, Denied, InvalidSearch.
func (s *Service) SearchPreferences(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	q enlist.Query) ([]enlist.Preference, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]enlist.Preference, error) {
		schema, err := Load(tx, c, list)
		if err != nil {
			return nil, err
		}
		return enlist.SearchRecords(enlist.PreferenceAttributes, schema.Preferences, q)
	})
}
