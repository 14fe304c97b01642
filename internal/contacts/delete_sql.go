package contacts

import (
	"maps"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/webhooks"
)

// This file removes Contacts, and promotes a duplicate when the primary of an address is removed.

// RemoveContactsUpTo removes at most limit Contacts of a List, in the order of their IDs. It removes
// no Contact with an ID above upto. If it removes a primary that has duplicates, it promotes one of
// them.
func (s *Service) RemoveContactsUpTo(tx *db.Tx, now int64, list enlist.ListID, upto enlist.ContactID, limit int) (
	removed int, err error) {
	r, err := toRemove(tx, list, "id <= ? ORDER BY id"+db.Limited, int64(upto), int64(limit))
	if err != nil || len(r.IDs) == 0 {
		return 0, err
	}
	return len(r.IDs), s.remove(tx, &r, now)
}

// RemoveContactsByID removes the Contacts of a List that have the given IDs. It returns the IDs of the
// Contacts that existed, in ascending order. If it removes a primary that has duplicates, it promotes
// one of them.
func (s *Service) RemoveContactsByID(tx *db.Tx, now int64, list enlist.ListID, ids []enlist.ContactID) (
	removed []enlist.ContactID, err error) {
	test, args, err := tx.ContactTest("id", ids)
	if err != nil {
		return nil, err
	}
	r, err := toRemove(tx, list, test+" ORDER BY id", args...)
	if err != nil || len(r.IDs) == 0 {
		return nil, err
	}
	return r.IDs, s.remove(tx, &r, now)
}

// removal are Contacts of a List that a transaction removes.
type removal struct {
	List      enlist.ListID
	IDs       []enlist.ContactID
	Addresses []string // for which the caller must look for a duplicate to promote
	receiving int64    // number of the Contacts that could get mail
}

// toRemove returns the Contacts to remove. With concurrent writers, the addresses are those of all primaries, because
// another transaction can insert a duplicate at the same time.
func toRemove(tx *db.Tx, list enlist.ListID, where string, args ...any) (r removal, err error) {
	r.List = list
	address := `CASE WHEN EXISTS (SELECT 1 FROM contact d
		WHERE d.list_id = c.list_id AND d.duplicate_key = c.dedupe_key) THEN dedupe_key END`
	if tx.SQL.ConcurrentWriters {
		address = "dedupe_key"
	}
	err = tx.Each(func(row *db.Cursor) error {
		r.IDs = append(r.IDs, enlist.ContactID(row.Int()))
		if v := row.Value(); v != nil {
			r.Addresses = append(r.Addresses, db.TextOf(v))
		}
		if active, unsubscribed := row.Int(), row.Int(); active == 1 && unsubscribed == 0 {
			r.receiving++
		}
		return nil
	}, "SELECT id, "+address+", is_active, is_unsubscribed FROM contact c WHERE list_id = ? AND "+where+tx.Locking(),
		append([]any{int64(list)}, args...)...)
	return r, err
}

// remove removes Contacts, which exist, and the rows of their deliveries.
func (s *Service) remove(tx *db.Tx, r *removal, now int64) error {
	list, ids := r.List, r.IDs
	for _, table := range []struct{ name, column string }{{"contact", "id"}, {"departure", "contact_id"}} {
		test, args, err := tx.ContactTest(table.column, ids)
		if err != nil {
			return err
		}
		err = tx.Do("DELETE FROM "+table.name+" WHERE list_id = ? AND "+test, append([]any{int64(list)}, args...)...)
		if err != nil {
			return err
		}
	}
	for _, forget := range s.above.Forget {
		if err := forget(tx, list, ids); err != nil {
			return err
		}
	}
	if err := r.count(tx, now); err != nil {
		return err
	}
	return promoteDuplicates(tx, list, r.Addresses)
}

// count counts the removal. A deleted List has no days.
func (r *removal) count(tx *db.Tx, now int64) error {
	n := db.ContactCount{List: r.List, Added: -int64(len(r.IDs)), As: enlist.DayRemoved, Times: r.receiving}
	schema, err := lists.Schema(tx, r.List)
	switch {
	case err == nil:
		n.Account, n.Day = schema.List.AccountID, enlist.DayOf(now, schema.TimeZone)
	case enlist.KindOf(err) == enlist.NoList:
		account, err := tx.Number("SELECT account_id FROM list WHERE id = ?", int64(r.List))
		if err != nil {
			return err
		}
		n.Account = enlist.AccountID(account)
	default:
		return err
	}
	tx.Count(n)
	return nil
}

// promoteDuplicates makes the oldest duplicate of each address the primary, if the address has no primary.
// With concurrent writers, the UPDATE may wait for another transaction that removes the selected Contact or changes its
// address. Then the loop promotes the next duplicate.
func promoteDuplicates(tx *db.Tx, list enlist.ListID, addresses []string) error {
	for len(addresses) > 0 {
		next, err := oldestDuplicates(tx, list, addresses)
		if err != nil || len(next) == 0 {
			return err
		}
		for address, id := range next {
			err := tx.Do(`UPDATE contact SET dedupe_key = duplicate_key, duplicate_key = NULL
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
func oldestDuplicates(tx *db.Tx, list enlist.ListID, addresses []string) (map[string]int64, error) {
	array, err := db.JSONArray(addresses)
	if err != nil {
		return nil, err
	}
	oldest := make(map[string]int64)
	// Without "+ 0", PostgreSQL could read the Contacts in the order of their IDs until it finds the first.
	err = tx.Each(func(row *db.Cursor) error {
		address := row.Text()
		if id := row.Int(); id != 0 {
			oldest[address] = id
		}
		return nil
	}, `SELECT value, coalesce((SELECT id FROM contact d WHERE d.list_id = ?1 AND d.duplicate_key = value
			AND (SELECT f.id FROM contact f WHERE f.list_id = ?1 AND f.dedupe_key = value) IS NULL
			ORDER BY id + 0 LIMIT 1), 0)
		FROM `+tx.SQL.Items("?2")+` address`, int64(list), array)
	return oldest, err
}

// DropList removes a hidden List and its definitions, also those of other packages. The caller must first remove the
// Contacts of the List.
func (s *Service) DropList(tx *db.Tx, id enlist.ListID) error {
	if err := lists.Drop(tx, id); err != nil {
		return err
	}
	for _, query := range []string{
		"DELETE FROM segment WHERE list_id = ?",
		"DELETE FROM departure WHERE list_id = ?",
	} {
		if err := tx.Do(query, int64(id)); err != nil {
			return err
		}
	}
	own := []func(*db.Tx, enlist.ListID) error{removeChanges, webhooks.RemoveOf}
	for _, remove := range append(own, s.above.DropList...) {
		if err := remove(tx, id); err != nil {
			return err
		}
	}
	return nil
}
