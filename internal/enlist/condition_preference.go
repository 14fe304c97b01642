package enlist

import "strings"

// This file has the keys of criteria that find Contacts by their answers to the preferences of the List. They are no
// columns, and no search can sort by them.

// preferencePrefix begins the key of a preference: preference:Recipes. A Field with such a name takes precedence.
const preferencePrefix = "preference:"

// preferenceKey returns the key with a name, or nil if the List has no such preference. reference.md:
// compare.preference
func (s *Schema) preferenceKey(name string) *SearchKey {
	preference, ok := strings.CutPrefix(name, preferencePrefix)
	if !ok {
		return nil
	}
	p := s.Preference(preference)
	if p == nil {
		return nil
	}
	return &SearchKey{Name: name, Preference: p.ID, Type: KeyPreference, Searchable: true}
}
