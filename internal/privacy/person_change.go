package privacy

import (
	"context"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file erases the values that changes of many Contacts have set. A List shows a change for 30 days after its end,
// but no longer which Contacts it changed. So every value goes that a Contact of the person may have got.

// findChanges finds the changes whose value may be the person's, or contains an address.
func (f *personFound) findChanges(tx *db.Tx) error {
	theirs := make(map[enlist.ListID]bool)
	for _, of := range [][]enlist.PersonKey{f.keys.Contacts, f.keys.Former} {
		for _, key := range of {
			theirs[key.List] = true
		}
	}
	test, lists, err := db.OneOfIDs(tx, f.keys.Lists)
	if err != nil {
		return err
	}
	return tx.Each(func(row *db.Cursor) error {
		id, list, value, end := row.Int(), enlist.ListID(row.Int()), row.Text(), row.Int()
		switch {
		case !theirs[list] && !f.keys.Mentions(value):
		case end == 0:
			f.changing = id
		default:
			f.changes = append(f.changes, id)
		}
		return nil
	}, "SELECT id, list_id, value, end_time FROM contact_change WHERE list_id"+test+
		" AND value <> '' AND value <> ? ORDER BY id", lists, contacts.ErasedAddress)
}

// eraseChanges erases the values of changes that have ended. Errors: Busy if one runs, because it needs its value.
func (s *Service) eraseChanges(ctx context.Context, f *personFound) error {
	if f.changing != 0 {
		return enlist.Refuse(enlist.Busy, "the change %d of many Contacts has not ended, and its value may be the "+
			"person's: wait, or cancel it at /admin/contacts/changes/%d", f.changing, f.changing)
	}
	return inChunks(ctx, s.db, f.changes, forEach(func(tx *db.Tx, id int64) error {
		return tx.Do("UPDATE contact_change SET value = ? WHERE id = ?", contacts.ErasedAddress, id)
	}))
}
