package db

import (
	"errors"

	"enlist/internal/enlist"
)

// This file counts the Contacts of Lists and Accounts. day.go counts the changes of a day.

// ContactCount is a change of the number of Contacts in a List, and of the counts of one of its days.
type ContactCount struct {
	List    enlist.ListID
	Account enlist.AccountID
	Added   int64           // Contacts that were stored minus those that were removed
	Day     int64           // as enlist.DayOf returns it; 0: no day counts the change
	As      enlist.DayCount // what the day counts besides Added
	Times   int64           // how often; negative to take back what the transaction has counted
}

// Count records a change. Session.Finish writes it.
func (t *Tx) Count(c ContactCount) { t.session.counts = append(t.session.counts, c) }

// countOf returns the ContactCount of a Contact that a transaction stores. added is 1 if the Contact is new, otherwise
// 0. Modified is the time of the transaction.
func countOf(schema *enlist.Schema, c *enlist.Contact, added int64) ContactCount {
	n := ContactCount{List: c.ListID, Account: schema.List.AccountID, Added: added, As: c.DayCount()}
	if added != 0 || n.As != c.Before.Counted {
		n.Day = enlist.DayOf(c.Modified, schema.TimeZone)
	}
	if n.As != enlist.NotCounted {
		n.Times = 1
	}
	return n
}

// CountContact records the change of a Contact that the transaction has stored, with the List schema. It replaces
// what the transaction has counted before for the Contact.
func (t *Tx) CountContact(schema *enlist.Schema, c *enlist.Contact, added int64) {
	n := countOf(schema, c, added)
	if n.Day == 0 {
		return
	}
	t.Count(n)
	if c.Before.Counted != enlist.NotCounted {
		t.Count(ContactCount{List: n.List, Account: n.Account, Day: n.Day, As: c.Before.Counted, Times: -1})
	}
	c.Before.Counted = n.As
}

// CountedIn returns the sum of the recorded changes of a List's number of Contacts, which Finish has not written yet.
func (t *Tx) CountedIn(list enlist.ListID) (n int64) {
	return t.counted(func(c *ContactCount) bool { return c.List == list })
}

// counted returns the sum of those recorded changes for which selects returns true.
func (t *Tx) counted(selects func(*ContactCount) bool) (n int64) {
	for i := range t.session.counts {
		if c := &t.session.counts[i]; selects(c) {
			n += c.Added
		}
	}
	return n
}

// writeCounts adds the changes of each List to the counters and to its days. With concurrent writers, it inserts a
// contact_delta row for each List, because transactions that update a counter would wait for each other.
// CompactCounters adds these rows to the counters later.
func writeCounts(conn Conn, counts []ContactCount) error {
	lists := make(map[enlist.ListID]*ContactCount)
	for _, c := range counts {
		if sum := lists[c.List]; sum != nil {
			sum.Added += c.Added
		} else {
			lists[c.List] = &c
		}
	}
	if err := writeDays(conn, counts, lists); err != nil {
		return err
	}
	const (
		list    = "UPDATE list SET contact_count = contact_count + ? WHERE id = ?"
		account = "UPDATE account SET contact_count = contact_count + ? WHERE id = ?"
	)
	for _, c := range lists {
		var err error
		switch {
		case c.Added == 0:
		case conn.Dialect().ConcurrentWriters:
			err = conn.Do(addDelta, int64(c.List), int64(c.Account), c.Added)
		default:
			err = errors.Join(conn.Do(list, c.Added, int64(c.List)), conn.Do(account, c.Added, int64(c.Account)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const addDelta = "INSERT INTO contact_delta (list_id, account_id, n) VALUES (?1, ?2, ?3)"

// CompactCounters adds the contact_delta rows to the counters and deletes the rows. CompactCounters is
// one statement. So a query that adds a counter and its contact_delta rows always returns the exact
// count.
const CompactCounters = `WITH gone AS (DELETE FROM contact_delta RETURNING list_id, account_id, n),
	compacted AS (UPDATE list SET contact_count = contact_count + d.n
		FROM (SELECT list_id, sum(n) AS n FROM gone GROUP BY list_id) d WHERE list.id = d.list_id)
	UPDATE account SET contact_count = contact_count + d.n
		FROM (SELECT account_id, sum(n) AS n FROM gone GROUP BY account_id) d WHERE account.id = d.account_id`

// AccountContacts counts the stored Contacts of all the Account's Lists.
func (t *Tx) AccountContacts(id enlist.AccountID) (int64, error) {
	// A transaction that adds a Contact first reads this number to check contact_limit. The lock
	// makes other such transactions of the Account wait until this one ends.
	if err := t.LockToWrite("account %d", id); err != nil {
		return 0, err
	}
	n, err := t.Number("SELECT "+Counter(t.SQL, "account")+" FROM account WHERE id = ?", int64(id))
	return n + t.counted(func(c *ContactCount) bool { return c.Account == id }), err
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
