package enlist

import (
	"cmp"
	"slices"
)

// This file has the record of a Field.

// FieldType says what values a Field has. reference.md: Fields
type FieldType string

// The Field types. An address Field is a Text Field with an AddressType.
const (
	Text     FieldType = "text"
	Comment  FieldType = "comment"
	Decimal  FieldType = "decimal"
	Currency FieldType = "currency"
	Date     FieldType = "date"
	Dropdown FieldType = "dropdown"
	Radio    FieldType = "radio"
	Checkbox FieldType = "checkbox"
	File     FieldType = "file"
)

// AddressType says whether the values of a Text Field are addresses.
type AddressType string

// The address types.
const (
	AddressNone   AddressType = ""
	AddressEmail  AddressType = "email"
	AddressMobile AddressType = "mobile"
)

// Field defines one value of each Contact of a List. Attributes that do not apply to the Type
// are empty.
type Field struct {
	ID               FieldID
	ListID           ListID
	Name             string
	Type             FieldType
	Mandatory        bool
	AllowUpdate      bool
	ShowInForm       bool
	Length           int64 // largest number of characters in a Text Field; 0: no limit
	Size             int64 // width of the input on a form; only for display
	RowSize          string
	DefaultValue     string
	Values           string // comma-separated choices of Dropdown, Radio and Checkbox
	Defaults         string // default choice(s) of Dropdown, Radio and Checkbox
	DontStoreDefault bool
	AllowedFileTypes string
	FileFolderID     FolderID
	AddressType      AddressType
	TimeFormat       string // of a Date Field: "off", "12h" or "24h"
	DateValidation   string // of a Date Field: "", "past", "future" or "YYYY-MM-DD,YYYY-MM-DD"
	DisplayOrder     int64  // position on the default form; -1: hidden
}

// Numeric reports whether the Field's values are compared and shown as numbers.
func (f *Field) Numeric() bool { return f.Type == Decimal || f.Type == Currency }

// NeedsConversion reports whether the stored form of a value may change with the new type.
func (f *Field) NeedsConversion(old *Field) bool {
	if f.Type == old.Type {
		return false
	}
	return f.Numeric() != old.Numeric() || f.Type == Date || f.Type == Checkbox
}

// SortFields puts Fields into display order: visible Fields by position, then hidden Fields.
// Fields with the same position are sorted by ID. reference.md: searchContacts.rule.1
func SortFields(fields []Field) {
	slices.SortFunc(fields, func(a, b Field) int {
		if hidden := cmp.Compare(min(b.DisplayOrder, 0), min(a.DisplayOrder, 0)); hidden != 0 {
			return hidden
		}
		return cmp.Or(cmp.Compare(a.DisplayOrder, b.DisplayOrder), cmp.Compare(a.ID, b.ID))
	})
}
