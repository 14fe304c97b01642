package enlist

import (
	"slices"
	"strings"
	"time"
)

// This file finds a key by the name that criteria or sort_by contain. A key is a system key
// or, for Contacts, a Field of their List.

// Keys are the keys that a search may use.
type Keys struct {
	System []SearchKey
	Schema *Schema // nil when the records are not Contacts

	// Segment returns the criteria of a Segment of the List. nil: no test may name a Segment.
	Segment func(SegmentID) (*Criteria, error)

	// Now returns the present time and the zone of the Account. nil: no test may be about a relative date.
	Now func() (int64, *time.Location, error)
}

// AttributeKeys returns the keys of a kind of record. Each key has the index of its Attribute.
func AttributeKeys[T any](attributes []Attribute[T]) []SearchKey {
	keys := make([]SearchKey, len(attributes))
	for i := range attributes {
		a := &attributes[i]
		keys[i] = SearchKey{Name: a.Name, Type: a.Type, Searchable: a.Searchable, Computed: a.Computed, index: i}
	}
	return keys
}

// find returns the key with a name. It looks at system keys first, then at names of Fields,
// then at field_<id>, then at keys of Batches, decisions and preferences. With notField it leaves out Fields. It
// returns nil when no key matches. reference.md: search.key
func (k Keys) find(name string, notField bool) *SearchKey {
	var later *SearchKey
	for i := range k.System {
		switch {
		case k.System[i].Name != name:
		case k.System[i].AfterField:
			later = &k.System[i]
		default:
			return &k.System[i]
		}
	}
	if k.Schema != nil && !notField {
		if f := k.Schema.FieldCalled(name); f != nil {
			return f.SearchKey()
		}
	}
	if later != nil || k.Schema == nil {
		return later
	}
	return k.Schema.preferenceKey(name)
}

// FieldCalled finds a Field by its exact name or as field_<id>.
func (s *Schema) FieldCalled(name string) *Field {
	if f := s.FieldNamed(name); f != nil {
		return f
	}
	return s.FieldByKey(name)
}

// SearchKey returns the key of a Field. Its Type says how values are compared. reference.md: compare
func (f *Field) SearchKey() *SearchKey {
	k := &SearchKey{Field: f, Type: KeyText, Searchable: true}
	switch {
	case f.Numeric():
		k.Type = KeyNumber
	case f.Type == Date:
		k.Type = KeyDate
	case f.AddressType == AddressEmail:
		k.Type = KeyEmail
	case f.AddressType == AddressMobile:
		k.Type = KeyMobile
	}
	return k
}

// Sort returns the key to sort by, or nil for "". A name in another letter case is accepted
// if exactly one key matches it. reference.md: sort.by
func (k Keys) Sort(name string) (*SearchKey, error) {
	if name == "" {
		return nil, nil
	}
	if key := k.find(name, false); key != nil && !key.unsortable() {
		return key, nil
	}
	sortable := slices.DeleteFunc(k.inAnyCase(name), func(key *SearchKey) bool { return key.unsortable() })
	switch len(sortable) {
	case 1:
		return sortable[0], nil
	case 0:
		return nil, Refuse(InvalidSearch, "sort_by: no key %q", name)
	}
	return nil, Refuse(InvalidSearch, "sort_by: %q could be several keys; write it exactly as the Field's name", name)
}

// unsortable reports whether a Contact has no single value of the key.
func (k *SearchKey) unsortable() bool { return k.Type == KeyBatch || k.Type == KeyPreference }

// inAnyCase returns the keys whose names equal the name except for letter case. If there is
// none, it also tries the name as field_<id>.
func (k Keys) inAnyCase(name string) (keys []*SearchKey) {
	for i := range k.System {
		if strings.EqualFold(k.System[i].Name, name) {
			keys = append(keys, &k.System[i])
		}
	}
	if k.Schema != nil {
		for i := range k.Schema.Fields {
			if strings.EqualFold(k.Schema.Fields[i].Name, name) {
				keys = append(keys, k.Schema.Fields[i].SearchKey())
			}
		}
		if f := k.Schema.FieldCalled(strings.ToLower(name)); f != nil && len(keys) == 0 {
			keys = append(keys, f.SearchKey())
		}
	}
	return keys
}
