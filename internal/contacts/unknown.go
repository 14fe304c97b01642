package contacts

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file finds keys of details, and names of preferences, that mean nothing in a List.

// UnknownNames returns the names of members that mean nothing in a List, each once, and at most enlist.MaxUnknown. The
// members of details are those of Contacts, and the members of preferences have the names of preferences. A key of details means a Field or a system key: clients send complete records back. It returns none if the caller may not
// access the List: the call itself returns that error. reference.md: subscribeContact.rule.5, preferences.unknown
func (s *Service) UnknownNames(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	details, preferences []enlist.Input) ([]enlist.UnknownName, error) {
	// The cached List may be older than the last change of it. So the cache only shows that all names are known.
	if schema, cached := s.db.Cache().Schema(list); cached && len(unknownNames(schema, details, preferences)) == 0 {
		return nil, nil
	}
	unknown, err := db.View(ctx, s.db, c, func(tx *db.Tx) ([]enlist.UnknownName, error) {
		schema, err := lists.Load(tx, c, list)
		if err != nil {
			return nil, err
		}
		return unknownNames(schema, details, preferences), nil
	})
	switch enlist.KindOf(err) {
	case enlist.NoList, enlist.Denied, enlist.InvalidKey:
		return nil, nil
	}
	return unknown, err
}

// unknownNames is UnknownNames for a List.
func unknownNames(schema *enlist.Schema, details, preferences []enlist.Input) []enlist.UnknownName {
	var unknown enlist.UnknownNames
	for i := range details {
		for _, m := range details[i].Members() {
			if field, _ := FieldOfKey(schema, m.Name); field == nil && !isSystemKey(m.Name) && !enlist.IsLaterKey(m.Name) &&
				!unknown.Add(m.Name, func() []string { return fieldNames(schema) }) {
				return unknown
			}
		}
	}
	for i := range preferences {
		for _, m := range preferences[i].Members() {
			if schema.Preference(m.Name) == nil &&
				!unknown.Add(m.Name, func() []string { return preferenceNames(schema) }) {
				return unknown
			}
		}
	}
	return unknown
}

// isSystemKey reports whether Contacts have a key that is no Field.
func isSystemKey(key string) bool {
	for i := range enlist.ContactAttributes {
		if enlist.ContactAttributes[i].Name == key {
			return true
		}
	}
	return false
}

func fieldNames(schema *enlist.Schema) []string {
	names := make([]string, len(schema.Fields))
	for i := range schema.Fields {
		names[i] = schema.Fields[i].Name
	}
	return names
}

func preferenceNames(schema *enlist.Schema) []string {
	names := make([]string, len(schema.Preferences))
	for i := range schema.Preferences {
		names[i] = schema.Preferences[i].Name
	}
	return names
}
