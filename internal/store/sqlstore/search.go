package sqlstore

import (
	"database/sql/driver"
	"math"
	"slices"
	"strings"

	"enlist/internal/audience"
)

// SearchContacts calls each with the Contacts that match, in order.
func (t *Tx) SearchContacts(s *audience.Search, each func(*audience.Contact) error) error {
	q := newSearchQuery(t.sql, s)
	q.page(s)
	q.add(t.locking())
	c := audience.Contact{ListID: s.Schema.List.ID}
	return t.found(s, q, columnCount(s.Columns), func(row []driver.Value) error {
		c.ID = audience.ContactID(integer(row[0]))
		row = row[1:]
		if s.Columns.System {
			decodeSystem(row, &c)
			row = row[systemWidth:]
		}
		if readsValues(s.Columns) {
			if err := t.readValues(row[0], &c); err != nil {
				return err
			}
		}
		return each(&c)
	})
}

// found calls fn with every row that a search's statement finds.
func (t *Tx) found(s *audience.Search, q *searchQuery, columns int, fn func(row []driver.Value) error) error {
	query := t.conn.Query
	if s.Last {
		query = t.conn.QueryLast
	}
	rows, err := query(t.ctx, q.text.String(), q.args...)
	if err != nil {
		return err
	}
	return eachOf(rows, columns, fn)
}

// maxQuickOffset is how many Contacts a quick search may pass over.
const maxQuickOffset = 10_000

// Quick reports whether a search finds its Contacts by an index without looking
// at many others: certain addresses or IDs, or a page in an order that has an index.
func (t *Tx) Quick(s *audience.Search) bool {
	if s.Where != nil {
		return len(addressTests(s.Where)) > 0 || namesIDs(s.Where)
	}
	return (s.Sort == nil || isID(s.Sort) || isTime(s.Sort)) && s.Offset <= maxQuickOffset
}

// namesIDs reports whether a condition can only match certain IDs.
func namesIDs(c *audience.Condition) bool {
	if c.Key != nil {
		return isID(c.Key) && (c.Operator == audience.Exactly || c.Operator == audience.In)
	}
	return slices.ContainsFunc(c.All, func(part audience.Condition) bool { return namesIDs(&part) })
}

// CountContacts counts the Contacts that match.
func (t *Tx) CountContacts(s *audience.Search) (n int64, err error) {
	if s.Where == nil {
		return t.ContactCount(s.Schema.List.ID)
	}
	q := newSearchQuery(t.sql, s)
	q.add("SELECT count(*) FROM contact WHERE ")
	q.where(s.Where)
	err = t.found(s, q, 1, func(row []driver.Value) error {
		n = integer(row[0])
		return nil
	})
	return n, err
}

func readsValues(c audience.Columns) bool { return c.All || len(c.Fields) > 0 }

func columnCount(c audience.Columns) int {
	n := 1
	if c.System {
		n += systemWidth
	}
	if readsValues(c) {
		n++
	}
	return n
}

// searchQuery is a statement in the making. Only names of columns, IDs of
// Fields and the statement's own words go into its text; every operand is an
// argument.
type searchQuery struct {
	sql  *Dialect
	text strings.Builder
	args []any
	list audience.ListID
	// one: no two Contacts of the List have the same address.
	one bool
	// walked is the key whose index is read from end to end, nil when none is.
	walked *audience.SearchKey
}

// walks reports whether the ordered form of a key comes from its index.
func (q *searchQuery) walks(k *audience.SearchKey) bool {
	return q.walked != nil && q.walked.IndexKey() == k.IndexKey()
}

func newSearchQuery(sql *Dialect, s *audience.Search) *searchQuery {
	return &searchQuery{sql: sql, list: s.Schema.List.ID, one: s.Schema.List.DisallowDuplicates}
}

func (q *searchQuery) add(text string, args ...any) {
	q.text.WriteString(text)
	q.args = append(q.args, args...)
}

// page makes the statement that reads a search's Contacts. Where it has to sort
// it does so with the IDs only if it can, and fetches the page's rows after.
func (q *searchQuery) page(s *audience.Search) {
	q.text.Grow(1024)
	q.add("SELECT id")
	if s.Columns.System {
		q.add(", " + systemColumns)
	}
	if readsValues(s.Columns) {
		q.add(", " + q.sql.Document)
	}
	q.add(" FROM contact WHERE ")
	byID := s.Sort == nil || isID(s.Sort)
	if byID && !aboutTime(s.Where) || !byID && s.Limit == 0 {
		q.where(s.Where)
		q.order(s)
		q.limit(s)
		return
	}
	q.add(q.sql.Unindexed+"list_id = ? AND id IN (SELECT id FROM contact WHERE ", int64(q.list))
	q.where(s.Where)
	if s.Limit > 0 || s.Offset > 0 {
		q.order(s)
		q.limit(s)
	}
	q.add(")")
	q.order(s)
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

// where writes the condition, within the List.
func (q *searchQuery) where(c *audience.Condition) {
	if q.one && c != nil && c.Key != nil && c.Key.Type == audience.KeyEmail && c.Operator == audience.Exactly && isAddressTest(c) {
		q.add("list_id = ? AND dedupe_key = ?", int64(q.list), c.Operands[0].Text) // the most frequent search of all
		return
	}
	var seeks []*audience.Condition
	if c != nil {
		seeks = addressTests(c)
	}
	if len(seeks) > 0 {
		q.add(q.sql.Unindexed+"list_id = ? AND ", int64(q.list)) // not by the List's other indexes
		q.seek(seeks)
	} else {
		q.add("list_id = ?", int64(q.list))
	}
	if c != nil && (c.Key == nil || len(seeks) == 0) {
		q.add(" AND ")
		q.condition(c)
	}
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

func (q *searchQuery) group(parts []audience.Condition, connector string) {
	q.add("(")
	for i := range parts {
		if i > 0 {
			q.add(connector)
		}
		q.condition(&parts[i])
	}
	q.add(")")
}
