package sqlstore

import (
	"database/sql/driver"
	"testing"
)

func TestCanonicalJSON(t *testing.T) {
	for doc, want := range map[string]struct {
		text    string
		changed bool
	}{
		`{"13": 12.50, "2": "NSW"}`:      {`{"13":12.50,"2":"NSW"}`, false},
		`{"2":"NSW","13":12.50}`:         {`{"13":12.50,"2":"NSW"}`, false},
		`[1.10, 100000000000000, -0.07]`: {`[1.10,100000000000000,-0.07]`, false},
		`{"a":"\u00e4\u0001\\u0000"}`:    {`{"a":"ä\u0001\\u0000"}`, false},
		`{"a":["x\u0000y"],"b":null}`:    {`{"a":["x` + "\uFFFD" + `y"],"b":null}`, true},
		"{\"a\":\"x\xffy\"}":             {`{"a":"x` + "\uFFFD" + `y"}`, true},
	} {
		got, changed, err := canonicalJSON(doc)
		if err != nil || got != want.text || changed != want.changed {
			t.Errorf("%q: %q, changed %t, error %v, want %q, %t", doc, got, changed, err, want.text, want.changed)
		}
	}
	if _, _, err := canonicalJSON("{"); err == nil {
		t.Error("half a document has no error")
	}
}

func TestSum(t *testing.T) {
	sum := func(rows ...[]driver.Value) *Checksum {
		var s Checksum
		for _, row := range rows {
			s.Add(row)
		}
		return &s
	}
	a, b := []driver.Value{int64(1), "x", nil}, []driver.Value{int64(2), "", []byte{0}}
	if !sum(a, b).Same(sum(b, a)) {
		t.Error("the order of rows matters")
	}
	for _, other := range []*Checksum{sum(), sum(a), sum(a, b, b), sum(a, []driver.Value{int64(2), nil, []byte{0}}), sum(a, []driver.Value{int64(2), "", "\x00"}),
		sum(a, []driver.Value{int64(1), "", []byte{0}}), sum([]driver.Value{int64(1), "", "x"}, b)} {
		if sum(a, b).Same(other) {
			t.Errorf("other rows come to the same: %+v", other)
		}
	}
}
