package db

import "enlist/internal/enlist"

// AccountContacts counts the stored Contacts of all the Account's Lists.
func (t *Tx) AccountContacts(id enlist.AccountID) (int64, error) {
	// A transaction that adds a Contact first reads this number to check contact_limit. The lock
	// makes other such transactions of the Account wait until this one ends.
	if err := t.LockToWrite("account %d", id); err != nil {
		return 0, err
	}
	n, err := t.Number("SELECT "+Counter(t.SQL, "account")+" FROM account WHERE id = ?", int64(id))
	return n + t.counted(func(c contactCount) bool { return c.account == id }), err
}

// Counter returns the expression for the number of Contacts in a row of the table list or account. With
// concurrent writers, the expression adds the rows of contact_delta that are not compacted yet.
func Counter(d *Dialect, table string) string {
	if !d.ConcurrentWriters {
		return "contact_count"
	}
	return "contact_count + (SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM contact_delta" +
		" WHERE " + table + "_id = " + table + ".id)"
}

// ContactCount returns the number of a List's Contacts. The number includes the changes of this
// transaction that Session.Finish has not written yet.
func (t *Tx) ContactCount(id enlist.ListID) (int64, error) {
	n, err := t.Number("SELECT "+Counter(t.SQL, "list")+" FROM list WHERE id = ?", int64(id))
	return n + t.CountedIn(id), err
}
