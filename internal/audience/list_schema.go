package audience

import (
	"cmp"
	"slices"

	"enlist/internal/address"
)

// This file has the Schema: a List with its Fields and everything else that its rules need.

// Schema is a List with everything that defines its Contacts. Calls share it, so it never
// changes: after a change of the List there is a new Schema. List.ContactCount is not set; call
// Tx.ContactCount.
type Schema struct {
	List        List
	Fields      []Field // in display order, as SortFields sorts them. decisions.md: 40
	Preferences []Preference

	// Unique says that no two Contacts of the List have the same address. A List that disallows
	// duplicates can have old ones: see NormaliseQuoted.
	Unique bool

	TimeZone       string // the Account's
	Autoresponders []Autoresponder
	Webhooks       []Webhook     // the webhooks of this List, and those of all Lists of the Account
	SearchIndexes  []SearchIndex // the ready indexes; their LastUsed may be out of date

	byName      map[string]*Field
	byLowerName map[string]*Field // by the name in ASCII lower case; nil if several names become equal
	byID        map[FieldID]*Field
	sorted      []*Field // in order of ID
	prefs       map[string]*Preference
	email       *Field
	mobile      *Field
	whole       []Column // of a Contact
}

// NewSchema returns a Schema. fields must be in display order. The slices are not copied.
func NewSchema(list List, fields []Field, preferences []Preference) *Schema {
	s := &Schema{List: list, Fields: fields, Preferences: preferences, Unique: list.DisallowDuplicates,
		byName: make(map[string]*Field, len(fields)), byID: make(map[FieldID]*Field, len(fields)),
		byLowerName: make(map[string]*Field, len(fields)), prefs: make(map[string]*Preference, len(preferences))}
	for i := range preferences {
		s.prefs[preferences[i].Name] = &preferences[i]
	}
	for i := range fields {
		f := &fields[i]
		s.byName[f.Name], s.byID[f.ID] = f, f
		s.sorted = append(s.sorted, f)
		if lower := address.LowerASCII(f.Name); !s.hasLowerName(lower) {
			s.byLowerName[lower] = f
		} else {
			s.byLowerName[lower] = nil
		}
		switch f.AddressType {
		case AddressEmail:
			s.email = f
		case AddressMobile:
			s.mobile = f
		}
	}
	slices.SortFunc(s.sorted, func(a, b *Field) int { return cmp.Compare(a.ID, b.ID) })
	s.whole = wholeContact(s)
	return s
}

// hasLowerName reports whether a Field has this name in ASCII lower case.
func (s *Schema) hasLowerName(lower string) bool {
	_, has := s.byLowerName[lower]
	return has
}

// Field returns the Field with an ID, or nil if the List has no such Field.
func (s *Schema) Field(id FieldID) *Field { return s.byID[id] }

// FieldNamed returns the Field with an exact name, or nil if the List has no such Field.
func (s *Schema) FieldNamed(name string) *Field { return s.byName[name] }

// Email returns the List's email Field, which every List has.
func (s *Schema) Email() *Field { return s.email }

// Mobile returns the List's mobile Field, or nil if the List has none.
func (s *Schema) Mobile() *Field { return s.mobile }
