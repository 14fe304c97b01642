package sqlstore

import (
	"slices"

	"enlist/internal/audience"
)

// Without statistics SQLite would walk a whole List in the order of its IDs
// rather than look an address up in two indexes and sort what it finds: at
// 1,000,000 Contacts 110 ms in place of 3 µs. So a search that asks for
// addresses gets their IDs first, each from its own index.

// addressTests returns tests for addresses such that whatever matches c
// matches at least one of them; none when there are no such tests.
func addressTests(c *audience.Condition) (tests []*audience.Condition) {
	switch {
	case c.Key != nil:
		if isAddressTest(c) {
			tests = append(tests, c)
		}
	case c.Any != nil:
		for i := range c.Any {
			part := addressTests(&c.Any[i])
			if part == nil {
				return nil
			}
			tests = append(tests, part...)
		}
	default:
		for i := range c.All {
			if tests = addressTests(&c.All[i]); tests != nil {
				return tests
			}
		}
	}
	return tests
}

func isAddressTest(c *audience.Condition) bool {
	return (c.Key.Type == audience.KeyEmail || c.Key.Type == audience.KeyMobile) &&
		(c.Operator == audience.Exactly || c.Operator == audience.In) &&
		!slices.ContainsFunc(c.Operands, func(o audience.Operand) bool { return o.Absent || o.Impossible })
}

// seek writes a test for the IDs of all that the tests find.
func (q *searchQuery) seek(tests []*audience.Condition) {
	q.add("id IN (")
	for i, c := range tests {
		if i > 0 {
			q.add(" UNION ALL ")
		}
		if c.Key.Type == audience.KeyMobile {
			q.seekIn("mobile_key", c)
			continue
		}
		q.seekIn("dedupe_key", c)
		if q.one {
			continue
		}
		q.add(" UNION ALL ")
		q.seekIn("duplicate_key", c)
	}
	q.add(")")
}

func (q *searchQuery) seekIn(column string, c *audience.Condition) {
	q.add("SELECT id FROM contact WHERE list_id = ? AND "+column, int64(q.list))
	if c.Operator == audience.Exactly {
		q.add(" = ?", c.Operands[0].Text)
		return
	}
	q.add(q.inItems(c.Key), q.operandList(c.Key, c.Operands))
}

// isTime reports whether a key is one of the times that have an index.
func isTime(k *audience.SearchKey) bool {
	return k.Field == nil && (k.Name == "creation_time" || k.Name == "last_modified_time")
}

// aboutTime reports whether a condition may make SQLite walk an index of times.
func aboutTime(c *audience.Condition) bool {
	switch {
	case c == nil:
		return false
	case c.Key != nil:
		return isTime(c.Key)
	}
	part := func(c audience.Condition) bool { return aboutTime(&c) }
	return slices.ContainsFunc(c.All, part) || slices.ContainsFunc(c.Any, part)
}
