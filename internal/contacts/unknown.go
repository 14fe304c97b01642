package contacts

import (
	"context"
	"iter"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file finds keys of details, and names of preferences, that mean nothing in a List.

// UnknownNames returns the keys and names that mean nothing in a List, each once, and at most enlist.MaxUnknown. A key
// of details means a Field or a system key: clients send complete records back. It returns none if the caller may not
// access the List: the call itself returns that error. reference.md: subscribeContact.rule.5, preferences.unknown
func (s *Service) UnknownNames(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	details, preferences iter.Seq[string]) ([]enlist.UnknownName, error) {
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
func unknownNames(schema *enlist.Schema, details, preferences iter.Seq[string]) []enlist.UnknownName {
	var unknown enlist.UnknownNames
	for key := range details {
		if field, _ := FieldOfKey(schema, key); field == nil && !isSystemKey(key) &&
			!unknown.Add(key, func() []string { return fieldNames(schema) }) {
			return unknown
		}
	}
	for name := range preferences {
		if schema.Preference(name) == nil &&
			!unknown.Add(name, func() []string { return preferenceNames(schema) }) {
			return unknown
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
