package contacts

import "enlist/internal/db"

// This file has the texts of the statements of the table contact.

// contactTexts are the texts of the statements for a single Contact. A caller of the first three adds tx.Locking.
type contactTexts struct {
	byID, byKey, byAddress string

	// Both insert a Contact. The statement insertInitial has constants for the state columns of a new
	// Contact, because constants are faster than arguments. The statement insert has only arguments.
	insert, insertInitial string
}

var contactStatements = db.NewPerDialect(newContactTexts)

func newContactTexts(d *db.Dialect) *contactTexts {
	c := contactTable.Of(d)
	const unlessTaken = ") ON CONFLICT DO NOTHING"
	return &contactTexts{
		byID:  c.Read + "WHERE list_id = ? AND id = ?",
		byKey: c.Read + "WHERE list_id = ? AND dedupe_key = ?",
		// The subquery makes SQLite use the address indexes and not scan the List. The last test is for PostgreSQL: after
		// it has waited for the lock of a Contact, it tests the Contact again, but without the subquery.
		byAddress: c.Read + "WHERE " + d.NoIndex + `list_id = ? AND id > ? AND id IN (
			SELECT id FROM contact WHERE list_id = ? AND dedupe_key = ?
			UNION ALL SELECT id FROM contact WHERE list_id = ? AND duplicate_key = ?
			UNION ALL SELECT id FROM contact WHERE list_id = ? AND mobile_key = ?)
			AND (coalesce(dedupe_key, duplicate_key) = ? OR mobile_key = ?) ORDER BY id` + db.Limited,
		insert:        c.Into + "VALUES (" + c.Values + unlessTaken,
		insertInitial: c.Into + "VALUES (" + c.Initial + unlessTaken,
	}
}

// withContacts returns a statement for the Contacts whose column has one of many values, see statementForContacts. In a
// transaction that writes, it locks them.
func withContacts(tx *db.Tx, column string) string {
	return statementForContacts(tx.SQL, contactTable.Of(tx.SQL).Columns, column, tx.Locking())
}

// statementForContacts returns a statement for the Contacts of the List ?1 whose column, id or an address, has one of
// the values of ?2. It locks them in the order of these values. On PostgreSQL a subquery looks up each value. With a
// join or with = ANY, PostgreSQL would read all Contacts of the List if it expects few of them. It does that without
// statistics, and if most Lists are small.
func statementForContacts(d *db.Dialect, columns, column, lock string) string {
	array, noIndex := "TEXT[]", ""
	if column == "id" {
		array, noIndex = "BIGINT[]", d.NoIndex
	}
	if !d.Arrays {
		return "SELECT " + columns + " FROM contact WHERE " + noIndex + "list_id = ?1 AND " + column +
			" IN (SELECT value FROM " + d.Items("?2") + ")"
	}
	if lock == "" {
		lock = " OFFSET 0" // as a lock does, this keeps the planner from replacing the subquery by a join
	}
	return "SELECT found.* FROM unnest(CAST(?2 AS " + array + ")) AS wanted (value), LATERAL (SELECT " + columns +
		" FROM contact WHERE list_id = ?1 AND " + column + " = wanted.value" + lock + ") AS found"
}
