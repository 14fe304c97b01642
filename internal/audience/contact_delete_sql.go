package audience

import (
	"maps"
	"slices"

	"enlist/internal/enlist"

	"github.com/go-json-experiment/json"
)

// This file removes Contacts, and promotes a duplicate when the primary of an address is removed.

// RemoveContactsUpTo removes at most limit Contacts of a List, in the order of their IDs. It removes
// no Contact with an ID above upto. If it removes a primary that has duplicates, it promotes one of
// them.
func (t *Tx) RemoveContactsUpTo(list enlist.ListID, upto enlist.ContactID, limit int) (removed int, err error) {
	ids, addresses, err := t.toRemove(list, "id <= ? ORDER BY id"+limited, int64(upto), int64(limit))
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), t.remove(list, addresses, ids)
}

// RemoveContactsByID removes the Contacts of a List that have the given IDs. It returns the IDs of the
// Contacts that existed, in ascending order. If it removes a primary that has duplicates, it promotes
// one of them.
func (t *Tx) RemoveContactsByID(list enlist.ListID, ids []enlist.ContactID) (
	removed []enlist.ContactID, err error) {
	test, args, err := t.contactTest("id", ids)
	if err != nil {
		return nil, err
	}
	removed, addresses, err := t.toRemove(list, test+" ORDER BY id", args...)
	if err != nil || len(removed) == 0 {
		return nil, err
	}
	return removed, t.remove(list, addresses, removed)
}

// toRemove returns the IDs of the Contacts to remove. It also returns the addresses for which the
// caller must look for a duplicate to promote. With concurrent writers, these are the addresses of all
// primaries, because another transaction can insert a duplicate at the same time.
func (t *Tx) toRemove(list enlist.ListID, where string, args ...any) (
	ids []enlist.ContactID, addresses []string, err error) {
	address := `CASE WHEN EXISTS (SELECT 1 FROM contact d
		WHERE d.list_id = c.list_id AND d.duplicate_key = c.dedupe_key) THEN dedupe_key END`
	if t.SQL.ConcurrentWriters {
		address = "dedupe_key"
	}
	err = t.each(func(row *Cursor) error {
		ids = append(ids, enlist.ContactID(row.Int()))
		if v := row.Value(); v != nil {
			addresses = append(addresses, text(v))
		}
		return nil
	}, "SELECT id, "+address+" FROM contact c WHERE list_id = ? AND "+where+t.locking(),
		append([]any{int64(list)}, args...)...)
	return ids, addresses, err
}

// remove removes Contacts, which exist, and the rows of their deliveries.
func (t *Tx) remove(list enlist.ListID, addresses []string, ids []enlist.ContactID) error {
	account, err := t.number("SELECT account_id FROM list WHERE id = ?", int64(list))
	if err != nil {
		return err
	}
	for _, table := range []struct{ name, column string }{{"contact", "id"}, {"delivery", "contact_id"}} {
		test, args, err := t.contactTest(table.column, ids)
		if err != nil {
			return err
		}
		err = t.Do("DELETE FROM "+table.name+" WHERE list_id = ? AND "+test, append([]any{int64(list)}, args...)...)
		if err != nil {
			return err
		}
	}
	if err := t.removeRecipients(list, ids); err != nil {
		return err
	}
	t.count(list, enlist.AccountID(account), -int64(len(ids)))
	return t.PromoteDuplicates(list, addresses)
}

// removeRecipients removes the removed Contacts from the Batches of the List. A recipient whose mail
// waits stays without its address and detail, so that the sender counts it as skipped.
func (t *Tx) removeRecipients(list enlist.ListID, ids []enlist.ContactID) error {
	batches, err := t.BatchesOfList(list)
	if err != nil {
		return err
	}
	const waiting = "('waiting', 'sending', 'deferred')"
	for _, batch := range batches {
		these, args, err := t.recipientsByID(list, batch, ids)
		if err != nil {
			return err
		}
		for _, query := range []string{
			"DELETE FROM recipient_event WHERE " + these,
			"DELETE FROM recipient WHERE " + these + " AND status NOT IN " + waiting,
			"UPDATE recipient SET address = '', detail = '' WHERE " + these + " AND status IN " + waiting,
		} {
			if err := t.Do(query, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// PromoteDuplicates makes the oldest duplicate of each address the primary, if the address has no primary.
// With concurrent writers, the UPDATE may wait for another transaction that removes the selected Contact or changes its
// address. Then the loop promotes the next duplicate.
func (t *Tx) PromoteDuplicates(list enlist.ListID, addresses []string) error {
	for len(addresses) > 0 {
		next, err := t.oldestDuplicates(list, addresses)
		if err != nil || len(next) == 0 {
			return err
		}
		for address, id := range next {
			err := t.Do(`UPDATE contact SET dedupe_key = duplicate_key, duplicate_key = NULL
				WHERE list_id = ? AND id = ? AND duplicate_key = ?`, int64(list), id, address)
			if err != nil {
				return err
			}
		}
		addresses = slices.Collect(maps.Keys(next))
	}
	return nil
}

// oldestDuplicates returns the duplicates with the lowest ID of those addresses that have no primary, by
// address.
func (t *Tx) oldestDuplicates(list enlist.ListID, addresses []string) (map[string]int64, error) {
	array, err := jsonArray(addresses)
	if err != nil {
		return nil, err
	}
	found := make(map[string]int64)
	// Without "+ 0", PostgreSQL could read the Contacts in the order of their IDs until it finds the first.
	err = t.each(func(row *Cursor) error {
		address := row.Text()
		if id := row.Int(); id != 0 {
			found[address] = id
		}
		return nil
	}, `SELECT value, coalesce((SELECT id FROM contact d WHERE d.list_id = ?1 AND d.duplicate_key = value
			AND (SELECT f.id FROM contact f WHERE f.list_id = ?1 AND f.dedupe_key = value) IS NULL
			ORDER BY id + 0 LIMIT 1), 0)
		FROM `+t.SQL.Items("?2")+` address`, int64(list), array)
	return found, err
}

// jsonArray encodes IDs or texts as a JSON array for Dialect.Items.
func jsonArray[T any](items []T) (string, error) {
	b, err := json.Marshal(items)
	return string(b), err
}
