package search

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// This file writes the SQL statement of a search. planned.go runs it. plan.go and package planner make the
// plan of the search. expr.go writes the comparisons, scan.go writes the subqueries that
// find IDs, and row.go writes the columns.

// Query builds a statement. The text has only SQL, names of columns and indexes, and the IDs of
// Fields and of the List. Every operand of the caller is an argument.
type Query struct {
	SQL    *db.Dialect
	Text   strings.Builder
	Args   []any
	Schema *enlist.Schema
	list   enlist.ListID
	// unique is true if the List does not allow two Contacts with the same address.
	unique bool
	// literal is true if the text contains the List's ID, and false if the ID is an argument. The database
	// uses a partial index only if the text of a statement implies the WHERE clause of the index.
	literal bool
	// selective is true if an address or an ID finds the Contacts, so that all operands have the same best plan.
	selective bool
	// generic is the result of genericKey. If it is not nil, PostgreSQL does not know the operands when it
	// plans the statement. So the text must leave only one good plan: it contains the length of the page, and
	// an order that only the index of this key has.
	generic *enlist.SearchKey
	// Sorted is true if the subquery that finds the IDs must not read them in the requested order (sorts).
	Sorted bool
	// columnsOf are the expressions of keys of other records than Contacts, if they are not the names of columns.
	columnsOf map[string]string
	// covering is the key of the index that a covering filter scans, or nil without a covering filter.
	covering *enlist.SearchKey
	// eachContact is true if the statement tests given Contacts (Met), so that each test looks up rows of one Contact.
	eachContact bool
}

func newQuery(sql *db.Dialect, s *enlist.Search) *Query {
	q := &Query{SQL: sql, Schema: s.Schema, list: s.Schema.List.ID, unique: s.Schema.Unique}
	q.literal = s.Sort != nil && s.Schema.Indexed(s.Sort) || s.Where != nil && q.anyIndexed(s.Where)
	return q
}

// anyIndexed reports whether a condition has at least one test that a SearchIndex can answer.
func (q *Query) anyIndexed(c *enlist.Condition) bool {
	if c.Key != nil {
		return q.Schema.Indexed(c.Key) || q.usesPartsIndex(c)
	}
	indexed := func(c enlist.Condition) bool { return q.anyIndexed(&c) }
	return slices.ContainsFunc(c.All, indexed) || slices.ContainsFunc(c.Any, indexed)
}

// covers reports whether a covering filter scans the index of the key k. The entries of this index
// have the ordered form of the values.
func (q *Query) covers(k *enlist.SearchKey) bool {
	return q.covering != nil && q.covering.IndexKey() == k.IndexKey()
}

// statement returns the statement, with further arguments. No other List can use a statement whose text contains the
// List's ID.
func (q *Query) statement(further ...any) db.Statement {
	s := db.Statement{Text: q.Text.String(), Args: slices.Concat(q.Args, further)}
	switch {
	case q.generic != nil, q.selective && !q.literal:
		s.Kind = db.Generic
	case q.literal:
		s.Kind = db.Once
	}
	return s
}

// Add appends a text to the statement, and the arguments for the parameters in this text.
func (q *Query) Add(text string, args ...any) {
	q.Text.WriteString(text)
	q.Args = append(q.Args, args...)
}

// page writes the statement that reads the Contacts of a search.
func (q *Query) page(s *enlist.Search, p *planner.Plan) {
	q.Text.Grow(1024)
	q.Add("SELECT ")
	q.columns(s.Columns)
	if !p.IDsFirst && !p.Merged() && !q.Sorted {
		q.from(p)
		q.order(s)
		q.Limit(s)
		return
	}
	q.Add(" FROM contact WHERE "+q.SQL.NoIndex+"list_id = ? AND id IN (", int64(q.list))
	if p.Merged() {
		q.scanAll(p.Predicates[p.Driving].Scans, " UNION ")
	} else {
		q.Add("SELECT id")
		q.from(p)
	}
	q.order(s)
	q.Limit(s)
	q.Add(")")
	q.Sorted = false // for the few rows of the page, the order of an index is fast
	q.order(s)
}

// count writes the statement that counts the Contacts that match a search.
func (q *Query) count(p *planner.Plan) {
	switch {
	case p.Residual == planner.Intersect:
		q.Add("SELECT count(*) FROM (")
		for i := range p.Predicates {
			if i > 0 {
				q.Add(" INTERSECT ")
			}
			q.scanOne(p.Predicates[i].Scans)
		}
		q.Add(") AS found")
	case p.Driving >= 0 && p.Index == "" && len(p.Predicates) == 1:
		q.Add("SELECT count(*) FROM (")
		q.scanAll(p.Predicates[0].Scans, " UNION ")
		q.Add(") AS found")
	default:
		q.Add("SELECT count(*)")
		q.from(p)
	}
}

