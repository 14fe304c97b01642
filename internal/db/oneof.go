package db

import (
	"slices"

	"enlist/internal/enlist"

	"github.com/go-json-experiment/json"
)

// This file compares a column with many values. PostgreSQL gets them as an array, SQLite as JSON.

// oneOf returns a test that the column before it has one of the values, which are the argument of the
// test. array is the type of the array on PostgreSQL. The function ManyValues encodes the argument.
func (d *Dialect) oneOf(array string) string {
	if d.Arrays {
		return " = ANY(CAST(? AS " + array + "))"
	}
	return " IN (SELECT value FROM " + d.Items("?") + ")"
}

// ManyValues encodes the argument of a test that Dialect.oneOf returned.
func ManyValues[V ~int64 | ~string](t *Tx, values []V) (any, error) {
	if t.SQL.Arrays {
		return values, nil
	}
	return JSONArray(values)
}

// OneOfIDs returns the test for IDs, and its argument.
func OneOfIDs[ID ~int64](t *Tx, ids []ID) (test string, arg any, err error) {
	arg, err = ManyValues(t, PlainIDs(ids))
	return t.SQL.oneOf("BIGINT[]"), arg, err
}

// ContactTest returns the test that the column has one of the Contact IDs, and its arguments. Without statistics of a
// table, PostgreSQL expects few Contacts of a List or recipients of a Batch, and would read all of them to compare
// their IDs. So the test also has the range of the IDs.
func (t *Tx) ContactTest(column string, ids []enlist.ContactID) (test string, args []any, err error) {
	if len(ids) == 0 {
		return "FALSE", nil, nil
	}
	test, all, err := OneOfIDs(t, ids)
	return column + test + " AND " + t.SQL.NoIndex + column + " BETWEEN ? AND ?",
		[]any{all, int64(slices.Min(ids)), int64(slices.Max(ids))}, err
}

// LookUp returns a statement for those rows of a table, such as "recipient WHERE batch_id", whose last-named column has
// one of the values of the first argument, and that satisfy a further test. On PostgreSQL a subquery looks up each
// value, because PostgreSQL may expect few rows of the List, and would read all of them to compare the column.
// array is the type of the values on PostgreSQL.
func (d *Dialect) LookUp(array, columns, rows, further string) string {
	selected := "SELECT " + columns + " FROM " + rows
	if !d.Arrays {
		return selected + d.oneOf(array) + " AND " + further
	}
	// OFFSET 0 keeps the planner from replacing the subquery by a join.
	return "SELECT found.* FROM unnest(CAST(? AS " + array + ")) AS wanted (value), LATERAL (" + selected +
		" = wanted.value AND " + further + " OFFSET 0) AS found"
}

// OneOfTexts returns the test for texts, and its argument.
func (t *Tx) OneOfTexts(texts []string) (test string, arg any, err error) {
	arg, err = ManyValues(t, texts)
	return t.SQL.oneOf("TEXT[]"), arg, err
}

// PlainIDs converts IDs to integers, which drivers accept.
func PlainIDs[ID ~int64](ids []ID) []int64 {
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	return plain
}

// JSONArray encodes IDs or texts as a JSON array for Dialect.Items.
func JSONArray[T any](items []T) (string, error) {
	b, err := json.Marshal(items)
	return string(b), err
}
