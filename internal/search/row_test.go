package search

import (
	"testing"

	"enlist/internal/db"
	"enlist/internal/enlist"

	"github.com/google/go-cmp/cmp"
)

// The document of field_values can contain the values in any order.
func TestValuesAreReadInOrderOfFieldID(t *testing.T) {
	tx := &db.Tx{SQL: &db.Dialect{ReadValues: func(string, enlist.Values) (enlist.Values, error) {
		unordered := enlist.Values{{Field: 3, Text: "c"}, {Field: 1, Text: "a"}, {Field: 22, Text: "d"}, {Field: 2, Text: "b"}}
		return unordered, nil
	}}}
	var c enlist.Contact
	if err := ReadValues(tx, "", &c); err != nil {
		t.Fatal(err)
	}
	want := enlist.Values{{Field: 1, Text: "a"}, {Field: 2, Text: "b"}, {Field: 3, Text: "c"}, {Field: 22, Text: "d"}}
	if diff := cmp.Diff(want, c.Values); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
