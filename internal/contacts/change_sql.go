package contacts

import (
	"encoding/json"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores changes of many Contacts.

func mapChange(m *db.Mapper, c *Change) {
	m.ID("id", &c.ID)
	m.Fixed("account_id", (*int64)(&c.AccountID))
	m.Fixed("list_id", (*int64)(&c.ListID))
	m.Fixed("action", (*string)(&c.Action))
	m.Fixed("field_id", (*int64)(&c.Field))
	m.Fixed("value", &c.Value)
	m.Fixed("total", &c.Total)
	m.Value("done", &c.Done)
	m.Value("changed", &c.Changed)
	m.Value("reason", &c.Reason)
	m.Fixed("creation_time", &c.CreationTime)
	m.Value("end_time", &c.EndTime)
	m.Fixed("target_list_id", (*int64)(&c.Target))
	m.Value("existed", &c.Existed)
	m.Value("refused", &c.Refused)
	m.Value("unfit", &c.Unfit)
}

var changeTable = db.NewMapping("contact_change", mapChange)

func changeByID(tx *db.Tx, id int64) (*Change, error) {
	return changeTable.One(tx, errNoChange, "WHERE id = ?", id)
}

// addChangeParts stores the Contacts of a change.
func addChangeParts(tx *db.Tx, id int64, ids db.IDSet) error {
	first := 0
	for part := range slices.Chunk(ids, changePart) {
		text, err := json.Marshal(part)
		if err != nil {
			return err
		}
		if err := tx.Do("INSERT INTO contact_change_part (change_id, first, contacts) VALUES (?, ?, ?)", id,
			int64(first), string(text)); err != nil {
			return err
		}
		first += len(part)
	}
	return nil
}

// next returns the next Contacts of a change, up to the end of their part.
func (c *Change) next(tx *db.Tx) (ids []enlist.ContactID, err error) {
	first := c.Done / changePart * changePart
	err = tx.Each(func(row *db.Cursor) error {
		var part db.IDSet
		if err := json.Unmarshal([]byte(row.Text()), &part); err != nil {
			return err
		}
		ids = part[min(int(c.Done-first), len(part)):]
		return nil
	}, "SELECT contacts FROM contact_change_part WHERE change_id = ? AND first = ?", c.ID, first)
	return ids, err
}

// advance moves a change on by n Contacts. It returns false if the change has ended, or if another process has
// moved it on.
func (c *Change) advance(tx *db.Tx, n int) (bool, error) {
	moved, err := tx.Exec("UPDATE contact_change SET done = done + ? WHERE id = ? AND done = ? AND end_time = 0",
		int64(n), c.ID, c.Done)
	return moved == 1, err
}

// endChange ends a change that runs, and removes its Contacts.
func endChange(tx *db.Tx, id, now int64, reason string) error {
	if err := tx.Do("UPDATE contact_change SET end_time = ?, reason = ? WHERE id = ? AND end_time = 0", now, reason,
		id); err != nil {
		return err
	}
	return tx.Do("DELETE FROM contact_change_part WHERE change_id = ?", id)
}

// EraseChange erases the value of a change that has ended.
func EraseChange(tx *db.Tx, id int64) error {
	return tx.Do("UPDATE contact_change SET value = ? WHERE id = ?", ErasedAddress, id)
}

// ChangesWithValue calls each with the changes of Lists that have a value which is not erased. end is when the change
// has ended; 0: it runs.
func ChangesWithValue(tx *db.Tx, in []enlist.ListID,
	each func(id int64, list enlist.ListID, value string, end int64)) error {
	test, lists, err := db.OneOfIDs(tx, in)
	if err != nil {
		return err
	}
	return tx.Each(func(row *db.Cursor) error {
		each(row.Int(), enlist.ListID(row.Int()), row.Text(), row.Int())
		return nil
	}, "SELECT id, list_id, value, end_time FROM contact_change WHERE list_id"+test+
		" AND value <> '' AND value <> ? ORDER BY id", lists, ErasedAddress)
}

func removeChanges(tx *db.Tx, list enlist.ListID) error {
	if err := tx.Do(`DELETE FROM contact_change_part WHERE change_id IN
		(SELECT id FROM contact_change WHERE list_id = ?)`, int64(list)); err != nil {
		return err
	}
	return tx.Do("DELETE FROM contact_change WHERE list_id = ?", int64(list))
}
