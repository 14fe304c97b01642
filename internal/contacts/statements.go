package contacts

import "enlist/internal/db"

// This file has the texts of the statements of the table contact.

// contactTexts are the texts of the statements of the table contact.
type contactTexts struct {
	contactByID, contactByKey, contactsByAddress string
	lockedByID, lockedByKey, lockedByAddress     string

	contactsToChange, valueSizes, contactsByKeys, lockedByKeys, primaries, primariesToLock string
	contactsByDuplicateKeys, lockedByDuplicateKeys, contactsByMobiles, lockedByMobiles     string

	// Both insert a Contact. The statement insertInitial has constants for the state columns of a new
	// Contact, because constants are faster than arguments. The statement insert has only arguments.
	insert, insertInitial string
}

var contactStatements = db.NewPerDialect(newContactTexts)

func newContactTexts(d *db.Dialect) *contactTexts {
	lock := ""
	if d.ConcurrentWriters {
		lock = " FOR UPDATE"
	}
	s, c := new(contactTexts), contactTable.Of(d)
	contact := c.Read + "WHERE "
	s.contactByID = contact + "list_id = ? AND id = ?"
	s.contactByKey = contact + "list_id = ? AND dedupe_key = ?"
	// The subquery makes SQLite use the address indexes and not scan the List.
	s.contactsByAddress = contact + d.NoIndex + `list_id = ? AND id > ? AND id IN (
		SELECT id FROM contact WHERE list_id = ? AND dedupe_key = ?
		UNION ALL SELECT id FROM contact WHERE list_id = ? AND duplicate_key = ?
		UNION ALL SELECT id FROM contact WHERE list_id = ? AND mobile_key = ?) ORDER BY id` + db.Limited
	s.lockedByID, s.lockedByKey, s.lockedByAddress = s.contactByID+lock, s.contactByKey+lock, s.contactsByAddress+lock
	s.contactsToChange = statementForContacts(d, c.Columns, "id", lock)
	s.valueSizes = statementForContacts(d, "id, "+d.DocumentSize, "id", "")
	s.contactsByKeys = statementForContacts(d, c.Columns, "dedupe_key", "")
	s.lockedByKeys = statementForContacts(d, c.Columns, "dedupe_key", lock)
	s.contactsByDuplicateKeys = statementForContacts(d, c.Columns, "duplicate_key", "")
	s.lockedByDuplicateKeys = statementForContacts(d, c.Columns, "duplicate_key", lock)
	s.contactsByMobiles = statementForContacts(d, c.Columns, "mobile_key", "")
	s.lockedByMobiles = statementForContacts(d, c.Columns, "mobile_key", lock)
	s.primaries = statementForContacts(d, "dedupe_key", "dedupe_key", "")
	s.primariesToLock = statementForContacts(d, "dedupe_key", "dedupe_key", lock)
	const unlessTaken = ") ON CONFLICT DO NOTHING"
	s.insert = c.Into + "VALUES (" + c.Values + unlessTaken
	s.insertInitial = c.Into + "VALUES (" + c.Initial + unlessTaken
	return s
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
