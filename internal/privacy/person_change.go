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
	return contacts.ChangesWithValue(tx, f.keys.Lists, func(id int64, list enlist.ListID, value string, end int64) {
		switch {
		case !theirs[list] && !f.keys.Mentions(value):
		case end == 0:
			f.changing = id
		default:
			f.changes = append(f.changes, id)
		}
	})
}

// eraseChanges erases the values of changes that have ended. Errors: Busy if one runs, because it needs its value.
func (s *Service) eraseChanges(ctx context.Context, f *personFound) error {
	if f.changing != 0 {
		return enlist.Refuse(enlist.Busy, "the change %d of many Contacts has not ended, and its value may be the "+
			"person's: wait, or cancel it at /admin/contacts/changes/%d", f.changing, f.changing)
	}
	return inChunks(ctx, s.db, f.changes, forEach(contacts.EraseChange))
}
