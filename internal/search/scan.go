package search

import (
	"slices"

	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// This file finds the index scans for the conditions of a search. It writes each scan as a query that
// returns IDs. Package planner decides which of these scans a search uses.

// Names of the indexes that every List has.
const (
	dedupeIndex = "contact_dedupe"
	othersIndex = "contact_duplicate"
	mobileIndex = "contact_mobile"
)

// timeIndex returns the name of the index of creation_time or last_modified_time, or "" for another key.
func timeIndex(k *enlist.SearchKey) string {
	switch {
	case k.Field != nil:
	case k.Name == "creation_time":
		return "contact_created"
	case k.Name == "last_modified_time":
		return "contact_modified"
	}
	return ""
}

// index returns the name of the index that finds the Contacts for a key and an operator, or "" if
// there is no such index.
func (q *Query) index(k *enlist.SearchKey, op enlist.Operator) string {
	if isID(k) {
		if op == enlist.Exactly || op == enlist.In {
			return planner.PrimaryKey
		}
		return planner.ListIndex
	}
	if index := timeIndex(k); index != "" {
		return index
	}
	if x := q.Schema.IndexFor(k); x != nil {
		return IndexName(x.ID)
	}
	return ""
}

// scansOf returns scans that together find exactly the Contacts that match a condition. It returns nil if
// the indexes cannot find all of these Contacts.
func (q *Query) scansOf(c *enlist.Condition) (scans []planner.Scan) {
	switch {
	case c.Key != nil:
		return q.testScans(c)
	case c.Any != nil:
		for i := range c.Any {
			found := q.scansOf(&c.Any[i])
			if found == nil {
				return nil
			}
			scans = append(scans, found...)
		}
		return scans
	}
	for i := range c.All {
		if found := q.scansOf(&c.All[i]); found != nil && (scans == nil || better(found, scans)) {
			scans = found
		}
	}
	for i := range scans {
		scans[i].Tests = append(scans[i].Tests, c)
	}
	return scans
}

// better reports whether the scans in the first argument probably find fewer Contacts than those in
// others.
func better(scans, others []planner.Scan) bool {
	rank := func(scans []planner.Scan) int {
		worst := 0
		for _, a := range scans {
			switch {
			case a.Selective:
			case a.Ordered:
				worst = max(worst, 1)
			default:
				worst = 2
			}
		}
		return worst
	}
	return rank(scans) < rank(others)
}

// testScans returns the result of scansOf for the test of one key.
func (q *Query) testScans(c *enlist.Condition) []planner.Scan {
	if isAddressTest(c) {
		return q.addressScans(c)
	}
	switch c.Key.Type {
	case enlist.KeyBatch:
		return batchScans(c)
	case enlist.KeyPreference:
		return nil
	}
	index := q.index(c.Key, c.Operator)
	if index == "" {
		return nil
	}
	a := planner.Scan{Index: index, Tests: []*enlist.Condition{c}, Selective: index == planner.PrimaryKey}
	switch c.Operator {
	case enlist.Exactly:
		a.Ordered = !isDay(c.Key, c.Operands[0])
		if never(c.Key, c.Operands[0]) || isAddress(c.Key) && !c.Operands[0].Absent {
			return nil
		}
	case enlist.In:
		return q.inScans(c, a)
	case enlist.StartsWith:
		if !shownAsOrdered(c.Key) || c.Operands[0].Text == "" {
			return nil
		}
	case enlist.GreaterThan, enlist.LessThan:
	default:
		return nil
	}
	return []planner.Scan{a}
}

// inScans returns the scans for the operator In. operandGroups splits the operands into groups, and
// each group that has operands needs one scan.
func (q *Query) inScans(c *enlist.Condition, a planner.Scan) (scans []planner.Scan) {
	if isAddress(c.Key) {
		return nil
	}
	absent, values, days := operandGroups(c.Key, c.Operands)
	if absent {
		absent := []enlist.Operand{{Absent: true}}
		a.Tests = []*enlist.Condition{{Key: c.Key, Operator: enlist.Exactly, Operands: absent}}
		scans = append(scans, a)
	}
	if len(values) > 0 {
		a.Tests = []*enlist.Condition{{Key: c.Key, Operator: enlist.In, Operands: values}}
		scans = append(scans, a)
	}
	if len(days) > 0 {
		a.Tests, a.Days = []*enlist.Condition{{Key: c.Key, Operator: enlist.In, Operands: days}}, true
		scans = append(scans, a)
	}
	return scans
}

func isAddress(k *enlist.SearchKey) bool {
	return k.Type == enlist.KeyEmail || k.Type == enlist.KeyMobile
}

// isAddressTest reports whether a test compares an address key with addresses for equality. An index
// of addresses can then find the Contacts.
func isAddressTest(c *enlist.Condition) bool {
	return isAddress(c.Key) && len(c.Operands) > 0 && (c.Operator == enlist.Exactly || c.Operator == enlist.In) &&
		!slices.ContainsFunc(c.Operands, func(o enlist.Operand) bool { return o.Absent || o.Impossible })
}

// addressScans returns the scans for the test of an address. Of the Contacts with the same Email address,
// the primary has the address in dedupe_key and the duplicates have it in duplicate_key.
func (q *Query) addressScans(c *enlist.Condition) []planner.Scan {
	a := planner.Scan{Index: mobileIndex, Tests: []*enlist.Condition{c}, Selective: true}
	a.Ordered = c.Operator == enlist.Exactly
	if c.Key.Type == enlist.KeyMobile {
		return []planner.Scan{a}
	}
	first, other := a, a
	first.Index, other.Index = dedupeIndex, othersIndex
	if q.unique {
		return []planner.Scan{first}
	}
	first.Column, other.Column = "dedupe_key", "duplicate_key"
	other.Tests = slices.Clone(a.Tests)
	return []planner.Scan{first, other}
}

// scan writes the query that returns the IDs found by an index scan.
func (q *Query) scan(a *planner.Scan) {
	first, end := a.Tests[0], ""
	switch {
	case a.Days && q.asArray(first.Key):
		// With OFFSET 0, PostgreSQL does not flatten the subquery. It then looks up each day in the index
		// and does not scan the table.
		days := q.operandList(first.Key, first.Operands)
		q.Add("SELECT id FROM unnest(CAST(? AS TEXT[])) AS day CROSS JOIN LATERAL (", days)
		end = " OFFSET 0) AS found"
		fallthrough
	case !a.Days:
		q.Add("SELECT id FROM contact" + q.indexedBy(a.Index) + " WHERE ")
	default:
		days := q.operandList(first.Key, first.Operands)
		q.Add("SELECT id FROM (SELECT value AS day FROM "+q.SQL.Items("?")+") CROSS JOIN contact"+
			q.indexedBy(a.Index)+" WHERE ", days)
	}
	q.inList()
	q.Add(" AND ")
	switch {
	case a.Days:
		q.Add(q.Ordered(first.Key) + " BETWEEN day AND day || '" + afterDay + "'")
	case a.Column != "" && first.Operator == enlist.Exactly:
		q.Add(a.Column+" = ?", first.Operands[0].Text)
	case a.Column != "":
		q.Add(a.Column+q.inItems(first.Key), q.operandList(first.Key, first.Operands))
	default:
		q.test(first)
	}
	for _, c := range a.Tests[1:] {
		q.Add(" AND ")
		q.condition(c)
	}
	q.Add(end)
}

// scanAll writes one query that returns the IDs found by any of the scans. connector is UNION or
// UNION ALL.
func (q *Query) scanAll(scans []planner.Scan, connector string) {
	for i := range scans {
		if i > 0 {
			q.Add(connector)
		}
		q.scan(&scans[i])
	}
}

// scanOne writes the same query as scanAll, in a form that INTERSECT accepts as an operand.
func (q *Query) scanOne(scans []planner.Scan) {
	if len(scans) == 1 {
		q.scan(&scans[0])
		return
	}
	q.Add("SELECT id FROM (")
	q.scanAll(scans, " UNION ALL ")
	q.Add(") AS any_scan")
}
