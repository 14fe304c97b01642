package contacts

import (
	"fmt"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file stores Contacts that move in from another service, under the IDs that they have there.

// Restore stores Contacts of one List with all their columns, under their IDs. It removes the old rows first,
// because two Contacts may have exchanged their addresses. Of the Contacts with one address, an old primary stays
// the primary if it keeps the address. The day of the move counts the changes.
func Restore(tx *db.Tx, now int64, moved []*enlist.Contact) error {
	if len(moved) == 0 {
		return nil
	}
	schema, err := lists.Schema(tx, moved[0].ListID)
	if err != nil {
		return err
	}
	removed, err := removeToReplace(tx, schema.List.ID, moved)
	if err != nil {
		return err
	}
	if err := markPrimaries(tx, moved, true); err != nil {
		return err
	}
	docs, last := make([]string, len(moved)), int64(0)
	for i, c := range moved {
		last = max(last, int64(c.ID))
		docs[i], err = db.EncodeValues(schema, c.Values)
		if err != nil {
			return err
		}
	}
	if err := insertWithIDs(tx, moved, docs); err != nil {
		return err
	}
	n := db.ContactCount{List: schema.List.ID, Account: schema.List.AccountID, Day: enlist.DayOf(now, schema.TimeZone)}
	n.Added = int64(len(moved) - len(removed.IDs))
	tx.Count(n)
	n.Added, n.Times = 0, 1
	for _, c := range moved {
		n.As = c.DayCount()
		tx.Count(n)
	}
	if err := tx.SkipIDs("'contact_id'", last); err != nil {
		return err
	}
	return promoteDuplicates(tx, schema.List.ID, removed.Addresses)
}

// removeToReplace deletes the rows of Contacts that exist, and returns them.
func removeToReplace(tx *db.Tx, list enlist.ListID, moved []*enlist.Contact) (removed removal, err error) {
	ids := make([]enlist.ContactID, len(moved))
	for i, c := range moved {
		ids[i] = c.ID
	}
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return removed, err
	}
	removed, err = toRemove(tx, list, test+" ORDER BY id", args...)
	if err != nil {
		return removed, err
	}
	return removed, tx.Do("DELETE FROM contact WHERE list_id = ? AND "+test, append([]any{int64(list)}, args...)...)
}

// insertWithIDs inserts Contacts of one List with the IDs that they have.
func insertWithIDs(tx *db.Tx, moved []*enlist.Contact, docs []string) error {
	ids := make([]enlist.ContactID, len(moved))
	for i, c := range moved {
		ids[i] = c.ID
		args, err := contactArguments(tx, db.Inserted, c, docs[i])
		if err != nil {
			return err
		}
		err = tx.Do(contactTable.Of(tx.SQL).InsertID+" ON CONFLICT DO NOTHING", append([]any{int64(c.ID)}, args...)...)
		if err != nil {
			return err
		}
	}
	list := moved[0].ListID
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return err
	}
	stored, err := tx.Number("SELECT count(*) FROM contact WHERE list_id = ? AND "+test, append([]any{int64(list)}, args...)...)
	if err == nil && stored != int64(len(ids)) {
		err = fmt.Errorf("%d of %d Contacts of List %d were not stored: Contacts of other Lists have their IDs, "+
			"or another program has added their addresses", int64(len(ids))-stored, len(ids), list)
	}
	return err
}

// IDsUpTo returns the IDs of a List's Contacts above after and up to upto, in ascending order, at most limit.
func IDsUpTo(tx *db.Tx, list enlist.ListID, after, upto enlist.ContactID, limit int) ([]enlist.ContactID, error) {
	const between = "SELECT id FROM contact WHERE list_id = ? AND id > ? AND id <= ? ORDER BY id" + db.Limited
	return db.IDsOf[enlist.ContactID](tx, between,
		int64(list), int64(after), int64(upto), int64(limit))
}

// HasLedger reports whether a List has a row of the consent ledger.
func HasLedger(tx *db.Tx, list enlist.ListID) (bool, error) {
	n, err := tx.Number("SELECT EXISTS (SELECT 1 FROM consent WHERE list_id = ?)", int64(list))
	return n != 0, err
}

// ListsOfContacts returns the Lists of those Contacts that exist. No index has the IDs of all Lists, so it reads each
// Contact once.
func ListsOfContacts(tx *db.Tx, ids []enlist.ContactID) (map[enlist.ContactID]enlist.ListID, error) {
	wanted, err := db.ManyValues(tx, db.PlainIDs(ids))
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	query := "SELECT id, list_id FROM contact WHERE id IN (SELECT value FROM " + tx.SQL.Items("?") + ")"
	if tx.SQL.Arrays {
		query = `SELECT contact.id, contact.list_id FROM unnest(CAST(? AS BIGINT[])) AS wanted (id)
			JOIN contact ON contact.id = wanted.id`
	}
	of := make(map[enlist.ContactID]enlist.ListID)
	return of, tx.Each(func(row *db.Cursor) error {
		id := enlist.ContactID(row.Int())
		of[id] = max(of[id], enlist.ListID(row.Int())) // the key of a Contact is its List and ID
		return nil
	}, query, wanted)
}
