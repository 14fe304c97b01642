package enlist

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/address"
)

// This file evaluates a Condition in memory, for records that are not searched with SQL.
// Tests in search/searchtest check that SQL gives the same results.

// matches reports whether a record satisfies the condition. get returns the record's value
// of a key. Only keys of type KeyInt, KeyBool and KeyText are supported. Call sortOperands
// before matches.
func (c *Condition) matches(get func(*SearchKey) Value) bool {
	matches := func(part Condition) bool { return part.matches(get) }
	switch {
	case c.Key != nil:
		return c.test(get(c.Key))
	case c.Any != nil:
		return slices.ContainsFunc(c.Any, matches)
	}
	return !slices.ContainsFunc(c.All, func(part Condition) bool { return !matches(part) })
}

// inStore reports whether a store can evaluate the condition for records other than Contacts. SQL and matches differ
// about empty texts and about parts of numbers.
func (c *Condition) inStore() bool {
	if c.Key == nil {
		differs := func(part Condition) bool { return !part.inStore() }
		return !slices.ContainsFunc(c.All, differs) && !slices.ContainsFunc(c.Any, differs)
	}
	switch c.Operator {
	case GreaterThan, LessThan:
		if c.Key.Type == KeyText {
			return false
		}
	case StartsWith, EndsWith, Contains:
		if c.Key.Type != KeyText {
			return false
		}
	}
	return !c.Key.Computed &&
		!slices.ContainsFunc(c.Operands, func(o Operand) bool { return o.Absent || o.Impossible })
}

// test reports whether a value passes one test. An empty text is neither greater nor less
// than any operand.
func (c *Condition) test(value Value) bool {
	if c.Operator == In {
		return value.isIn(c.Operands)
	}
	operand := c.Operands[0]
	switch c.Operator {
	case Exactly:
		return value.equals(operand)
	case Not:
		return !value.equals(operand)
	case StartsWith:
		return strings.HasPrefix(value.shownText(), operand.Text)
	case EndsWith:
		return strings.HasSuffix(value.shownText(), operand.Text)
	case Contains:
		return strings.Contains(value.shownText(), operand.Text)
	}
	if value.Kind == KeyText && value.Text == "" {
		return false
	}
	order := value.compare(Value{Kind: value.Kind, Int: operand.Int, Text: operand.Text})
	return c.Operator == GreaterThan && order > 0 || c.Operator == LessThan && order < 0
}

// sortOperands sorts the operands of each In test, so that isIn can use a binary
// search. A test can have as many operands as there are records.
func (c *Condition) sortOperands() {
	for _, parts := range [][]Condition{c.All, c.Any} {
		for i := range parts {
			parts[i].sortOperands()
		}
	}
	if c.Operator != In {
		return
	}
	if c.Key.Type != KeyText {
		c.Operands = slices.DeleteFunc(c.Operands, func(o Operand) bool { return o.Absent || o.Impossible })
	}
	slices.SortFunc(c.Operands, func(a, b Operand) int {
		if c.Key.Type == KeyText {
			return cmp.Compare(a.Text, b.Text)
		}
		return cmp.Compare(a.Int, b.Int)
	})
}

// isIn reports whether the value equals one of the operands, which must be sorted.
func (v Value) isIn(operands []Operand) bool {
	text := address.LowerASCII(v.Text)
	_, found := slices.BinarySearchFunc(operands, v, func(o Operand, v Value) int {
		if v.Kind == KeyText {
			return cmp.Compare(o.Text, text)
		}
		return cmp.Compare(o.Int, v.Int)
	})
	return found
}

// equals reports whether the value equals the operand of Exactly or Not.
func (v Value) equals(o Operand) bool {
	switch {
	case o.Impossible:
		return false
	case v.Kind == KeyText:
		return address.LowerASCII(v.Text) == o.Text
	}
	return !o.Absent && v.Int == o.Int
}

// compare orders two values of one key, for GreaterThan, LessThan and sorting.
func (v Value) compare(other Value) int {
	if v.Kind == KeyText {
		return cmp.Compare(FirstCharacters(address.LowerASCII(v.Text)), FirstCharacters(address.LowerASCII(other.Text)))
	}
	return cmp.Compare(v.Int, other.Int)
}

// shownText returns the value as a reply shows it, in ASCII lower case.
func (v Value) shownText() string {
	if v.Kind == KeyText {
		return address.LowerASCII(v.Text)
	}
	return strconv.FormatInt(v.Int, 10)
}

// FirstCharacters returns the first MaxComparedCharacters characters of a text. The order of
// texts depends only on these characters.
func FirstCharacters(s string) string {
	if len(s) <= MaxComparedCharacters {
		return s
	}
	characters := 0
	for i := range s {
		if characters == MaxComparedCharacters {
			return s[:i]
		}
		characters++
	}
	return s
}
