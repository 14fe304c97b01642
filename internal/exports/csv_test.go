package exports

import (
	"bytes"
	"strings"
	"testing"

	"enlist/internal/imports/sheet"
)

// FuzzExportedCell reads each cell that appendCell writes.
func FuzzExportedCell(f *testing.F) {
	for _, text := range odd {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, last bool) {
		text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?")
		file := append(appendCell(appendCell([]byte("a,b\n"), 0, text, false), 1, "x", false), '\n')
		if last {
			file = append(appendCell(appendCell([]byte("a,b\n"), 0, "x", false), 1, text, false), '\n')
		}
		r, err := sheet.Open(bytes.NewReader(file), int64(len(file)), sheet.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		row, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if row.Err != nil {
			t.Fatal(row.Err)
		}
		got := row.Values[0]
		if last {
			got = row.Values[1]
		}
		if got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}
