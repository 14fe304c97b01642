package audience

import (
	"context"
	"slices"
)

// This file has the record of a preference, its keys, and the calls about preferences.

// Preference is a named choice that Contacts of a List agree to or decline.
type Preference struct {
	ID     PreferenceID
	ListID ListID
	Name   string
}

// PreferenceAttributes are the keys of a preference record, in the order of a reply.
var PreferenceAttributes = []Attribute[Preference]{
	searchable(readOnlyInt("id", func(p *Preference) PreferenceID { return p.ID })),
	readOnlyInt("list_id", func(p *Preference) ListID { return p.ListID }),
	searchable(readOnlyText("name", func(p *Preference) string { return p.Name })),
}

// AddPreference defines a preference on a List. Errors: NoList, Denied, and InvalidParameters
// if the name is not valid or the List has a preference with this name. decisions.md: 16
func (s *Service) AddPreference(ctx context.Context, c *Caller, list ListID, name string) (PreferenceID, error) {
	return update(ctx, s, c, func(tx Tx, now int64) (PreferenceID, error) {
		schema, err := loadList(tx, c, list)
		if err != nil {
			return 0, err
		}
		name, err := readName(name)
		if err != nil {
			return 0, invalid("name", err.Error())
		}
		if schema.preference(name) != nil {
			return 0, invalid("name", "the List has a preference of this name already")
		}
		p := Preference{ListID: list, Name: name}
		if err := tx.AddPreference(&p); err != nil {
			return 0, err
		}
		return p.ID, audit(tx, c, now, auditObject{"Preference", int64(p.ID), list}, nil, auditValues{"name": name})
	})
}

// DeletePreference removes a preference and the answers of all Contacts.
// Errors: NoList, Denied, and InvalidParameters if the List has no preference with the ID.
func (s *Service) DeletePreference(ctx context.Context, c *Caller, list ListID, id PreferenceID) error {
	_, err := update(ctx, s, c, func(tx Tx, now int64) (bool, error) {
		schema, err := loadList(tx, c, list)
		if err != nil {
			return false, err
		}
		i := slices.IndexFunc(schema.Preferences, func(p Preference) bool { return p.ID == id })
		if i < 0 {
			return false, Refuse(InvalidParameters, "the List has no preference with this ID")
		}
		before := auditValues{"name": schema.Preferences[i].Name}
		if err := audit(tx, c, now, auditObject{"Preference", int64(id), list}, before, nil); err != nil {
			return false, err
		}
		return true, tx.DeletePreference(list, id)
	})
	return err
}

// SearchPreferences returns the List's preferences that match. Errors: NoList, Denied, InvalidSearch.
func (s *Service) SearchPreferences(ctx context.Context, c *Caller, list ListID, q Query) ([]Preference, error) {
	return view(ctx, s, c, func(tx Tx) ([]Preference, error) {
		schema, err := loadList(tx, c, list)
		if err != nil {
			return nil, err
		}
		return searchRecords(PreferenceAttributes, schema.Preferences, q)
	})
}

// PreferenceTx changes the preferences of Lists, in a transaction. A Schema contains the
// preferences of its List.
type PreferenceTx interface {
	// AddPreference inserts a preference and sets its ID.
	AddPreference(p *Preference) error
	// DeletePreference removes a preference and the answers of all Contacts.
	DeletePreference(list ListID, id PreferenceID) error
}
