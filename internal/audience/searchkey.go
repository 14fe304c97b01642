package audience

import (
	"strings"
)

// keys are what the criteria and the sorting of a search may name.
type keys struct {
	system []SearchKey
	schema *Schema // nil when the records are no Contacts
}

// attributeKeys returns the keys of a kind of record, each at its attribute's index.
func attributeKeys[T any](attributes []Attribute[T]) []SearchKey {
	all := make([]SearchKey, len(attributes))
	for i := range attributes {
		a := &attributes[i]
		all[i] = SearchKey{Name: a.Name, Type: a.Type, Searchable: a.Searchable, index: i}
	}
	return all
}

// find looks a key up: system keys first, then Fields by name, then
// field_<id>. nil when there is none. decisions.md: 34
func (k keys) find(name string) *SearchKey {
	for i := range k.system {
		if k.system[i].Name == name {
			return &k.system[i]
		}
	}
	if k.schema == nil {
		return nil
	}
	if f := k.schema.fieldCalled(name); f != nil {
		return f.SearchKey()
	}
	return nil
}

// fieldCalled finds a Field by its exact name or as field_<id>.
func (s *Schema) fieldCalled(name string) *Field {
	if f := s.FieldNamed(name); f != nil {
		return f
	}
	return s.fieldByKey(name)
}

// SearchKey says how the Field's values are compared. decisions.md: 36
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

// sort finds the key to sort by, in any letter case where only one fits; nil
// for "". decisions.md: 37
func (k keys) sort(name string) (*SearchKey, error) {
	if name == "" {
		return nil, nil
	}
	if key := k.find(name); key != nil {
		return key, nil
	}
	var found []*SearchKey
	for i := range k.system {
		if strings.EqualFold(k.system[i].Name, name) {
			found = append(found, &k.system[i])
		}
	}
	if k.schema != nil {
		for i := range k.schema.Fields {
			if strings.EqualFold(k.schema.Fields[i].Name, name) {
				found = append(found, k.schema.Fields[i].SearchKey())
			}
		}
		if f := k.schema.fieldCalled(strings.ToLower(name)); f != nil && len(found) == 0 {
			found = append(found, f.SearchKey())
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, Refuse(InvalidSearch, "sort_by: no key %q", name)
	}
	return nil, Refuse(InvalidSearch, "sort_by: %q could be several keys; spell it as the Field does", name)
}
