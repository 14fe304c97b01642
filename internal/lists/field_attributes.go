package lists

import (
	"slices"
	"strings"

	"enlist/internal/enlist"
)

// This file lists the keys of a Field record, and reads the values that callers send for them.

// FieldAttributes are the keys of a Field record, in the order of a reply. reference.md: Fields
var FieldAttributes = enlist.WithVersion([]enlist.Attribute[enlist.Field]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(f *enlist.Field) enlist.FieldID { return f.ID })),
	enlist.ReadOnlyInt("list_id", func(f *enlist.Field) enlist.ListID { return f.ListID }),
	enlist.Searchable(enlist.TextKey("name", func(f *enlist.Field) *string { return &f.Name }, enlist.ReadName)),
	enlist.Searchable(enlist.TextKey("type", func(f *enlist.Field) *enlist.FieldType { return &f.Type },
		enlist.OneOf("text", "comment", "decimal", "currency", "date", "dropdown", "radio", "checkbox", "file"))),
	enlist.Searchable(enlist.FlagKey("is_mandatory", func(f *enlist.Field) *bool { return &f.Mandatory })),
	enlist.Searchable(enlist.FlagKey("allow_update", func(f *enlist.Field) *bool { return &f.AllowUpdate })),
	enlist.Searchable(enlist.BitKey("show_in_form", func(f *enlist.Field) *bool { return &f.ShowInForm })),
	enlist.IntKey("length", func(f *enlist.Field) *int64 { return &f.Length }, 0, maxSize),
	enlist.IntKey("size", func(f *enlist.Field) *int64 { return &f.Size }, 0, maxSize),
	enlist.TextKey("row_size", func(f *enlist.Field) *string { return &f.RowSize }, readRowSize),
	enlist.Searchable(enlist.TextKey("default_value", func(f *enlist.Field) *string { return &f.DefaultValue },
		AsSent)),
	enlist.TextKey("values_array", func(f *enlist.Field) *string { return &f.Values }, readValuesArray),
	enlist.TextKey("defaults_array", func(f *enlist.Field) *string { return &f.Defaults }, AsSent),
	enlist.Searchable(enlist.BitKey("dont_store_default", func(f *enlist.Field) *bool { return &f.DontStoreDefault })),
	enlist.Searchable(enlist.TextKey("allowed_file_types", func(f *enlist.Field) *string { return &f.AllowedFileTypes },
		readFileTypes)),
	enlist.Searchable(enlist.IntKey("file_folder_id", func(f *enlist.Field) *enlist.FolderID { return &f.FileFolderID },
		0, MaxID)),
	enlist.Searchable(addressTypeKey()),
	enlist.TextKey("time_format", func(f *enlist.Field) *string { return &f.TimeFormat },
		enlist.OneOf("", enlist.TimeOff, enlist.Time12, enlist.Time24)),
	enlist.TextKey("date_validation", func(f *enlist.Field) *string { return &f.DateValidation }, readDateValidation),
	enlist.IntKey("display_order", func(f *enlist.Field) *int64 { return &f.DisplayOrder }, -1, maxSize),
})

// attributesOfTypes are the attributes that only some types of Fields use. The function
// empty clears the attribute. reference.md: field.record
var attributesOfTypes = []struct {
	name  string
	types []enlist.FieldType
	empty func(*enlist.Field)
}{
	{"length", []enlist.FieldType{enlist.Text}, func(f *enlist.Field) { f.Length = 0 }},
	{"address_type", []enlist.FieldType{enlist.Text}, func(f *enlist.Field) { f.AddressType = enlist.AddressNone }},
	{"default_value", []enlist.FieldType{enlist.Text, enlist.Comment, enlist.Decimal, enlist.Currency, enlist.Date},
		func(f *enlist.Field) { f.DefaultValue = "" }},
	{"values_array", []enlist.FieldType{enlist.Dropdown, enlist.Radio, enlist.Checkbox},
		func(f *enlist.Field) { f.Values = "" }},
	{"defaults_array", []enlist.FieldType{enlist.Dropdown, enlist.Radio, enlist.Checkbox},
		func(f *enlist.Field) { f.Defaults = "" }},
	{"dont_store_default", []enlist.FieldType{enlist.Dropdown}, func(f *enlist.Field) { f.DontStoreDefault = false }},
	{"time_format", []enlist.FieldType{enlist.Date}, func(f *enlist.Field) { f.TimeFormat = "" }},
	{"date_validation", []enlist.FieldType{enlist.Date}, func(f *enlist.Field) { f.DateValidation = "" }},
	{"allowed_file_types", []enlist.FieldType{enlist.File}, func(f *enlist.Field) { f.AllowedFileTypes = "" }},
	{"file_folder_id", []enlist.FieldType{enlist.File}, func(f *enlist.Field) { f.FileFolderID = 0 }},
	{"row_size", []enlist.FieldType{enlist.Comment, enlist.File}, func(f *enlist.Field) { f.RowSize = "" }},
}

