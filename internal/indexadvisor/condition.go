package indexadvisor

import "enlist/internal/audience"

// This file finds the keys of a search for which an index would help. It reads the
// audience.Condition, not the query plan of the database, so SQLite and PostgreSQL get the same
// indexes.

// indexKeys returns the keys of a search for which an index would help, so that the search does
// not read every Contact. It returns each key once. coveringFilters is Rules.CoveringFilters.
func indexKeys(s *audience.Search, coveringFilters bool) (keys []*audience.SearchKey) {
	if s.Where != nil {
		keys, _ = conditionKeys(s.Where, coveringFilters)
	}
	if s.Sort != nil && indexable(s.Sort) {
		keys = append(keys, s.Sort)
	}
	return distinct(keys)
}

// distinct removes the keys that have the same index as an earlier key.
func distinct(keys []*audience.SearchKey) []*audience.SearchKey {
	var some []*audience.SearchKey
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		if name := k.IndexKey(); !seen[name] {
			seen[name] = true
			some = append(some, k)
		}
	}
	return some
}

// conditionKeys returns the keys whose indexes help to find the Contacts that match c. bounded
// is true if these indexes, or the indexes that every List has, find the Contacts without
// reading all Contacts.
func conditionKeys(c *audience.Condition, coveringFilters bool) (keys []*audience.SearchKey, bounded bool) {
	switch {
	case c.Key != nil:
		return testKeys(c, coveringFilters)
	case c.Any != nil:
		for i := range c.Any {
			part, bounded := conditionKeys(&c.Any[i], false)
			if !bounded {
				return nil, false // this alternative must read every Contact in any case
			}
			keys = append(keys, part...)
		}
		return keys, true
	}
	for i := range c.All {
		part, partBounded := conditionKeys(&c.All[i], coveringFilters)
		keys, bounded = append(keys, part...), bounded || partBounded
	}
	return keys, bounded
}

// testKeys is conditionKeys for a single test.
func testKeys(c *audience.Condition, coveringFilters bool) (keys []*audience.SearchKey, bounded bool) {
	switch c.Operator {
	case audience.Exactly, audience.In:
		if c.Key.Type == audience.KeyEmail || c.Key.Type == audience.KeyMobile {
			return nil, true // every List has indexes of addresses
		}
		bounded = true
	case audience.GreaterThan, audience.LessThan, audience.StartsWith:
		bounded = true
	case audience.Not, audience.EndsWith, audience.Contains:
		if !coveringFilters {
			return nil, false
		}
	}
	switch {
	case alwaysIndexed(c.Key):
		return nil, bounded
	case !indexable(c.Key):
		return nil, false
	}
	return []*audience.SearchKey{c.Key}, bounded
}

// indexable reports whether a key may have a SearchIndex. It returns false for Comment Fields:
// their texts are long, and searches seldom compare a complete text. It also returns false for
// keys for which every List has an index.
func indexable(k *audience.SearchKey) bool {
	if k.Field != nil {
		return k.Field.Type != audience.Comment
	}
	return !alwaysIndexed(k)
}

// alwaysIndexed reports whether a key is a system key for which every List has an index.
func alwaysIndexed(k *audience.SearchKey) bool {
	return k.Field == nil && (k.Name == "id" || k.Name == "creation_time" || k.Name == "last_modified_time")
}

// keyOf returns the key with the given IndexKey. It returns nil if the List no longer has the
// key, or if the key may not have an index.
func keyOf(schema *audience.Schema, name string) *audience.SearchKey {
	if k := schema.KeyFor(name); k != nil && indexable(k) {
		return k
	}
	return nil
}
