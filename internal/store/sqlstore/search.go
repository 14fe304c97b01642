package sqlstore

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/audience"
)

// SearchContacts calls each with the Contacts that match, in order.
func (t *Tx) SearchContacts(s *audience.Search, each func(*audience.Contact) error) error {
	r := columnReader{tx: t, of: s.Columns, state: mapper{job: selected}, contact: audience.Contact{ListID: s.Schema.List.ID}}
	return t.found(s, func(row *Cursor) error {
		if err := r.read(row); err != nil {
			return err
		}
		return each(&r.contact)
	})
}

// found calls fn with every row that a search's statement finds.
func (t *Tx) found(s *audience.Search, fn func(*Cursor) error) error {
	err := t.foundBy(s, fn)
	if !errors.Is(err, ErrUnprepared) {
		return err
	}
	// An index is not there that is said to be: somebody has dropped it by hand.
	without, schema := *s, *s.Schema
	schema.SearchIndexes, without.Schema = nil, &schema
	return t.foundBy(&without, fn)
}

func (t *Tx) foundBy(s *audience.Search, fn func(*Cursor) error) error {
	rows, err := t.run(s)
	if err != nil {
		return err
	}
	return EachRow(rows, fn)
}

func (t *Tx) run(s *audience.Search) (Rows, error) {
	text, args, err := t.SearchStatement(s)
	if err != nil {
		return nil, err
	}
	if s.Last {
		return t.conn.QueryLast(t.ctx, text, args...)
	}
	return t.conn.Query(t.ctx, text, args...)
}

// SearchStatement is the statement that a search is, for those who look into how
// an engine carries it out.
func (t *Tx) SearchStatement(s *audience.Search) (text string, args []any, err error) {
	p, err := t.planOf(s)
	if err != nil {
		return "", nil, err
	}
	q := newSearchQuery(t.sql, s)
	if s.Counted {
		q.count(p)
	} else {
		q.page(s, p)
		q.add(t.locking())
	}
	return q.statement(), q.args, nil
}

// AnsweredByIndex reports whether a search finds or counts its Contacts by an index without
// looking at many others.
func (t *Tx) AnsweredByIndex(s *audience.Search) bool {
	if s.Counted && s.Where == nil {
		return true
	}
	p, err := t.planOf(s)
	return err == nil && p.quick
}

// CountContacts counts the Contacts that match.
func (t *Tx) CountContacts(s *audience.Search) (n int64, err error) {
	if s.Where == nil {
		return t.ContactCount(s.Schema.List.ID)
	}
	counted := *s
	counted.Counted = true
	err = t.found(&counted, func(row *Cursor) error {
		n = row.Int()
		return nil
	})
	return n, err
}

// searchQuery is a statement in the making. Only names of columns and indexes, IDs
// of Fields and of the List and the statement's own words go into its text; every
// operand is an argument.
type searchQuery struct {
	sql    *Dialect
	text   strings.Builder
	args   []any
	schema *audience.Schema
	list   audience.ListID
	// one: no two Contacts of the List have the same address.
	unique bool
	// literal: the List's ID is in the text, so that its own indexes can be used.
	literal bool
	// covering is the key whose index is read from end to end, nil when none is.
	covering *audience.SearchKey
}

func newSearchQuery(sql *Dialect, s *audience.Search) *searchQuery {
	q := &searchQuery{sql: sql, schema: s.Schema, list: s.Schema.List.ID, unique: s.Schema.List.DisallowDuplicates}
	q.literal = len(s.Schema.SearchIndexes) > 0 && (s.Sort != nil && s.Schema.Indexed(s.Sort) || s.Where != nil && q.anyIndexed(s.Where))
	return q
}

// anyIndexed reports whether a condition has to do with an index of the List's own.
func (q *searchQuery) anyIndexed(c *audience.Condition) bool {
	if c.Key != nil {
		return q.schema.Indexed(c.Key)
	}
	part := func(c audience.Condition) bool { return q.anyIndexed(&c) }
	return slices.ContainsFunc(c.All, part) || slices.ContainsFunc(c.Any, part)
}

// walks reports whether the ordered form of a key comes from its index.
func (q *searchQuery) covers(k *audience.SearchKey) bool {
	return q.covering != nil && q.covering.IndexKey() == k.IndexKey()
}

// statement is the text that was written.
func (q *searchQuery) statement() string {
	if q.literal {
		return Once + q.text.String()
	}
	return q.text.String()
}

func (q *searchQuery) add(text string, args ...any) {
	q.text.WriteString(text)
	q.args = append(q.args, args...)
}

