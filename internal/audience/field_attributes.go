package audience

import (
	"slices"
	"strings"
)

// This file lists the keys of a Field record, and reads the values that callers send for them.

// FieldAttributes are the keys of a Field record, in the order of a reply. specification: Field
var FieldAttributes = []Attribute[Field]{
	searchable(readOnlyInt("id", func(f *Field) FieldID { return f.ID })),
	readOnlyInt("list_id", func(f *Field) ListID { return f.ListID }),
	searchable(textKey("name", func(f *Field) *string { return &f.Name }, readName)),
	searchable(textKey("type", func(f *Field) *FieldType { return &f.Type },
		oneOf("text", "comment", "decimal", "currency", "date", "dropdown", "radio", "checkbox", "file"))),
	searchable(flagKey("is_mandatory", func(f *Field) *bool { return &f.Mandatory })),
	searchable(flagKey("allow_update", func(f *Field) *bool { return &f.AllowUpdate })),
	searchable(bitKey("show_in_form", func(f *Field) *bool { return &f.ShowInForm })),
	intKey("length", func(f *Field) *int64 { return &f.Length }, 0, maxSize),
	intKey("size", func(f *Field) *int64 { return &f.Size }, 0, maxSize),
	textKey("row_size", func(f *Field) *string { return &f.RowSize }, readRowSize),
	searchable(textKey("default_value", func(f *Field) *string { return &f.DefaultValue }, asSent)),
	textKey("values_array", func(f *Field) *string { return &f.Values }, readValuesArray),
	textKey("defaults_array", func(f *Field) *string { return &f.Defaults }, asSent),
	searchable(bitKey("dont_store_default", func(f *Field) *bool { return &f.DontStoreDefault })),
	searchable(textKey("allowed_file_types", func(f *Field) *string { return &f.AllowedFileTypes }, readFileTypes)),
	searchable(intKey("file_folder_id", func(f *Field) *FolderID { return &f.FileFolderID }, 0, maxID)),
	searchable(addressTypeKey()),
	textKey("time_format", func(f *Field) *string { return &f.TimeFormat }, oneOf("", timeOff, time12, time24)),
	textKey("date_validation", func(f *Field) *string { return &f.DateValidation }, readDateValidation),
	intKey("display_order", func(f *Field) *int64 { return &f.DisplayOrder }, -1, maxSize),
}

// attributesOfTypes are the attributes that only some types of Fields use. The function
// empty clears the attribute. decisions.md: 15
var attributesOfTypes = []struct {
	name  string
	types []FieldType
	empty func(*Field)
}{
	{"length", []FieldType{Text}, func(f *Field) { f.Length = 0 }},
	{"address_type", []FieldType{Text}, func(f *Field) { f.AddressType = AddressNone }},
	{"default_value", []FieldType{Text, Comment, Decimal, Currency, Date}, func(f *Field) { f.DefaultValue = "" }},
	{"values_array", []FieldType{Dropdown, Radio, Checkbox}, func(f *Field) { f.Values = "" }},
	{"defaults_array", []FieldType{Dropdown, Radio, Checkbox}, func(f *Field) { f.Defaults = "" }},
	{"dont_store_default", []FieldType{Dropdown}, func(f *Field) { f.DontStoreDefault = false }},
	{"time_format", []FieldType{Date}, func(f *Field) { f.TimeFormat = "" }},
	{"date_validation", []FieldType{Date}, func(f *Field) { f.DateValidation = "" }},
	{"allowed_file_types", []FieldType{File}, func(f *Field) { f.AllowedFileTypes = "" }},
	{"file_folder_id", []FieldType{File}, func(f *Field) { f.FileFolderID = 0 }},
	{"row_size", []FieldType{Comment, File}, func(f *Field) { f.RowSize = "" }},
}

// applicable returns the details that the Field's type uses. It leaves out other details, so
// their values are not checked. If the details set the type, applicable uses the new type.
func (f *Field) applicable(details []Detail) []Detail {
	fieldType := f.Type
	for i := range details {
		if text, ok := details[i].Value.Unbox().AsText(); ok && text != "" && details[i].Key == "type" {
			fieldType = FieldType(text)
		}
	}
	return slices.DeleteFunc(slices.Clone(details), func(d Detail) bool {
		for i := range attributesOfTypes {
			if attributesOfTypes[i].name == d.Key {
				return !slices.Contains(attributesOfTypes[i].types, fieldType)
			}
		}
		return false
	})
}

// clearUnused empties the attributes that the type does not use.
func (f *Field) clearUnused() {
	for i := range attributesOfTypes {
		if !slices.Contains(attributesOfTypes[i].types, f.Type) {
			attributesOfTypes[i].empty(f)
		}
	}
	if f.AddressType != AddressNone {
		f.DefaultValue = "" // a default would give several Contacts the same address
	}
	if f.Type == Date && f.TimeFormat == "" {
		f.TimeFormat = timeOff
	}
}

// maxSize is the largest value of length, size and display_order.
const maxSize = 1<<31 - 1

// noAddress is the address_type that callers see for a Field that is not an address.
// specification: Field, address_type
const noAddress = "none"

// addressTypeKey stores noAddress as AddressNone and shows it as noAddress again.
func addressTypeKey() Attribute[Field] {
	read := func(text string) (string, error) {
		if text == noAddress {
			return "", nil
		}
		return oneOf("", string(AddressEmail), string(AddressMobile))(text)
	}
	a := textKey("address_type", func(f *Field) *AddressType { return &f.AddressType }, read)
	a.Get = func(f *Field) Value {
		if f.AddressType == AddressNone {
			return TextValue(noAddress)
		}
		return TextValue(f.AddressType)
	}
	return a
}

// asSent accepts any text. checkDefaults checks the defaults of a Field later, when all
// attributes are known.
func asSent(text string) (string, error) { return text, nil }

// readRowSize accepts a whole number: the rows of a Comment, or the megabytes of a File.
func readRowSize(text string) (string, error) {
	text = strings.TrimSpace(text)
	if !allDigits(text) || len(text) > 9 {
		return "", expected("a whole number")
	}
	return text, nil
}

// readValuesArray accepts choices separated by commas, and trims each choice.
func readValuesArray(text string) (string, error) {
	choices := splitTrimmed(text)
	sorted := slices.Sorted(slices.Values(choices))
	for i := range len(sorted) - 1 {
		if sorted[i] == sorted[i+1] {
			return "", expected("a list of choices that differ; " + quoted(sorted[i]) + " is there twice")
		}
	}
	return strings.Join(choices, ","), nil
}

// readFileTypes accepts kinds of files separated by commas.
func readFileTypes(text string) (string, error) {
	kinds := []string{"images", "documents", "spreadsheets", "movies", "other"}
	var allowed []string
	for _, kind := range splitTrimmed(text) {
		if !slices.Contains(kinds, kind) {
			return "", expected("a list drawn from " + strings.Join(kinds, ", "))
		}
		if !slices.Contains(allowed, kind) {
			allowed = append(allowed, kind)
		}
	}
	return strings.Join(allowed, ","), nil
}

// readDateValidation accepts "past", "future" or a range of dates.
func readDateValidation(text string) (string, error) {
	validation, ok := parseDateValidation(text)
	if !ok {
		return "", expected("past, future, or two dates as YYYY-MM-DD separated by a comma, the earlier one first")
	}
	return validation, nil
}
