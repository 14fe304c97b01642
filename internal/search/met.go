package search

import (
	"strconv"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests given Contacts instead of searching a List. The statement looks up each Contact by its ID and computes
// the tests from its row, so it takes as long in a List of any size, whatever the statistics of PostgreSQL are. With
// id = ANY and the tests, PostgreSQL could begin with all opens of a Batch, or read the whole List.

// Met returns for each of the Contacts in the List which of the conditions it meets: bit i stands for conditions[i], of
// which there are at most 31. No Contact meets a condition that is nil. It uses no SearchIndex and locks no Contact.
func Met(tx *db.Tx, schema *enlist.Schema, conditions []*enlist.Condition, ids []enlist.ContactID) (
	met map[enlist.ContactID]uint32, err error) {
	met = make(map[enlist.ContactID]uint32, len(ids))
	if len(ids) == 0 || len(conditions) == 0 {
		return met, nil
	}
	wanted, err := db.ManyValues(tx, db.PlainIDs(ids))
	if err != nil {
		return nil, err
	}
	err = each(tx, metStatement(tx.SQL, schema, conditions, wanted), func(row *db.Cursor) error {
		id := enlist.ContactID(row.Int())
		met[id] = uint32(row.Int())
		return nil
	})
	return met, err
}

// metStatement returns the statement of Met. wanted are the IDs as an argument.
func metStatement(sql *db.Dialect, schema *enlist.Schema, conditions []*enlist.Condition, wanted any) db.Statement {
	unindexed := *schema
	unindexed.SearchIndexes = nil
	q := newQuery(sql, &enlist.Search{Schema: &unindexed})
	q.eachContact = true
	q.literal = true // PostgreSQL would keep a plan from a time when a table of Batches was empty
	if q.SQL.Arrays {
		q.Add("SELECT found.* FROM unnest(CAST(? AS BIGINT[])) AS wanted (value), LATERAL (", wanted)
	}
	q.Add("SELECT id, 0")
	for i, c := range conditions {
		if c == nil {
			continue
		}
		q.Add(" + CASE WHEN ")
		q.condition(c)
		q.Add(" THEN " + strconv.FormatUint(1<<i, 10) + " ELSE 0 END")
	}
	q.Add(" AS met FROM contact WHERE " + q.SQL.NoIndex)
	q.inList()
	if q.SQL.Arrays {
		q.Add(" AND id = wanted.value OFFSET 0) AS found") // OFFSET 0 keeps the planner from replacing the subquery by a join
	} else {
		q.Add(" AND id IN (SELECT value FROM "+q.SQL.Items("?")+")", wanted)
	}
	return q.statement()
}
