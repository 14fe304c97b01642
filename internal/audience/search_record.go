package audience

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file searches records other than Contacts in SQL: Batches, and the rows of a Batch. It uses the expressions of
// searchexpr.go. All keys are system keys.

// recordQuery returns a query that begins with a text. columns are the expressions of those keys whose name is no column.
func recordQuery(tx *db.Tx, text string, args []any, columns map[string]string) *searchQuery {
	q := &searchQuery{sql: tx.SQL, schema: new(enlist.Schema), columnsOf: columns}
	q.add(text, args...)
	return q
}

// and writes another condition of the WHERE clause. nil means none.
func (q *searchQuery) and(c *enlist.Condition) {
	if c != nil {
		q.add(" AND ")
		q.condition(c)
	}
}

// orderRecords writes the ORDER BY clause. Records with equal values are in order of ID, in the same direction.
func (q *searchQuery) orderRecords(key *enlist.SearchKey, id string, descending bool) {
	direction := ""
	if descending {
		direction = " DESC"
	}
	q.add(" ORDER BY ")
	if key != nil {
		q.add(q.ordered(key) + direction + ", ")
	}
	q.add(id + direction)
}
