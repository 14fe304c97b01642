package search

import (
	"strconv"

	"enlist/internal/enlist"
)

// This file writes the tests of keys of the type enlist.KeyPreference. The column preference_values has the answers of
// a Contact as JSON without spaces, such as {"3":true,"4":false}, or '' without an answer. The quotes around an ID make
// a search for a part of this text exact, and both engines read it without parsing JSON. No index has it.

// testPreference writes the test of an answer. The result is never NULL.
func (q *Query) testPreference(c *enlist.Condition) {
	if c.Operator == enlist.Not {
		q.Add("NOT ")
	}
	connector := "("
	for _, o := range c.Operands {
		q.Add(connector)
		q.answered(c.Key, o)
		connector = " OR "
	}
	if connector == "(" {
		q.Add("(FALSE")
	}
	q.Add(")")
}

// answered writes the test for one answer: agreed, declined, or none.
func (q *Query) answered(k *enlist.SearchKey, o enlist.Operand) {
	begin := `"` + strconv.FormatInt(int64(k.Preference), 10) + `":`
	comparison := ") > 0"
	switch {
	case o.Absent:
		comparison = ") = 0"
	case o.Int == 1:
		begin += "true"
	default:
		begin += "false"
	}
	q.Add(q.SQL.Position+"(preference_values, ?"+comparison, begin)
}
