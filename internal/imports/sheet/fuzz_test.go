package sheet

import (
	"bytes"
	"encoding/csv"
	"io"
	"testing"
	"unicode/utf8"
)

// FuzzOpen reads any file. Each row has a value for each column or an error, texts are valid UTF-8, and the
// numbers of the rows increase.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(workbookOf(f, `<row><c t="s"><v>0</v></c></row><row><c s="1"><v>1</v></c></row>`, "<si><t>a</t></si>", false)), "", true)
	for _, file := range []string{"a,b\n1,2\n", "sep=;\na;b\n\"x\"\";\";y\r", "{\"a\":1}\n{\"b\":[]}", "\xff\xfea\x00\n\x00", "a\n\"", zipped(f, "x", "a,b"), gzipped(f, "a\tb\n")} {
		f.Add([]byte(file), "", false)
	}
	f.Fuzz(func(t *testing.T, file []byte, encoding string, noHeader bool) {
		r, err := Open(bytes.NewReader(file), int64(len(file)), Options{Encoding: encoding, NoHeader: noHeader, MaxUnzipped: 1 << 20})
		if err != nil {
			return
		}
		defer r.Close()
		for last := int64(0); ; {
			row, err := r.Next()
			if err != nil {
				return
			}
			if row.Number <= last || row.Err == nil && len(row.Values) != len(r.Columns()) {
				t.Fatalf("row %d after %d has %d values for %d columns", row.Number, last, len(row.Values), len(r.Columns()))
			}
			last = row.Number
			for _, v := range row.Values {
				if text, ok := v.(string); ok && !utf8.ValidString(text) {
					t.Fatalf("invalid text %q", text)
				}
			}
		}
	})
}

// FuzzCSV reads what encoding/csv writes, and gets the same cells.
//
// covers: decision 66
func FuzzCSV(f *testing.F) {
	f.Add("Ann", "say \"hi\"", " x\r\ny")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if !utf8.ValidString(a+b+c) || bytes.ContainsAny([]byte(a+b+c), "\x00") || isBlank([]any{a, b, c}) {
			return
		}
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		if err := w.WriteAll([][]string{{"a", "b", "c"}, {a, b, c}}); err != nil {
			t.Fatal(err)
		}
		r, err := Open(bytes.NewReader(file.Bytes()), int64(file.Len()), Options{Format: CSV, Encoding: "utf-8"})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		row, err := r.Next()
		if err != nil || row.Err != nil || row.Values[0] != a || row.Values[1] != b || row.Values[2] != c {
			t.Fatalf("%q: %q %v %v", file.String(), row.Values, row.Err, err)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Fatal(err)
		}
	})
}
