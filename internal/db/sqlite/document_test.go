package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"enlist/internal/enlist"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// These tests compare readValues with SQLite's own encoder of binary JSON (JSONB).

// binary returns a function that converts JSON text to JSONB with SQLite.
func binary(t testing.TB) func(text string) (document string) {
	t.Helper()
	c, err := (&connector{path: filepath.Join(t.TempDir(), "x.db"), writer: true}).connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return func(text string) string {
		query := "SELECT " + Dialect.Document + " FROM (SELECT jsonb(?) AS field_values)"
		rows, err := c.session.Query(context.Background(), query, text)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		row, err := rows.Next()
		if err != nil {
			t.Fatal(err)
		}
		return row[0].(string)
	}
}

// readValues decodes each kind of text and of number, and each length that the encoded size can have. It
// refuses other JSON values.
func TestReadValuesDecodesWhatSQLiteEncodes(t *testing.T) {
	binary := binary(t)
	long := strings.Repeat("é, ", 30_000)
	for _, c := range []struct {
		rule, doc string
		want      enlist.Values
	}{
		{"an empty document is decoded", `{}`, nil},
		{"a text is decoded", `{"1":"NSW"}`, enlist.Values{{Field: 1, Text: "NSW"}}},
		{"a number keeps its trailing zeros", `{"1": "a, }", "22": -12.50}`,
			enlist.Values{{Field: 1, Text: "a, }"}, {Field: 22, Text: "-12.50"}}},
		{"a Field ID with 18 digits is decoded", `{"1":0,"123456789012345678":123456789012345678901234567890}`,
			enlist.Values{{Field: 1, Text: "0"}, {Field: 123456789012345678, Text: "123456789012345678901234567890"}}},
		{"escapes are decoded", `{"1":"\"\\ \u00e9\ud83d\ude00\n","2":"\\"}`,
			enlist.Values{{Field: 1, Text: "\"\\ é😀\n"}, {Field: 2, Text: `\`}}},
		{"a text with a control character is decoded", `{"1":"ş İ 日本\u0001"}`, enlist.Values{{Field: 1, Text: "ş İ 日本\x01"}}},
		{"a long text is decoded", `{"1":"` + long + `","2":"x"}`,
			enlist.Values{{Field: 1, Text: long}, {Field: 2, Text: "x"}}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got, err := readValues(binary(c.doc), nil)
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%.1000s", diff)
			}
		})
	}
	for _, doc := range []string{"[]", "1", `{"1":true}`, `{"1":null}`, `{"x":"1"}`, `{"":1}`, `{"1234567890123456789":1}`,
		`{"1":[1]}`, `{"1":{}}`} {
		t.Run(doc+" is refused", func(t *testing.T) {
			if got, err := readValues(binary(doc), nil); err == nil {
				t.Errorf("readValues returns %v, want an error", got)
			}
		})
	}
}

// If an operator runs jsonb_set or jsonb_remove, these functions store texts of the kind kindRaw.
func TestReadValuesDecodesResultsOfJSONBSet(t *testing.T) {
	c, err := (&connector{path: filepath.Join(t.TempDir(), "x.db"), writer: true}).connect()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	rows, err := c.session.Query(context.Background(), "SELECT "+Dialect.Document+` FROM (SELECT jsonb_remove(
		jsonb_set(jsonb(?), '$."3"', ?, '$."12"', 'x', '$."14"', 0.5), '$."1"') AS field_values)`,
		`{"1":"a","3":"b","5":7}`, "\a\\ \"b\"\né")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	row, err := rows.Next()
	if err != nil {
		t.Fatal(err)
	}
	got, err := readValues(row[0].(string), nil)
	want := enlist.Values{{Field: 3, Text: "\a\\ \"b\"\né"}, {Field: 5, Text: "7"}, {Field: 12, Text: "x"},
		{Field: 14, Text: "0.5"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got)\n%s", err, diff)
	}
}

// readValues returns the values that were encoded, for documents of any size.
func TestReadValuesDecodesDocumentsOfAnySize(t *testing.T) {
	binary := binary(t)
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringN(0, 400, 70_000))).Draw(t, "texts")
		var want enlist.Values
		parts := make([]string, len(texts))
		for i, text := range texts {
			want = append(want, enlist.FieldValue{Field: enlist.FieldID(i), Text: text})
			quoted, _ := json.Marshal(text)
			parts[i] = fmt.Sprintf(`"%d":%s`, i, quoted)
		}
		got, err := readValues(binary("{"+strings.Join(parts, ",")+"}"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

// readValues does not panic for arbitrary bytes. It returns at most one value for every two bytes, because an
// encoded value and its key have at least two bytes.
func FuzzReadValues(f *testing.F) {
	binary := binary(f)
	f.Add("")
	f.Add("\xfc\xff\xff\xff\xff\xff\xff\xff\xff")
	f.Add("\x4c\x17\x31\xe8\xff\xff\xff\xff")
	f.Add(binary(`{"1":"NSW","2":12.50,"3":"\n","4":"a text that is a little longer"}`))
	f.Fuzz(func(t *testing.T, document string) {
		values, err := readValues(document, nil)
		if err == nil && len(values) > len(document)/2 {
			t.Errorf("readValues returns %d values from %d bytes, want at most one from 2 bytes", len(values), len(document))
		}
	})
}

func BenchmarkReadValues(b *testing.B) {
	document := binary(b)(`{"1":"person1@example.com","2":"0412345678","3":"Ada","4":"Lovelace","5":"NSW","6":"Sydney","7":"some more text","8":"and another","9":12.50,"10":"2026-01-31"}`)
	var v enlist.Values
	for b.Loop() {
		v, _ = readValues(document, v[:0])
	}
}
