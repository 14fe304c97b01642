package rpc

import (
	"fmt"
	"testing"
)

// When a text Field becomes a numeric Field, a job converts its values. Until the job has
// converted all Contacts, the Field still has texts. The reply to a search must be valid JSON
// during this time.
//
// covers: spec record.types
func TestNumericFieldIsWrittenAsValidJSON(t *testing.T) {
	for _, test := range []struct {
		text string
		want string
	}{
		{"", `""`},
		{"0", "0"},
		{"12.50", "12.50"},
		{"-0.5", "-0.5"},
		{"007", "7"},
		{"+5", "5"},
		{".5", "0.5"},
		{"-.5", "-0.5"},
		{"00.1", "0.1"},
		{" 7 ", "7"},
		{"1e3", "1000"},
		{"7\u00a0", "7"},
		{"-", `"-"`},
		{"1.", `"1."`},
		{"1.2.3", `"1.2.3"`},
		{"abc", `"abc"`},
	} {
		t.Run(fmt.Sprintf("%.60q", test.text), func(t *testing.T) {
			if got := string(appendNumber(nil, test.text)); got != test.want {
				t.Errorf("%q is written as %s, want %s", test.text, got, test.want)
			}
		})
	}
}
