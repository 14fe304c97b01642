package enlist

import (
	"strings"

	"enlist/internal/address"
)

// This file defines search criteria as a caller sent them. Package rpc builds them from the
// request. condition_type.go checks them and converts them to a Condition. Package search or
// condition_match.go evaluates the Condition.

// Limits of search criteria. Package rpc checks them while it reads a request, and
// condition_type.go checks them for every other caller. reference.md: search.connectors
const (
	MaxCriteriaTests  = 100 // tests, which callers send as triples
	MaxCriteriaLevels = 10  // of nested groups

	// maxOperands is the largest number of values in all tests together. Parsing a mobile
	// number takes 4 µs, so parsing 200,000 of them takes almost a second.
	maxOperands = 200_000

	// MaxComparedCharacters is the number of characters at the beginning of a text that
	// greater_than, less_than and sorting compare. reference.md: compare
	MaxComparedCharacters = 200
)

// Operator compares a key of a record with a value. reference.md: Search; decisions.md: 32
type Operator uint8

// The operators.
const (
	Exactly Operator = iota + 1
	Not
	GreaterThan
	LessThan
	In
	StartsWith
	EndsWith
	Contains
	OnDays // of a Condition only: the month and the day of a date is one of the operands, such as 02-28
)

// operators maps names to the operators. The names are in the form that operatorCalled looks up.
var operators = map[string]Operator{
	"exactly": Exactly, "equal": Exactly, "equals": Exactly, "not": Not,
	"greaterthan": GreaterThan, "lessthan": LessThan, "in": In,
	"startswith": StartsWith, "endswith": EndsWith, "contains": Contains,
}

var separators = strings.NewReplacer(" ", "", "_", "")

// operatorCalled returns the operator with a name. Letter case, spaces and underscores make no
// difference. ok is false for an unknown name. decisions.md: 32
func operatorCalled(name string) (op Operator, ok bool) {
	op, ok = operators[plainOperator(name)]
	return op, ok
}

// plainOperator returns the name of an operator without what makes no difference.
func plainOperator(name string) string { return separators.Replace(address.LowerASCII(name)) }

// Criteria is a node of the tree that a caller sent. It is an All group, an Any group, or a
// test with Key, Operator and Value.
type Criteria struct {
	All []Criteria // matches if all parts match
	Any []Criteria // matches if at least one part matches

	Key      string
	Operator string // as it was sent
	Value    Input

	// NotField: the Key is KeySegment or one of a Batch, also if the List has a Field of this name. Only the program
	// sets it. A caller's key means the Field then. reference.md: search.key
	NotField bool `json:",omitempty"`
}

// IsNot reports whether the Operator of a test is Not.
func (c *Criteria) IsNot() bool {
	op, _ := operatorCalled(c.Operator)
	return op == Not
}

// Query is a search as the caller sent it.
type Query struct {
	Criteria   *Criteria // nil: every record
	Limit      int64     // largest number of records; 0: no limit
	Offset     int64     // records to skip
	SortBy     string    // "": by ID, ascending
	Descending bool
}

// Text returns the criteria for the audit log, such as: Email exactly "a@example.com" and (id in [1,2] or id exactly 7)
func (c *Criteria) Text() string {
	word, parts := " and ", c.All
	if c.Any != nil {
		word, parts = " or ", c.Any
	}
	if parts == nil {
		return c.Key + " " + c.Operator + " " + c.Value.shown()
	}
	texts := make([]string, len(parts))
	for i := range parts {
		texts[i] = parts[i].Text()
		if parts[i].Key == "" {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	return strings.Join(texts, word)
}

// shown returns a value as JSON has it, without the members of objects.
func (in Input) shown() string {
	switch in.Kind {
	case InputText:
		return `"` + in.Text + `"`
	case InputArray:
		texts := make([]string, len(in.Items))
		for i := range in.Items {
			texts[i] = in.Items[i].shown()
		}
		return "[" + strings.Join(texts, ",") + "]"
	case InputObject:
		return "{}"
	}
	text, _ := in.ScalarText()
	return text
}
