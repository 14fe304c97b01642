package audience

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// ContactsOf returns the statements that read several Contacts, by the index that they must use on SQLite.
func ContactsOf(tx *db.Tx) map[string][]string {
	s := contactStatements.Of(tx.SQL)
	return map[string][]string{
		"contact_dedupe (list_id=? AND dedupe_key=?)": {s.contactsByKeys, s.lockedByKeys, s.primaries, s.primariesToLock},
		"INTEGER PRIMARY KEY (rowid=?)":               {s.contactsToChange, s.valueSizes},
	}
}

// FilterBatches returns the clauses of the statement of Batches.
func FilterBatches(tx *db.Tx, account enlist.AccountID, f BatchFilter) (clauses string, args []any, err error) {
	return batchClauses(tx, account, f)
}
