package postgres

import (
	"testing"

	"enlist/internal/enlist"

	"github.com/google/go-cmp/cmp"
)

// readValues decodes a JSON object of Field IDs and values, and returns exactly these values. For any
// other text it returns an error.
func TestReadValuesReadsEveryDocumentAndRefusesOthers(t *testing.T) {
	for _, c := range []struct {
		rule, doc string
		want      enlist.Values
	}{
		{"an empty document is read", `{}`, nil},
		{"a text is read", `{"1":"NSW"}`, enlist.Values{{Field: 1, Text: "NSW"}}},
		{"a number keeps its decimals", `{"1": "a, }", "22": -12.50}`,
			enlist.Values{{Field: 1, Text: "a, }"}, {Field: 22, Text: "-12.50"}}},
		{"escapes are decoded", `{"1":"\"\\ \u00e9\ud83d\ude00\n","2":"\\"}`,
			enlist.Values{{Field: 1, Text: "\"\\ é😀\n"}, {Field: 2, Text: `\`}}},
		{"a text with letters of other alphabets is read", `{"1":"ş İ 日本"}`, enlist.Values{{Field: 1, Text: "ş İ 日本"}}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got, err := readValues(c.doc, nil)
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	for _, doc := range []string{"", "[]", "{", `{"1"}`, `{"1":}`, `{"1":true}`, `{"1":null}`, `{"1":"x}`, `{"1":"x\`,
		`{"x":"1"}`, `{"1":"a" "2":"b"}`, `{"1" :x}`, `{"":1}`, `{"1234567890123456789":1}`, `{"1":1 2}`, `{"1":[1]}`} {
		t.Run(doc+" is refused", func(t *testing.T) {
			if got, err := readValues(doc, nil); err == nil {
				t.Errorf("got %v, want an error", got)
			}
		})
	}
}

// readValue accepts one text or one number. For everything else it returns an error.
func TestReadValueReadsOneTextOrNumber(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{`""`, ""}, {`"NSW"`, "NSW"}, {`"\"\\ \n日"`, "\"\\ \n日"}, {"-12.50", "-12.50"},
	} {
		t.Run(c.doc+" is read", func(t *testing.T) {
			if got, err := readValue(c.doc); err != nil || got != c.want {
				t.Errorf("got %q, error %v; want %q", got, err, c.want)
			}
		})
	}
	for _, doc := range []string{"", "null", "true", `"x`, `"x"y`, "1 2", "1,", "[1]", `{"1":2}`} {
		t.Run(doc+" is refused", func(t *testing.T) {
			if got, err := readValue(doc); err == nil {
				t.Errorf("got %q, want an error", got)
			}
		})
	}
}

// BenchmarkReadValues measures how long readValues takes for a document with 10 values.
func BenchmarkReadValues(b *testing.B) {
	const doc = `{"1": "person1@example.com", "2": "0412345678", "3": "Ada", "4": "Lovelace", "5": "NSW", "6": "Sydney", "7": "some more text", "8": "and another", "9": 12.50, "10": "2026-01-31"}`
	var v enlist.Values
	for b.Loop() {
		v, _ = readValues(doc, v[:0])
	}
}
