package rpc

import (
	"fmt"
	"strings"
	"testing"

	"enlist/api"
	"enlist/internal/enlist"
)

// covers: spec search.connectors
func TestANDHasAHigherPrecedenceThanOR(t *testing.T) {
	a, b, c := `["a","exactly",1]`, `["b","not","x"]`, `{"field":"c","modifier":"in","value":[1,"2",null,true]}`
	for _, test := range []struct {
		text     string
		expected string
	}{
		{`null`, "nil"}, {`""`, "nil"}, {`[]`, "nil"}, {`[[]]`, "nil"}, {`[[],"OR",[[]]]`, "nil"}, {`["AND","OR"]`, "nil"},
		{`[` + a + `]`, "a exactly 1"},
		{`[` + a + `,` + b + `]`, "(a exactly 1 AND b not x)"},
		{`[` + a + `,"AND",` + b + `]`, "(a exactly 1 AND b not x)"},
		{`[` + a + `,"or",` + b + `]`, "(a exactly 1 OR b not x)"},
		{`[` + a + `,` + b + `,"OR",` + c + `]`, "((a exactly 1 AND b not x) OR c in [1 2 . true])"},
		{`[` + a + `,"OR",` + b + `,` + c + `]`, "(a exactly 1 OR (b not x AND c in [1 2 . true]))"},
		{`[` + a + `,[` + b + `,"OR",` + c + `]]`, "(a exactly 1 AND (b not x OR c in [1 2 . true]))"},
		{`[[` + a + `,` + b + `]]`, "(a exactly 1 AND b not x)"},
		{`[[[` + a + `]]]`, "a exactly 1"},
		{`["OR",` + a + `,"OR","OR",` + b + `,"AND"]`, "(a exactly 1 OR b not x)"},
		{`[` + a + `,"OR",[]]`, "a exactly 1"},
		{a, "a exactly 1"}, {c, "c in [1 2 . true]"}, {`["OR","exactly",1]`, "OR exactly 1"}, // a triple without an array
		{`[["OR","exactly","x"]]`, "OR exactly x"},
		{`[["OR",` + a + `,` + b + `]]`, "(a exactly 1 AND b not x)"},
		{`[["AND","OR",` + a + `]]`, "a exactly 1"},
		{`[{"value":"","field":"c","modifier":"exactly"}]`, "c exactly "},
	} {
		t.Run(fmt.Sprintf("%.60q", test.text), func(t *testing.T) {
			p := criteriaParams(t, test.text)
			read := p.criteria(0)
			if got := show(read); p.err != nil || got != test.expected {
				t.Errorf("%s: got %s and the error %v, want %s", test.text, got, p.err, test.expected)
			}
			if read == nil {
				return
			}
			if got := show(criteriaParams(t, read.JSON()).criteria(0)); got != test.expected { // as searchSegments returns them
				t.Errorf("%s is shown as %s, which is read as %s", test.text, read.JSON(), got)
			}
		})
	}
	for _, text := range []string{
		`7`, `true`, `"x"`, `{}`, // not an array
		`[7]`, `[null]`, `["x"]`, `[["a"]]`, `[["a","exactly"]]`, `[["a","exactly",1,2]]`, `[[1,"exactly",1]]`, `[["a",1,1]]`,
		`[["a","exactly",{}]]`, `[["a","in",[[1]]]]`, `[["a","in",[{}]]]`, `[{}]`, `[{"field":"a","modifier":"exactly"}]`,
		`[{"field":"a","operator":"exactly","value":1}]`, `[{"field":1,"modifier":"exactly","value":1}]`,
	} {
		t.Run(fmt.Sprintf("refused %.60q", text), func(t *testing.T) {
			p := criteriaParams(t, text)
			p.criteria(0)
			if r, ok := p.err.(*refusal); !ok || r.code != api.CodeInvalidSearch {
				t.Errorf("%s: got the error %v, want code 311", text, p.err)
			}
		})
	}
}

// covers: spec search.connectors
func TestCriteriaHaveAtMost100TriplesAnd10Levels(t *testing.T) {
	triple := `["a","exactly",1]`
	nested := func(levels int) string {
		return strings.Repeat("[", levels) + triple + strings.Repeat("]", levels)
	}
	for _, test := range []struct {
		text string
		good bool
	}{
		{"[" + strings.Repeat(triple+",", 99) + triple + "]", true},
		{"[" + strings.Repeat(triple+",", 100) + triple + "]", false},
		{nested(10), true},
		{nested(11), false},
	} {
		t.Run(fmt.Sprintf("%.60q", test.text), func(t *testing.T) {
			p := criteriaParams(t, test.text)
			p.criteria(0)
			if (p.err == nil) != test.good {
				t.Errorf("%.40s…: got the error %v, want success: %v", test.text, p.err, test.good)
			}
		})
	}
}

// criteriaParams returns params whose only parameter is search_criteria, parsed from text.
func criteriaParams(t *testing.T, text string) *params {
	t.Helper()
	v, err := parse(text)
	if err != nil {
		t.Fatal(text, err)
	}
	return &params{names: []string{"search_criteria"}, values: []enlist.Input{*v}}
}

// show returns criteria as text, with parentheses around each group.
func show(c *enlist.Criteria) string {
	if c == nil {
		return "nil"
	}
	group, word := c.All, " AND "
	if c.Any != nil {
		group, word = c.Any, " OR "
	}
	if group == nil {
		return c.Key + " " + c.Operator + " " + showInput(c.Value)
	}
	var parts []string
	for i := range group {
		parts = append(parts, show(&group[i]))
	}
	return "(" + strings.Join(parts, word) + ")"
}

func showInput(in enlist.Input) string {
	switch in.Kind {
	case enlist.InputNull:
		return "."
	case enlist.InputTrue:
		return "true"
	case enlist.InputArray:
		var parts []string
		for _, item := range in.Items {
			parts = append(parts, showInput(item))
		}
		return fmt.Sprint(parts)
	}
	return in.Text
}
