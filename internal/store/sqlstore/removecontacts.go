package sqlstore

// This file removes Contacts, and promotes a duplicate when the primary of an address is removed.

import (
	"strconv"

	"enlist/internal/audience"

	"github.com/go-json-experiment/json/jsontext"
)

// RemoveContactsUpTo removes at most limit Contacts of a List, lowest IDs first, up
// to an ID. Where one of them was the first with its address, the next one with
// it takes its place.
func (t *Tx) RemoveContactsUpTo(list audience.ListID, upto audience.ContactID, limit int) (removed int, err error) {
	ids, shared, err := t.toRemove(list, "id <= ? ORDER BY id LIMIT CAST(? AS BIGINT)", int64(upto), int64(limit))
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), t.remove(list, shared, len(ids), "<= ?", int64(ids[len(ids)-1]))
}

// RemoveContactsByID removes the Contacts of a List with the IDs given, and returns
// those that were there, by ID. The next one with an address takes the place of
// the first.
func (t *Tx) RemoveContactsByID(list audience.ListID, ids []audience.ContactID) (removed []audience.ContactID, err error) {
	which := idList(ids)
	removed, shared, err := t.toRemove(list, "id IN "+t.sql.ids()+" ORDER BY id", which)
	if err != nil || len(removed) == 0 {
		return nil, err
	}
	return removed, t.remove(list, shared, len(removed), "IN "+t.sql.ids(), which)
}

// toRemove finds Contacts that are to be removed, and of their addresses those
// that others have too, as a JSON array. Where several write, another one may be
// about to have an address as well: then it is all of them.
func (t *Tx) toRemove(list audience.ListID, where string, args ...any) (ids []audience.ContactID, addressesShared string, err error) {
	shared := "CASE WHEN EXISTS (SELECT 1 FROM contact d WHERE d.list_id = c.list_id AND d.duplicate_key = c.dedupe_key) THEN dedupe_key END"
	if t.sql.ConcurrentWriters {
		shared = "dedupe_key"
	}
	addresses := []byte{'['}
	err = t.each(func(row *Cursor) (err error) {
		ids = append(ids, audience.ContactID(row.Int()))
		address := row.Value()
		if address == nil {
			return nil
		}
		if len(addresses) > 1 {
			addresses = append(addresses, ',')
		}
		addresses, err = jsontext.AppendQuote(addresses, text(address))
		return err
	}, "SELECT id, "+shared+" FROM contact c WHERE list_id = ? AND "+where+t.locking(), append([]any{int64(list)}, args...)...)
	return ids, string(append(addresses, ']')), err
}

// remove removes the n Contacts whose IDs pass a test, with what was sent to them.
func (t *Tx) remove(list audience.ListID, shared string, n int, test string, arg any) error {
	account, err := t.number("SELECT account_id FROM list WHERE id = ?", int64(list))
	if err != nil {
		return err
	}
	for _, query := range []string{
		"DELETE FROM contact WHERE list_id = ? AND id " + test,
		"DELETE FROM delivery WHERE list_id = ? AND contact_id " + test,
	} {
		if err := t.conn.Do(query, int64(list), arg); err != nil {
			return err
		}
	}
	t.count(list, audience.AccountID(account), -int64(n))
	return t.takePlaces(list, shared)
}

// PromoteDuplicate makes the next Contact with an address the primary of its duplicates, after the primary lost the
// address or was deleted.
func (t *Tx) PromoteDuplicate(list audience.ListID, key string) error {
	one, err := jsontext.AppendQuote([]byte{'['}, key)
	if err != nil {
		return err
	}
	return t.takePlaces(list, string(append(one, ']')))
}

// takePlaces does so for the addresses in a JSON array. The Contact that is to
// take a place may be removed, or get another address, while this waits for it:
// then it is the turn of the one after that.
func (t *Tx) takePlaces(list audience.ListID, addresses string) error {
	if addresses == "[]" {
		return nil
	}
	for {
		err := t.conn.Do(`UPDATE contact SET dedupe_key = duplicate_key, duplicate_key = NULL
			WHERE list_id = ?1 AND duplicate_key IS NOT NULL AND id IN (SELECT (SELECT id FROM contact d
				WHERE d.list_id = ?1 AND d.duplicate_key = address.value
					AND NOT EXISTS (SELECT 1 FROM contact f WHERE f.list_id = ?1 AND f.dedupe_key = d.duplicate_key)
				ORDER BY id LIMIT 1) FROM `+t.sql.Items("?2")+` address)`, int64(list), addresses)
		if err != nil || !t.sql.ConcurrentWriters {
			return err
		}
		left, err := t.number(`SELECT EXISTS (SELECT 1 FROM contact d WHERE d.list_id = ?1
				AND d.duplicate_key IN (SELECT value FROM `+t.sql.Items("?2")+`)
				AND NOT EXISTS (SELECT 1 FROM contact f WHERE f.list_id = ?1 AND f.dedupe_key = d.duplicate_key))`, int64(list), addresses)
		if err != nil || left == 0 {
			return err
		}
	}
}

// idList writes IDs as a JSON array.
func idList[ID ~int64](ids []ID) string {
	b := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return string(append(b, ']'))
}
