package lists

import (
	"testing"

	"enlist/internal/enlist"
)

// No Field has both default_value and defaults_array, so an error can name the refused one.
//
// covers: spec field.record
func TestEachTypeHasAtMostOneKindOfDefault(t *testing.T) {
	for _, fieldType := range []enlist.FieldType{enlist.Text, enlist.Comment, enlist.Decimal, enlist.Currency, enlist.Date, enlist.Dropdown, enlist.Radio, enlist.Checkbox, enlist.File} {
		t.Run(string(fieldType), func(t *testing.T) {
			f := enlist.Field{Type: fieldType, DefaultValue: "x", Defaults: "y"}
			clearUnused(&f)
			if f.DefaultValue != "" && f.Defaults != "" {
				t.Errorf("the Field has both default_value %q and defaults_array %q", f.DefaultValue, f.Defaults)
			}
		})
	}
}
