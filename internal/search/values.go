package search

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file counts the values that the Contacts of a search have in one Field.

// ValueCount is a value with the number of Contacts that have it. Text is "" for Contacts without a value.
type ValueCount struct {
	Text     string
	Contacts int64
}

// TopValues returns the values that most of the Contacts of a search have in a Field, the most frequent first. One
// statement reads all Contacts that match, so it belongs into a Search.
func TopValues(tx *db.Tx, s *enlist.Search, field *enlist.Field, limit int) (all []ValueCount, err error) {
	counted := *s
	counted.Sort, counted.Limit, counted.Offset, counted.Counted = nil, 0, 0, false
	planned, err := Plan(tx, &counted)
	if err != nil {
		return nil, err
	}
	p := planned.plan
	q := newQuery(tx.SQL, &counted)
	key := field.SearchKey()
	value := q.stored(key)
	if key.Type == enlist.KeyNumber {
		value = q.SQL.FieldShown(fieldID(key))
	}
	q.Add("SELECT " + value + ", count(*)")
	if p.Merged() {
		q.Add(" FROM contact WHERE "+q.SQL.NoIndex+"list_id = ? AND id IN (", int64(q.list))
		q.scanAll(p.Predicates[p.Driving].Scans, " UNION ")
		q.Add(")")
	} else {
		q.from(p)
	}
	q.Add(" GROUP BY 1 ORDER BY 2 DESC, 1"+db.Limited, int64(limit))
	err = each(tx, q.statement(), func(row *db.Cursor) error {
		one := ValueCount{}
		if text := row.Value(); text != nil {
			one.Text = db.TextOf(text)
		}
		one.Contacts = row.Int()
		all = append(all, one)
		return nil
	})
	return all, err
}
