package search

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file searches records other than Contacts in SQL, such as Batches, the rows of a Batch, and the audit log. It
// uses the expressions of expr.go. Keys are system keys, and for rows of a Batch also Fields.

// Records returns a query that begins with a text. columns are the expressions of those keys whose name is no column.
func Records(tx *db.Tx, text string, args []any, columns map[string]string) *Query {
	q := &Query{SQL: tx.SQL, Schema: new(enlist.Schema), columnsOf: columns}
	q.Add(text, args...)
	return q
}

// And writes another condition of the WHERE clause. nil means none.
func (q *Query) And(c *enlist.Condition) {
	if c != nil {
		q.Add(" AND ")
		q.condition(c)
	}
}

// OrderRecords writes the ORDER BY clause. Records with equal values are in order of ID, in the same direction.
func (q *Query) OrderRecords(key *enlist.SearchKey, id string, descending bool) {
	direction, absent := "", ""
	if descending {
		direction = " DESC"
	}
	if key != nil && key.Field != nil { // only a Field can have no value, which is the lowest
		absent = " NULLS FIRST"
		if descending {
			absent = " NULLS LAST"
		}
	}
	q.Add(" ORDER BY ")
	if key != nil {
		q.Add(q.Ordered(key) + direction + absent + ", ")
	}
	q.Add(id + direction)
}
