package contacts

import (
	"context"

	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file stores addresses of earlier versions again in their normalised form. Those versions kept
// quotes and backslashes that an address does not need, and invisible and wide characters. So one mailbox
// could have several Contacts and could subscribe again although it was in the Unsubscriber List.
// decisions.md: 23

// quotedBatch is the number of addresses that one transaction reads, and of rows that it changes.
const quotedBatch = 500

// NormaliseQuoted normalises the stored addresses that begin with a quote or with no ASCII character, and at the first
// call of a process all that are not ASCII: the index of addresses is then read once.
// If two Contacts of a List then have the same address, the older one is its primary and the other one is a
// duplicate. A server calls NormaliseQuoted when it starts, and every hour: a process of an
// earlier version may use the database at the same time. Indexes find these addresses, and
// most databases have none.
func (s *Service) NormaliseQuoted(ctx context.Context) error {
	err := s.normaliseStored(ctx, !s.isNormalised.Load())
	if err == nil {
		s.isNormalised.Store(true)
	}
	return err
}

// normaliseStored is NormaliseQuoted for the addresses that begin so, or for all that are not ASCII.
func (s *Service) normaliseStored(ctx context.Context, all bool) error {
	accounts, err := s.accounts.AllAccounts(ctx)
	if err != nil {
		return err
	}
	for i := range accounts {
		account := accounts[i].ID
		if err := s.normaliseUnsubscribers(ctx, account, all); err != nil {
			return err
		}
		lists, err := db.OwnView(ctx, s.db, func(tx *db.Tx) ([]enlist.List, error) {
			return lists.Defined(tx, account)
		})
		if err != nil {
			return err
		}
		for j := range lists {
			if err := s.normaliseContacts(ctx, lists[j].ID, all); err != nil {
				return err
			}
		}
	}
	return nil
}

// normaliseContacts normalises the addresses of a List's Contacts.
func (s *Service) normaliseContacts(ctx context.Context, list enlist.ListID, all bool) error {
	change := func(tx *db.Tx, keys []string) (rest []string, err error) {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return nil, enlist.IgnoreKind(enlist.NoList, err)
		}
		if err := tx.LockListForBulk(list); err != nil {
			return nil, err
		}
		rest, duplicates, err := normaliseKeys(tx, list, keys)
		if err == nil && duplicates && schema.Unique {
			// This stores a new version of the Schema. Searches of the List must look for duplicates now.
			err = lists.Update(tx, &schema.List)
		}
		return rest, err
	}
	for _, column := range []string{"dedupe_key", "duplicate_key"} {
		read := readerOf(column, "contact WHERE list_id = ?", int64(list), all)
		if err := s.eachQuoted(ctx, read, change); err != nil {
			return err
		}
	}
	return nil
}

// normaliseKeys normalises the Keys of the Contacts with the given Keys, of quotedBatch Contacts at
// most. It returns the Keys that are left, and whether a Contact became a duplicate.
func normaliseKeys(tx *db.Tx, list enlist.ListID, keys []string) (rest []string, duplicates bool, err error) {
	room := quotedBatch
	for i, key := range keys {
		found, err := ByAddress(tx, list, key, "", 0, room)
		if err != nil {
			return nil, false, err
		}
		for j := range found {
			duplicate, err := normaliseContact(tx, &found[j])
			if err != nil {
				return nil, false, err
			}
			duplicates = duplicates || duplicate
		}
		room -= len(found)
		if room == 0 { // the next transaction changes the duplicates that are left; until then they need a primary
			return keys[i:], duplicates, promoteDuplicates(tx, list, keys[i:i+1])
		}
	}
	return nil, duplicates, nil
}

// normaliseContact normalises the Key of a Contact. Of the Contacts with the new Key, the one with
// the lowest ID becomes the primary. duplicate says that there are several.
func normaliseContact(tx *db.Tx, c *enlist.Contact) (duplicate bool, err error) {
	_, key, _ := address.ParseEmail(c.Key)
	primary, err := ByKey(tx, c.ListID, key)
	if err != nil && enlist.KindOf(err) != enlist.NoContact {
		return false, err
	}
	duplicate = err == nil
	c.Key, c.IsFirst = key, !duplicate || c.ID < primary.ID
	if duplicate && c.IsFirst {
		primary.IsFirst = false
		if err := Update(tx, primary); err != nil {
			return false, err
		}
	}
	return duplicate, Update(tx, c)
}

// normaliseUnsubscribers normalises the addresses in the Unsubscriber List.
func (s *Service) normaliseUnsubscribers(ctx context.Context, account enlist.AccountID, all bool) error {
	read := readerOf("address_key", unsubscribersOf, int64(account), all)
	return s.eachQuoted(ctx, read, func(tx *db.Tx, keys []string) (rest []string, err error) {
		room := int64(quotedBatch)
		for i, key := range keys {
			_, normalised, _ := address.ParseEmail(key)
			changed, err := setUnsubscriberKey(tx, account, key, normalised, int(room))
			room -= changed
			if err != nil || room == 0 {
				return keys[i:], err
			}
		}
		return nil, nil
	})
}

// readKeys returns the next addresses after one, and up to which address it has read; "" is the end.
type readKeys func(tx *db.Tx, after string) (keys []string, upto string, err error)

// readerOf returns a reader of the addresses of a column that begin with a quote or with no ASCII character, or of all
// that are not ASCII.
func readerOf(column, of string, owner int64, all bool) readKeys {
	if all {
		return func(tx *db.Tx, after string) ([]string, string, error) { return notASCII(tx, column, of, owner, after) }
	}
	return func(tx *db.Tx, after string) (keys []string, upto string, err error) {
		keys, err = quoted(tx, column, of, owner, after, quotedBatch)
		if len(keys) > 0 {
			upto = keys[len(keys)-1]
		}
		return keys, upto, err
	}
}

// eachQuoted reads addresses in their order. It calls change in an Update with those whose normalised form differs. change
// returns the addresses that are left because their rows are too many for one transaction. It may run more than once.
func (s *Service) eachQuoted(ctx context.Context, read readKeys,
	change func(tx *db.Tx, keys []string) (rest []string, err error)) error {
	for after, isEnd := "", false; !isEnd; {
		from := after // the function of a View can run twice
		page, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (keys []string, err error) {
			keys, after, err = read(tx, from)
			return keys, err
		})
		if err != nil {
			return err
		}
		isEnd = after == ""
		for keys := needlesslyQuoted(page); len(keys) > 0; {
			keys, err = db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) ([]string, error) { return change(tx, keys) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// needlesslyQuoted returns the addresses whose normalised form differs from their text.
func needlesslyQuoted(keys []string) (found []string) {
	for _, key := range keys {
		if _, normalised, ok := address.ParseEmail(key); ok && normalised != key {
			found = append(found, key)
		}
	}
	return found
}
