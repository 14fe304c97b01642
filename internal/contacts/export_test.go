package contacts

import "enlist/internal/db"

// ContactsOf returns the statements that read several Contacts, by the index that they must use on SQLite.
func ContactsOf(tx *db.Tx) map[string][]string {
	const keys = "dedupe_key"
	return map[string][]string{
		"contact_dedupe (list_id=? AND dedupe_key=?)": {withContacts(tx, keys), statementForContacts(tx.SQL, keys, keys, "")},
		"INTEGER PRIMARY KEY (rowid=?)":               {withContacts(tx, "id"), statementForContacts(tx.SQL, "id, "+tx.SQL.DocumentSize, "id", "")},
	}
}