// Applicable returns the details that the Field's type uses. It leaves out other details, so
// their values are not checked. If the details set the type, applicable uses the new type.
func Applicable(f *enlist.Field, details []enlist.Detail) []enlist.Detail {
	fieldType := f.Type
	for i := range details {
		if text, ok := details[i].Value.Unbox().AsText(); ok && text != "" && details[i].Key == "type" {
			fieldType = enlist.FieldType(text)
		}
	}
	return slices.DeleteFunc(slices.Clone(details), func(d enlist.Detail) bool {
		for i := range attributesOfTypes {
			if attributesOfTypes[i].name == d.Key {
				return !slices.Contains(attributesOfTypes[i].types, fieldType)
			}
		}
		return false
	})
}

// clearUnused empties the attributes that the type does not use.
func clearUnused(f *enlist.Field) {
	for i := range attributesOfTypes {
		if !slices.Contains(attributesOfTypes[i].types, f.Type) {
			attributesOfTypes[i].empty(f)
		}
	}
	if f.AddressType != enlist.AddressNone {
		f.DefaultValue = "" // a default would give several Contacts the same address
	}
	if f.Type == enlist.Date && f.TimeFormat == "" {
		f.TimeFormat = enlist.TimeOff
	}
}

// maxSize is the largest value of length, size and display_order.
const maxSize = 1<<31 - 1

// noAddress is the address_type that callers see for a Field that is not an address.
// reference.md: field.address_type
const noAddress = "none"

// addressTypeKey stores noAddress as AddressNone and shows it as noAddress again.
func addressTypeKey() enlist.Attribute[enlist.Field] {
	read := func(text string) (string, error) {
		if text == noAddress {
			return "", nil
		}
		return enlist.OneOf("", string(enlist.AddressEmail), string(enlist.AddressMobile))(text)
	}
	a := enlist.TextKey("address_type", func(f *enlist.Field) *enlist.AddressType { return &f.AddressType }, read)
	a.Get = func(f *enlist.Field) enlist.Value {
		if f.AddressType == enlist.AddressNone {
			return enlist.TextValue(noAddress)
		}
		return enlist.TextValue(f.AddressType)
	}
	return a
}

// AsSent accepts any text. checkDefaults checks the defaults of a Field later, when all
// attributes are known.
func AsSent(text string) (string, error) { return text, nil }

// readRowSize accepts a whole number: the rows of a Comment, or the megabytes of a File.
func readRowSize(text string) (string, error) {
	text = strings.TrimSpace(text)
	if !enlist.AllDigits(text) || len(text) > 9 {
		return "", enlist.Expected("a whole number")
	}
	return text, nil
}

// readValuesArray accepts choices separated by commas, and trims each choice.
func readValuesArray(text string) (string, error) {
	choices := enlist.SplitTrimmed(text)
	sorted := slices.Sorted(slices.Values(choices))
	for i := range len(sorted) - 1 {
		if sorted[i] == sorted[i+1] {
			return "", enlist.Expected("a list of choices that differ; " + enlist.Quoted(sorted[i]) + " is there twice")
		}
	}
	return strings.Join(choices, ","), nil
}

// readFileTypes accepts kinds of files separated by commas.
func readFileTypes(text string) (string, error) {
	kinds := []string{"images", "documents", "spreadsheets", "movies", "other"}
	var allowed []string
	for _, kind := range enlist.SplitTrimmed(text) {
		if !slices.Contains(kinds, kind) {
			return "", enlist.Expected("a list drawn from " + strings.Join(kinds, ", "))
		}
		if !slices.Contains(allowed, kind) {
			allowed = append(allowed, kind)
		}
	}
	return strings.Join(allowed, ","), nil
}

// readDateValidation accepts "past", "future" or a range of dates.
func readDateValidation(text string) (string, error) {
	validation, ok := enlist.ParseDateValidation(text)
	if !ok {
		return "", enlist.Expected("past, future, or two dates as YYYY-MM-DD separated by a comma, the earlier one first")
	}
	return validation, nil
}
