package contacts

import "enlist/internal/db"

// ContactsOf returns the statements that read several Contacts, by the index that they must use on SQLite.
func ContactsOf(tx *db.Tx) map[string][]string {
	s := contactStatements.Of(tx.SQL)
	return map[string][]string{
		"contact_dedupe (list_id=? AND dedupe_key=?)": {s.contactsByKeys, s.lockedByKeys, s.primaries, s.primariesToLock},
		"INTEGER PRIMARY KEY (rowid=?)":               {s.contactsToChange, s.valueSizes},
	}
}
