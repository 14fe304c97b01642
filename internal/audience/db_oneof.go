package audience

import (
	"slices"

	"enlist/internal/enlist"
)

// This file compares a column with many values. PostgreSQL gets them as an array, SQLite as JSON.

// oneOf returns a test that the column before it has one of the values, which are the argument of the
// test. array is the type of the array on PostgreSQL. The function manyValues encodes the argument.
func (d *Dialect) oneOf(array string) string {
	if d.Arrays {
		return " = ANY(CAST(? AS " + array + "))"
	}
	return " IN (SELECT value FROM " + d.Items("?") + ")"
}

// manyValues encodes the argument of a test that Dialect.oneOf returned.
func manyValues[V ~int64 | ~string](t *Tx, values []V) (any, error) {
	if t.SQL.Arrays {
		return values, nil
	}
	return jsonArray(values)
}

// oneOfIDs returns the test for IDs, and its argument.
func oneOfIDs[ID ~int64](t *Tx, ids []ID) (test string, arg any, err error) {
	arg, err = manyValues(t, plainIDs(ids))
	return t.SQL.oneOf("BIGINT[]"), arg, err
}

// contactTest returns the test that the column has one of the Contact IDs, and its arguments. Without statistics of a
// table, PostgreSQL expects few Contacts of a List or recipients of a Batch, and would read all of them to compare their
// IDs. So the test also has the range of the IDs.
func (t *Tx) contactTest(column string, ids []enlist.ContactID) (test string, args []any, err error) {
	if len(ids) == 0 {
		return "FALSE", nil, nil
	}
	test, all, err := oneOfIDs(t, ids)
	return column + test + " AND " + t.SQL.NoIndex + column + " BETWEEN ? AND ?",
		[]any{all, int64(slices.Min(ids)), int64(slices.Max(ids))}, err
}

// oneOfTexts returns the test for texts, and its argument.
func (t *Tx) oneOfTexts(texts []string) (test string, arg any, err error) {
	arg, err = manyValues(t, texts)
	return t.SQL.oneOf("TEXT[]"), arg, err
}

// plainIDs converts IDs to integers, which drivers accept.
func plainIDs[ID ~int64](ids []ID) []int64 {
	plain := make([]int64, len(ids))
	for i, id := range ids {
		plain[i] = int64(id)
	}
	return plain
}
