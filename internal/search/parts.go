package search

import (
	"strings"
	"unicode/utf8"

	"enlist/internal/enlist"
)

// This file decides which tests of contains, ends_with and starts_with use an index for parts of texts. Only
// PostgreSQL has such indexes (postgres/trigram.go).

// usesPartsIndex reports whether an index for parts of texts answers a test.
func (q *Query) usesPartsIndex(c *enlist.Condition) bool {
	return len(q.Schema.SearchIndexes) > 0 && TestsPart(q.Schema, c) && q.Schema.Indexed(c.Key.ForParts())
}

// minPart is the smallest number of characters of a part: an index for parts has three consecutive characters as its
// entries.
const minPart = 3

// TestsPart reports whether a test has a form that an index for parts of texts can answer. For starts_with, the index of
// the ordered form is smaller and faster.
func TestsPart(schema *enlist.Schema, c *enlist.Condition) bool {
	switch c.Operator {
	case enlist.Contains, enlist.EndsWith:
	case enlist.StartsWith:
		if schema.Indexed(c.Key) {
			return false
		}
	default:
		return false
	}
	return utf8.RuneCountInString(c.Operands[0].Text) >= minPart
}

// wildcards escapes the characters that LIKE treats specially.
var wildcards = strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)

// pattern returns the operand of LIKE for a part of a text. No character of the part is a wildcard.
func pattern(op enlist.Operator, part string) string {
	part = wildcards.Replace(part)
	switch op {
	case enlist.StartsWith:
		return part + "%"
	case enlist.EndsWith:
		return "%" + part
	}
	return "%" + part + "%"
}
