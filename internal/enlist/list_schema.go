package enlist

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/address"
)

// This file has the Schema: a List with its Fields and everything else that its rules need.

// Schema is a List with everything that defines its Contacts. Calls share it, so it never
// changes: after a change of the List there is a new Schema. List.ContactCount is not set; call
// Tx.ContactCount.
type Schema struct {
	List        List
	Fields      []Field // in display order, as SortFields sorts them. reference.md: searchContacts.rule.1
	Preferences []Preference

	// Unique says that no two Contacts of the List have the same address. A List that disallows duplicates can have some
	// that were copied from a version before 1.0.0.
	Unique bool

	TimeZone       string         // the Account's
	TrackingPolicy TrackingPolicy // the Account's
	SharesTracking bool           // the Account's
	Autoresponders []Autoresponder
	Webhooks       []Webhook     // the webhooks of this List, and those of all Lists of the Account
	SearchIndexes  []SearchIndex // the ready indexes; their LastUsed may be out of date

	ByName      map[string]*Field
	ByLowerName map[string]*Field // by the name in ASCII lower case; nil if several names become equal
	byID        map[FieldID]*Field
	Sorted      []*Field // in order of ID
	prefs       map[string]*Preference
	email       *Field
	mobile      *Field
	whole       []Column // of a Contact
}

// NewSchema returns a Schema. fields must be in display order. The slices are not copied.
func NewSchema(list List, fields []Field, preferences []Preference) *Schema {
	s := &Schema{List: list, Fields: fields, Preferences: preferences, Unique: list.DisallowDuplicates,
		ByName: make(map[string]*Field, len(fields)), byID: make(map[FieldID]*Field, len(fields)),
		ByLowerName: make(map[string]*Field, len(fields)), prefs: make(map[string]*Preference, len(preferences))}
	for i := range preferences {
		s.prefs[preferences[i].Name] = &preferences[i]
	}
	for i := range fields {
		f := &fields[i]
		s.ByName[f.Name], s.byID[f.ID] = f, f
		s.Sorted = append(s.Sorted, f)
		if lower := address.LowerASCII(f.Name); !s.hasLowerName(lower) {
			s.ByLowerName[lower] = f
		} else {
			s.ByLowerName[lower] = nil
		}
		switch f.AddressType {
		case AddressEmail:
			s.email = f
		case AddressMobile:
			s.mobile = f
		}
	}
	slices.SortFunc(s.Sorted, func(a, b *Field) int { return cmp.Compare(a.ID, b.ID) })
	s.whole = wholeContact(s)
	return s
}

func (s *Schema) hasLowerName(lower string) bool {
	_, has := s.ByLowerName[lower]
	return has
}

// Field returns the Field with an ID, or nil if the List has no such Field.
func (s *Schema) Field(id FieldID) *Field { return s.byID[id] }

// FieldNamed returns the Field with an exact name, or nil if the List has no such Field.
func (s *Schema) FieldNamed(name string) *Field { return s.ByName[name] }

// Email returns the List's email Field, which every List has.
func (s *Schema) Email() *Field { return s.email }

// Mobile returns the List's mobile Field, or nil if the List has none.
func (s *Schema) Mobile() *Field { return s.mobile }

// Preference returns the preference of the List with a name, or nil if there is none.
func (s *Schema) Preference(name string) *Preference { return s.prefs[name] }

// PreferenceByID returns a preference, or nil.
func (s *Schema) PreferenceByID(id PreferenceID) *Preference {
	i := slices.IndexFunc(s.Preferences, func(p Preference) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Preferences[i]
}

// AddressKey returns the normalised address of a Contact: its email address or, if it has
// none, its mobile number. It returns "" if the Contact has neither.
func (s *Schema) AddressKey(c *Contact) string {
	email := c.Values.Get(s.Email().ID)
	switch _, key, ok := address.ParseEmail(email); {
	case ok:
		return key
	case email != "":
		return c.Key // a version before 1.0.0 accepted it
	}
	if s.Mobile() != nil && c.Values.Get(s.Mobile().ID) != "" {
		return c.Mobile
	}
	return "" // c.Mobile may still have a number of a deleted Field, until a job removes it
}

// FieldByKey returns the Field with a key of the form field_<id>, or nil if there is none.
func (s *Schema) FieldByKey(key string) *Field {
	digits, ok := strings.CutPrefix(key, "field_")
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' { // ParseInt would accept +3 and 03
		return nil
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return nil
	}
	return s.byID[FieldID(id)]
}

// HasAddress reports whether a Contact has an address of a kind. The number of a Contact can be of a deleted Field; a
// job will remove it.
func (s *Schema) HasAddress(c *Contact, kind AddressType) bool {
	field := s.Email()
	if kind == AddressMobile {
		field = s.Mobile()
	}
	return c.Values.Get(field.ID) != ""
}

// AddressField returns the Field with the address of a Contact.
func (s *Schema) AddressField(c *Contact) *Field {
	if s.AddressType(c) == AddressMobile {
		return s.Mobile()
	}
	return s.Email()
}

// AddressType returns AddressEmail if the Contact has an email address, else AddressMobile.
func (s *Schema) AddressType(c *Contact) AddressType {
	if c.Values.Get(s.Email().ID) == "" {
		return AddressMobile
	}
	return AddressEmail
}
