package rpc

import (
	"enlist/internal/app"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// This file writes testdata/rows.list: what the table of methods has, as names that tests cite like those of
// doc/reference.md. The test of package internal requires that a test or a transcript covers each.

const rowsFile = "testdata/rows.list"

var (
	// inDetail are the methods of which each parameter and each error is a row.
	inDetail = []string{"subscribeContact", "resubscribeContact", "searchFields", "searchContacts"}
	// recordsInDetail are the records of which each key is a row.
	recordsInDetail = []string{"Field", "Contact"}
)

func TestListOfRowsHasWhatTheTableOfMethodsHas(t *testing.T) {
	var b strings.Builder
	row := func(parts ...any) {
		fmt.Fprintf(&b, "{#%s}\n", strings.Join(strings.Fields(fmt.Sprintln(parts...)), "."))
	}
	d := Describe("test")
	for _, m := range d.Methods {
		if !slices.Contains(inDetail, m.Name) {
			row(m.Name)
			continue
		}
		row(m.Name, "result")
		for i := range m.Params {
			row(m.Name, i+1)
		}
		for _, code := range methods(new(app.App))[m.Name].errors {
			row(m.Name, int(code))
		}
	}
	for _, record := range d.Records {
		for _, key := range record.Keys {
			if slices.Contains(recordsInDetail, record.Name) {
				row(strings.ToLower(record.Name), key.Name)
			}
		}
	}
	if *update {
		if err := os.WriteFile(rowsFile, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if is, err := os.ReadFile(rowsFile); err != nil || string(is) != b.String() {
		t.Errorf("%s is not up to date (%v): go test ./internal/rpc -run ListOfRows -update", rowsFile, err)
	}
}
