package search

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// This file describes a search to package planner and gets the plan of the search. It splits the condition
// into predicates. scan.go finds the index scans of the predicates. estimate.go estimates how
// many Contacts match a predicate.

// savedPlan is a plan and the search that it belongs to.
type savedPlan struct {
	*planner.Plan
	search enlist.Search
}

// kept is what a transaction keeps for its next search.
type kept struct {
	plan   savedPlan
	choose func(*db.Tx, *enlist.Search, *planner.Query) (*planner.Plan, error) // choosePlan, except in tests
}

// keptBy returns what the transaction keeps.
func keptBy(t *db.Tx) *kept {
	k, ok := t.Kept.(*kept)
	if !ok {
		k = &kept{choose: choosePlan}
		t.Kept = k
	}
	return k
}

// planOf returns the plan of a search. The transaction keeps the last plan, because package contacts first
// calls AnsweredByIndex for a search and then runs the search.
func planOf(tx *db.Tx, s *enlist.Search) (made *planner.Plan, err error) {
	k := keptBy(tx)
	if k.plan.Plan != nil && k.plan.answers(s) {
		return k.plan.Plan, nil
	}
	q := newQuery(tx.SQL, s)
	if tx.SQL.NamesIndexes {
		made, err = k.choose(tx, s, q.planned(s))
	} else {
		made = planner.Delegate(q.planned(s))
	}
	if err == nil {
		k.plan = savedPlan{made, *s}
	}
	return made, err
}

// choosePlan returns the cheapest plan of a search.
func choosePlan(t *db.Tx, s *enlist.Search, q *planner.Query) (*planner.Plan, error) {
	return planner.Choose(q, &statistics{tx: t, search: s})
}

// answers reports whether the saved plan belongs to a search that is equal to s.
func (p *savedPlan) answers(s *enlist.Search) bool {
	of := &p.search
	return of.Schema == s.Schema && of.Where == s.Where && of.Sort == s.Sort && of.Descending == s.Descending &&
		of.Limit == s.Limit && of.Offset == s.Offset && of.Counted == s.Counted
}

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