// page writes the statement that reads a search's Contacts.
func (q *searchQuery) page(s *audience.Search, p *plan) {
	q.text.Grow(1024)
	q.add("SELECT ")
	q.columns(s.Columns)
	if !p.idsFirst && !p.merged() {
		q.from(p)
		q.order(s)
		q.limit(s)
		return
	}
	q.add(" FROM contact WHERE "+q.sql.NoIndex+"list_id = ? AND id IN (", int64(q.list))
	if p.merged() {
		q.scanAll(p.predicates[p.driving].scans, " UNION ")
	} else {
		q.add("SELECT id")
		q.from(p)
	}
	q.order(s)
	q.limit(s)
	q.add(")")
	q.order(s)
}

// merged reports whether the page is what scans find together.
func (p *plan) merged() bool { return p.ordered && p.index == "" && p.driving >= 0 }

// count writes the statement that counts.
func (q *searchQuery) count(p *plan) {
	switch {
	case p.residual == intersect:
		q.add("SELECT count(*) FROM (")
		for i := range p.predicates {
			if i > 0 {
				q.add(" INTERSECT ")
			}
			q.scanOne(p.predicates[i].scans)
		}
		q.add(") AS found")
	case p.driving >= 0 && p.index == "" && len(p.predicates) == 1:
		q.add("SELECT count(*) FROM (")
		q.scanAll(p.predicates[0].scans, " UNION ")
		q.add(") AS found")
	default:
		q.add("SELECT count(*)")
		q.from(p)
	}
}

// by has the engine use an index, where it lets itself be told.
func (q *searchQuery) indexedBy(index string) string {
	switch {
	case !q.sql.NamesIndexes || index == "":
		return ""
	case index == primaryKey:
		return " NOT INDEXED"
	}
	return " INDEXED BY " + index
}

// inList writes the test for the List.
func (q *searchQuery) inList() {
	if q.literal {
		q.add("list_id = " + strconv.FormatInt(int64(q.list), 10))
		return
	}
	q.add("list_id = ?", int64(q.list))
}

// from writes where a plan finds its Contacts.
func (q *searchQuery) from(p *plan) {
	q.add(" FROM contact" + q.indexedBy(p.index) + " WHERE ")
	if p.index == "" && p.driving >= 0 {
		q.add(q.sql.NoIndex) // but by the IDs
	}
	q.inList()
	if p.span != nil {
		q.add(" AND id BETWEEN ? AND ?", p.span.first, p.span.last)
	}
	if p.covering { // first: SQLite tests in this order, and the others need the row
		q.covering = p.predicates[p.driving].tests[0].Key
		q.add(" AND ")
		q.predicate(&p.predicates[p.driving])
	}
	for i := range p.predicates {
		if p.covering && i == p.driving {
			continue
		}
		q.add(" AND ")
		q.predicate(&p.predicates[i])
	}
}

// meets writes the test of a part.
func (q *searchQuery) predicate(p *predicate) {
	switch p.as {
	case inSet:
		begin, end := "id IN (", ")"
		if q.sql.Arrays { // found first, however many or few PostgreSQL takes them for
			begin, end = "id = ANY(ARRAY(", "))"
		}
		q.add(begin)
		q.scanAll(p.scans, " UNION ALL ")
		q.add(end)
	case byLookup:
		q.add("EXISTS (SELECT 1 FROM contact AS other" + q.indexedBy(p.scans[0].index) + " WHERE ")
		q.inList()
		for _, c := range p.tests {
			q.add(" AND ")
			q.condition(c)
		}
		q.add(" AND other.id = contact.id)")
	default:
		for i, c := range p.tests {
			if i > 0 {
				q.add(" AND ")
			}
			q.condition(c)
		}
	}
}

// order writes ORDER BY: absent values are NULL, and the smallest; ties go by ID
// in the same direction. decisions.md: 37
func (q *searchQuery) order(s *audience.Search) {
	direction, absent := "", " NULLS FIRST"
	if s.Descending {
		direction, absent = " DESC", " NULLS LAST"
	}
	q.add(" ORDER BY ")
	if s.Sort != nil && !isID(s.Sort) {
		if s.Sort.Field == nil {
			absent = "" // never; and with it PostgreSQL would not take the index of times
		}
		q.add(q.ordered(s.Sort) + direction + absent + ", ")
	}
	q.add("id" + direction)
}

func (q *searchQuery) limit(s *audience.Search) {
	if s.Limit == 0 && s.Offset == 0 {
		return
	}
	limit := s.Limit
	if limit == 0 {
		limit = math.MaxInt64
	}
	q.add(limited+" OFFSET CAST(? AS BIGINT)", limit, s.Offset)
}

func (q *searchQuery) condition(c *audience.Condition) {
	switch {
	case c.Key != nil:
		q.test(c)
	case c.Any != nil:
		q.group(c.Any, " OR ")
	default:
		q.group(c.All, " AND ")
	}
}

func (q *searchQuery) group(predicates []audience.Condition, connector string) {
	q.add("(")
	for i := range predicates {
		if i > 0 {
			q.add(connector)
		}
		q.condition(&predicates[i])
	}
	q.add(")")
}
