package search

import (
	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// This file describes a search to package planner and gets the plan of the search. It splits the condition
// into predicates. scan.go finds the index scans of the predicates. estimate.go estimates how
// many Contacts match a predicate.

// planned returns the description of a search for the planner.
func (q *Query) planned(s *enlist.Search) *planner.Query {
	planned := &planner.Query{Predicates: q.predicatesOf(s.Where), Counted: s.Counted, Limit: s.Limit, Offset: s.Offset}
	if planned.ByID = s.Sort == nil || isID(s.Sort); planned.ByID {
		planned.Order = planner.ListIndex
		return planned
	}
	planned.Order = q.index(s.Sort, enlist.GreaterThan)
	planned.Chronological = timeIndex(s.Sort) != ""
	return planned
}

// predicatesOf splits a condition at its ANDs. If several tests bound the scan of the same index,
// they become one predicate.
func (q *Query) predicatesOf(c *enlist.Condition) (predicates []planner.Predicate) {
	switch {
	case c == nil:
		return nil
	case c.All == nil:
		p := planner.Predicate{Tests: []*enlist.Condition{c}, Scans: q.scansOf(c)}
		if p.Scans == nil {
			p.Covering = q.coveringIndex(c)
		}
		return []planner.Predicate{p}
	}
	for i := range c.All {
		for _, next := range q.predicatesOf(&c.All[i]) {
			if !joined(predicates, next) {
				predicates = append(predicates, next)
			}
		}
	}
	return predicates
}

// joined looks for a predicate that bounds a scan of the same index as next, and adds the tests of next to
// this predicate. It returns false if there is no such predicate.
func joined(predicates []planner.Predicate, next planner.Predicate) bool {
	if !next.Direct() {
		return false
	}
	for i := range predicates {
		if p := &predicates[i]; p.Direct() && p.Scans[0].Index == next.Scans[0].Index {
			p.Tests = append(p.Tests, next.Tests...)
			a, b := &p.Scans[0], &next.Scans[0]
			a.Tests = append(a.Tests, b.Tests...)
			a.Ordered, a.Selective = a.Ordered || b.Ordered, a.Selective || b.Selective
			return true
		}
	}
	return false
}

// coveringIndex returns the name of the index whose entries contain the value that a test needs, or "" if
// the test needs the row. predicatesOf calls it for tests that do not bound a scan. An entry has only the
// first enlist.MaxComparedCharacters characters of a text.
func (q *Query) coveringIndex(c *enlist.Condition) string {
	if c.Key == nil || !inEntry(c) {
		return ""
	}
	if x := q.Schema.IndexFor(c.Key); x != nil {
		return IndexName(x.ID)
	}
	return ""
}

// inEntry reports whether a test needs only the ordered form of the value, which an index entry has.
func inEntry(c *enlist.Condition) bool {
	switch c.Operator {
	case enlist.Contains, enlist.EndsWith, enlist.StartsWith:
		return c.Key.Type != enlist.KeyNumber && c.Operands[0].Text != ""
	case enlist.Not:
		o := c.Operands[0]
		return !isAddress(c.Key) && !(c.Key.Type == enlist.KeyNumber && o.Absent) && !isLong(o)
	}
	return false
}
