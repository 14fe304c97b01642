package advisor

import (
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file finds the keys of a search for which an index would help. It reads the
// enlist.Condition, not the query plan of the database, so SQLite and PostgreSQL get the same
// indexes.

// indexKeys returns the keys of a search for which an index would help, so that the search does
// not read every Contact. It can return a key several times.
func indexKeys(s *enlist.Search, covering, parts bool) (keys []*enlist.SearchKey) {
	if s.Where != nil {
		keys, _ = keyFinder{s.Schema, covering, parts}.conditionKeys(s.Where)
	}
	if s.Sort != nil && indexable(s.Sort) {
		keys = append(keys, s.Sort)
	}
	return keys
}

// keyFinder finds the keys of a condition for which an index would help.
type keyFinder struct {
	schema *enlist.Schema
	// covering is true if reading a complete index is faster than reading all Contacts. Then an index also helps tests
	// that must read every value, such as contains. PostgreSQL would also read the Contacts.
	covering bool
	// parts is true if the store can build indexes for parts of texts.
	parts bool
}

// conditionKeys returns the keys whose indexes help to find the Contacts that match c. bounded
// is true if these indexes, or the indexes that every List has, find the Contacts without
// reading all Contacts.
func (f keyFinder) conditionKeys(c *enlist.Condition) (keys []*enlist.SearchKey, bounded bool) {
	switch {
	case c.Key != nil:
		return f.testKeys(c)
	case c.Any != nil:
		f.covering = false
		for i := range c.Any {
			part, bounded := f.conditionKeys(&c.Any[i])
			if !bounded {
				return nil, false // this alternative must read every Contact in any case
			}
			keys = append(keys, part...)
		}
		return keys, true
	}
	for i := range c.All {
		part, partBounded := f.conditionKeys(&c.All[i])
		keys, bounded = append(keys, part...), bounded || partBounded
	}
	return keys, bounded
}

// testKeys is conditionKeys for a single test.
func (f keyFinder) testKeys(c *enlist.Condition) (keys []*enlist.SearchKey, bounded bool) {
	if f.usesParts(c) {
		return []*enlist.SearchKey{c.Key.ForParts()}, true
	}
	switch c.Operator {
	case enlist.Exactly, enlist.In:
		if c.Key.Type == enlist.KeyEmail || c.Key.Type == enlist.KeyMobile {
			return nil, true // every List has indexes of addresses
		}
		bounded = true
	case enlist.GreaterThan, enlist.LessThan, enlist.StartsWith:
		bounded = true
	case enlist.Not, enlist.EndsWith, enlist.Contains, enlist.OnDays:
		if !f.covering {
			return nil, false
		}
	}
	switch {
	case alwaysIndexed(c.Key):
		return nil, bounded
	case !indexable(c.Key):
		return nil, false
	}
	return []*enlist.SearchKey{c.Key}, bounded
}

// usesParts reports whether a test uses an index for parts of texts. starts_with uses one only if it exists already,
// because the index of the complete values is smaller.
func (f keyFinder) usesParts(c *enlist.Condition) bool {
	return f.parts && hasParts(c.Key) && search.TestsPart(f.schema, c) &&
		(c.Operator != enlist.StartsWith || f.schema.Indexed(c.Key.ForParts()))
}

// hasParts reports whether a key may have an index for parts of its texts.
func hasParts(k *enlist.SearchKey) bool { return k.Field != nil && k.IsText() && indexable(k) }

// indexable reports whether a key may have a SearchIndex. It returns false for Comment Fields:
// their texts are long, and searches seldom compare a complete text. It also returns false for
// keys for which every List has an index.
func indexable(k *enlist.SearchKey) bool {
	if k.Field != nil {
		return k.Field.Type != enlist.Comment
	}
	return !alwaysIndexed(k)
}

// alwaysIndexed reports whether a key is a system key for which every List has an index, or for which
// another table has one. The answers to preferences have none, because an index of one text finds no part of it.
func alwaysIndexed(k *enlist.SearchKey) bool {
	return k.Type == enlist.KeyBatch || k.Type == enlist.KeyPreference ||
		k.Field == nil && (k.Name == "id" || k.Name == "creation_time" ||
			k.Name == "last_modified_time")
}

// keyNamed returns the key with the given IndexKey. It returns nil if the List no longer has the
// key, or if the key may not have an index.
func keyNamed(schema *enlist.Schema, name string) *enlist.SearchKey {
	if k := schema.KeyFor(name); k != nil && indexable(k) {
		return k
	}
	return nil
}
