package search

import (
	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// This file writes the tests of keys of the type enlist.KeyBatch. Their values are not in the Contact's row, but in the
// rows of its Batches.

// testBatch writes the test of a key of Batches. IN lets the engine begin with the rows of the Batch. NOT EXISTS looks
// up the rows of each Contact: with NOT IN, PostgreSQL could compare each Contact with each row.
func (q *Query) testBatch(c *enlist.Condition) {
	_, batches, _ := operandGroups(c.Key, c.Operands)
	isNot := c.Operator == enlist.Not
	switch {
	case len(batches) == 0 && isNot:
		q.Add("TRUE")
		return
	case len(batches) == 0:
		q.Add("FALSE")
		return
	case isNot:
		q.Add("NOT EXISTS (SELECT 1")
	case q.eachContact:
		q.Add("EXISTS (SELECT 1")
	default:
		q.Add("id IN (SELECT contact_id")
	}
	table, where := "recipient_event", ""
	switch c.Key.Name {
	case enlist.KeyBatchSent:
		table, where = "recipient", " AND sent_time <> 0"
	case enlist.KeyBatchOpensMeasured:
		table, where = "recipient", " AND sent_time <> 0 AND unmeasured IN (0, 2)" // enlist.Unmeasured
	case enlist.KeyBatchClicksMeasured:
		table, where = "recipient", " AND sent_time <> 0 AND unmeasured IN (0, 1)"
	case enlist.KeyBatchOpened:
		where = " AND kind = 'opened' AND link_id = 0"
	case enlist.KeyBatchClicked:
		where = " AND kind = 'clicked' AND link_id = 0"
	}
	q.Add(" FROM " + table + " WHERE ")
	q.inList()
	q.Add(" AND batch_id"+q.inItems(c.Key)+where, q.operandList(c.Key, batches))
	if isNot || q.eachContact {
		q.Add(" AND contact_id = id") // the table has no column id, so this is the Contact's
	}
	if q.eachContact && q.SQL.Arrays {
		q.Add(" OFFSET 0") // keeps PostgreSQL from reading all rows of the Batch into a hash table
	}
	q.Add(")")
}

// batchScans returns the scan for a test of a key of Batches. It finds the IDs of Contacts, like a list of IDs.
func batchScans(c *enlist.Condition) []planner.Scan {
	if c.Operator == enlist.Not {
		return nil
	}
	return []planner.Scan{{Index: planner.PrimaryKey, Tests: []*enlist.Condition{c}}}
}
