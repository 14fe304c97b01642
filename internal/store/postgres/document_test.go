package postgres

import (
	"testing"

	"enlist/internal/audience"

	"github.com/google/go-cmp/cmp"
)

// Values are read unchanged. Any text that is not a document of values is an error.
func TestReadValuesReadsEveryDocumentAndRefusesOthers(t *testing.T) {
	for _, test := range []struct {
		doc  string
		want audience.Values
	}{
		{`{}`, nil},
		{`{"1":"NSW"}`, audience.Values{{Field: 1, Text: "NSW"}}},
		{`{"1": "a, }", "22": -12.50}`, audience.Values{{Field: 1, Text: "a, }"}, {Field: 22, Text: "-12.50"}}},
		{`{"1":"\"\\ \u00e9\ud83d\ude00\n","2":"\\"}`, audience.Values{{Field: 1, Text: "\"\\ é😀\n"}, {Field: 2, Text: `\`}}},
		{`{"1":"ş İ 日本"}`, audience.Values{{Field: 1, Text: "ş İ 日本"}}},
	} {
		got, err := readValues(test.doc, nil)
		if err != nil {
			t.Errorf("%s: %v", test.doc, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.doc, diff)
		}
	}
	for _, doc := range []string{"", "[]", "{", `{"1"}`, `{"1":}`, `{"1":true}`, `{"1":null}`, `{"1":"x}`, `{"1":"x\`, `{"x":"1"}`, `{"1":"a" "2":"b"}`, `{"1" :x}`, `{"":1}`, `{"1234567890123456789":1}`, `{"1":1 2}`, `{"1":[1]}`} {
		if got, err := readValues(doc, nil); err == nil {
			t.Errorf("%s: got %v, want an error", doc, got)
		}
	}
}

// readValue accepts one text or one number. Everything else is an error.
func TestReadValueReadsOneTextOrNumber(t *testing.T) {
	for _, test := range []struct{ doc, want string }{{`""`, ""}, {`"NSW"`, "NSW"}, {`"\"\\ \n日"`, "\"\\ \n日"}, {"-12.50", "-12.50"}} {
		if got, err := readValue(test.doc); err != nil || got != test.want {
			t.Errorf("%s: got %q, %v", test.doc, got, err)
		}
	}
	for _, doc := range []string{"", "null", "true", `"x`, `"x"y`, "1 2", "1,", "[1]", `{"1":2}`} {
		if got, err := readValue(doc); err == nil {
			t.Errorf("%s: got %q, want an error", doc, got)
		}
	}
}

// BenchmarkReadValues measures the document of a Contact with 10 values.
func BenchmarkReadValues(b *testing.B) {
	const doc = `{"1": "person1@example.com", "2": "0412345678", "3": "Ada", "4": "Lovelace", "5": "NSW", "6": "Sydney", "7": "some more text", "8": "and another", "9": 12.50, "10": "2026-01-31"}`
	var v audience.Values
	for b.Loop() {
		v, _ = readValues(doc, v[:0])
	}
}