// indexedBy returns the clause that names the index to use, or "" on engines other than SQLite.
func (q *Query) indexedBy(index string) string {
	switch {
	case !q.SQL.NamesIndexes || index == "":
		return ""
	case index == planner.PrimaryKey:
		return " NOT INDEXED"
	}
	return " INDEXED BY " + index
}

// inList writes the test that a Contact belongs to the List.
func (q *Query) inList() {
	if q.literal {
		q.Add("list_id = " + strconv.FormatInt(int64(q.list), 10))
		return
	}
	q.Add("list_id = ?", int64(q.list))
}

// from writes the FROM and WHERE clauses for a plan.
func (q *Query) from(p *planner.Plan) {
	q.Add(" FROM contact" + q.indexedBy(p.Index) + " WHERE ")
	if p.Index == "" && p.Driving >= 0 {
		q.Add(q.SQL.NoIndex) // the scans of the driving predicate find the IDs
	}
	q.inList()
	if p.Span != nil {
		q.Add(" AND id BETWEEN ? AND ?", p.Span.First, p.Span.Last)
	}
	if p.Covering { // this test is first, because SQLite runs tests in their order and the other tests read the row
		q.covering = p.Predicates[p.Driving].Tests[0].Key
		q.Add(" AND ")
		q.predicate(&p.Predicates[p.Driving])
	}
	for i := range p.Predicates {
		if p.Covering && i == p.Driving {
			continue
		}
		q.Add(" AND ")
		q.predicate(&p.Predicates[i])
	}
}

// predicate writes the test of a predicate. p.As states the form of the test.
func (q *Query) predicate(p *planner.Predicate) {
	switch p.As {
	case planner.InSet:
		begin, end := "id IN (", ")"
		if q.SQL.Arrays { // with ARRAY, PostgreSQL always runs the subquery first
			begin, end = "id = ANY(ARRAY(", "))"
		}
		q.Add(begin)
		q.scanAll(p.Scans, " UNION ALL ")
		q.Add(end)
	case planner.ByLookup:
		q.Add("EXISTS (SELECT 1 FROM contact AS other" + q.indexedBy(p.Scans[0].Index) + " WHERE ")
		q.inList()
		for _, c := range p.Tests {
			q.Add(" AND ")
			q.condition(c)
		}
		q.Add(" AND other.id = contact.id)")
	default:
		for i, c := range p.Tests {
			if i > 0 {
				q.Add(" AND ")
			}
			q.condition(c)
		}
	}
}

// order writes the ORDER BY clause. An absent value is NULL and sorts before all other values. Contacts
// with equal values are ordered by their IDs, in the same direction (ascending or descending).
// reference.md: sort.by
func (q *Query) order(s *enlist.Search) {
	direction, absent := "", " NULLS FIRST"
	if s.Descending {
		direction, absent = " DESC", " NULLS LAST"
	}
	q.Add(" ORDER BY ")
	by := s.Sort
	if q.generic != nil {
		by = q.generic // if the requested order is that of the IDs, all Contacts have the same value
	}
	if by != nil && !isID(by) {
		if by.Field == nil {
			absent = "" // a system key is never NULL, and PostgreSQL would not use its index with this clause
		}
		q.Add(q.Ordered(by) + q.Unindexed() + direction + absent + ", ")
	}
	q.Add("id" + q.Unindexed() + direction)
}

// Unindexed returns an operation that keeps the value of a number. PostgreSQL does not use an index for the order
// of its result.
func (q *Query) Unindexed() string {
	if q.Sorted {
		return " + 0"
	}
	return ""
}

// Limit writes the clauses LIMIT and OFFSET if the search has a limit or an offset.
func (q *Query) Limit(s *enlist.Search) {
	if s.Limit == 0 && s.Offset == 0 {
		return
	}
	if q.generic != nil {
		q.Add(" LIMIT " + strconv.FormatInt(s.Limit, 10) + " OFFSET " + strconv.FormatInt(s.Offset, 10))
		return
	}
	limit := s.Limit
	if limit == 0 {
		limit = math.MaxInt64
	}
	q.Add(db.Limited+" OFFSET CAST(? AS BIGINT)", limit, s.Offset)
}

// condition writes a condition.
func (q *Query) condition(c *enlist.Condition) {
	switch {
	case c.Key != nil:
		q.test(c)
	case c.Any != nil:
		q.group(c.Any, " OR ")
	default:
		q.group(c.All, " AND ")
	}
}

func (q *Query) group(conditions []enlist.Condition, connector string) {
	q.Add("(")
	for i := range conditions {
		if i > 0 {
			q.Add(connector)
		}
		q.condition(&conditions[i])
	}
	q.Add(")")
}
