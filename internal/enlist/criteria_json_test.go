package enlist

import "testing"

// Package rpc has a test that reads what JSON returns.
//
// covers: spec segment.criteria
func TestCriteriaAreShownAsACallerSendsThem(t *testing.T) {
	a, b, c := test("a", "exactly", "x"), test("b", "in", []any{num("1"), "<&>", nil, true, false}), test("c", "not", num("1e5"))
	for _, s := range []struct {
		name     string
		criteria Criteria
		want     string
	}{
		{"one test", a, `[["a","exactly","x"]]`},
		{"AND", Criteria{All: []Criteria{a, b}}, `[["a","exactly","x"],["b","in",[1,"<&>",null,true,false]]]`},
		{"OR, and AND has precedence", Criteria{Any: []Criteria{a, {All: []Criteria{a, c}}}},
			`[["a","exactly","x"],"OR",["a","exactly","x"],["c","not",1e5]]`},
		{"a group in a group", Criteria{All: []Criteria{{Any: []Criteria{a, c}}, a}},
			`[[["a","exactly","x"],"OR",["c","not",1e5]],["a","exactly","x"]]`},
	} {
		t.Run(s.name, func(t *testing.T) {
			if got := s.criteria.JSON(); got != s.want {
				t.Errorf("got  %s\nwant %s", got, s.want)
			}
		})
	}
}
