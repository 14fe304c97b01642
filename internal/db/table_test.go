package db

import (
	"database/sql/driver"
	"testing"
)

func TestCanonicalJSONSortsNamesAndKeepsNumbers(t *testing.T) {
	for _, c := range []struct {
		rule      string
		doc, want string
		changed   bool
	}{
		{"spaces are removed", `{"13": 12.50, "2": "NSW"}`, `{"13":12.50,"2":"NSW"}`, false},
		{"names are sorted", `{"2":"NSW","13":12.50}`, `{"13":12.50,"2":"NSW"}`, false},
		{"numbers keep their text", `[1.10, 100000000000000, 90071992547409931, -0.07]`,
			`[1.10,100000000000000,90071992547409931,-0.07]`, false},
		{"each character has its shortest escape", `{"a":"\u00e4\u0001\\u0000"}`, `{"a":"ä\u0001\\u0000"}`, false},
		{"U+FFFD replaces U+0000", `{"a":["x\u0000y\\\u0000"],"b":null}`,
			`{"a":["x` + "\uFFFD" + `y\\` + "\uFFFD" + `"],"b":null}`, true},
		{"U+FFFD replaces invalid UTF-8", "{\"a\":\"x\xffy\"}", `{"a":"x` + "\uFFFD" + `y"}`, true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			got, changed, err := canonicalJSON(c.doc)
			if err != nil || got != c.want || changed != c.changed {
				t.Errorf("canonicalJSON(%q) returns %q, changed %t, error %v, want %q, changed %t",
					c.doc, got, changed, err, c.want, c.changed)
			}
		})
	}
	if _, _, err := canonicalJSON("{"); err == nil {
		t.Error("canonicalJSON returns no error for an incomplete document")
	}
}

func TestChecksumDependsOnEachValueAndNotOnTheOrderOfRows(t *testing.T) {
	sum := func(rows ...[]driver.Value) (s Checksum) {
		for _, row := range rows {
			if err := s.Add(row); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	a, b := []driver.Value{int64(1), "x", nil}, []driver.Value{int64(2), "", []byte{0}}
	if sum(a, b) != sum(b, a) {
		t.Error("the checksum depends on the order of the rows")
	}
	for _, other := range []struct {
		rule string
		sum  Checksum
	}{
		{"no rows", sum()},
		{"a row is missing", sum(a)},
		{"one of the rows is added twice", sum(a, b, b)},
		{"NULL instead of an empty text", sum(a, []driver.Value{int64(2), nil, []byte{0}})},
		{"a text instead of bytes", sum(a, []driver.Value{int64(2), "", "\x00"})},
		{"another number", sum(a, []driver.Value{int64(1), "", []byte{0}})},
		{"two rows have exchanged values", sum([]driver.Value{int64(1), "", "x"}, b)},
	} {
		t.Run(other.rule, func(t *testing.T) {
			if sum(a, b) == other.sum {
				t.Error("different rows have the same checksum")
			}
		})
	}
}
