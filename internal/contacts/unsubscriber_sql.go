package contacts

import (
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file stores and searches the Unsubscriber List.

// storedUnsubscriber is a row of the Unsubscriber List and the ID of its Account.
type storedUnsubscriber struct {
	Unsubscriber
	account enlist.AccountID
}

func mapUnsubscriber(m *db.Mapper, u *storedUnsubscriber) {
	m.Stored("account_id", (*int64)(&u.account))
	m.Fixed("contact_id", (*int64)(&u.ContactID))
	m.Fixed("list_id", (*int64)(&u.ListID))
	m.Fixed("address_type", (*string)(&u.AddressType))
	m.Fixed("address", &u.Address)
	m.Fixed("address_key", &u.AddressKey)
	m.Fixed("time", &u.Time)
}

var unsubscriberTable = db.NewMapping("unsubscriber", mapUnsubscriber)

// AddUnsubscriber adds an address to the Unsubscriber List.
func AddUnsubscriber(tx *db.Tx, account enlist.AccountID, u *Unsubscriber) error {
	return unsubscriberTable.Queue(tx, &storedUnsubscriber{*u, account})
}

// EraseUnsubscriber replaces the address of a row of the Unsubscriber List by an erased one, and removes its Contact.
func EraseUnsubscriber(tx *db.Tx, id int64, erased string) error {
	return tx.Do("UPDATE unsubscriber SET address = ?, address_key = ?, contact_id = 0 WHERE id = ?", erased, erased,
		id)
}

// Unsubscribers calls the function each with the rows of the Unsubscriber List that a search finds. Rows
// with equal sort values are in the order of their IDs, in the same direction.
func Unsubscribers(tx *db.Tx, s *UnsubscriberSearch, each func(*Unsubscriber) error) error {
	text, args, err := UnsubscriberStatement(tx, s)
	if err != nil {
		return err
	}
	return unsubscriberTable.Each(tx, func(u *storedUnsubscriber) error {
		return each(&u.Unsubscriber)
	}, text, args...)
}

// UnsubscriberStatement returns the clauses after FROM of a search, and their arguments. A test passes them to
// EXPLAIN.
func UnsubscriberStatement(tx *db.Tx, s *UnsubscriberSearch) (text string, args []any, err error) {
	q, err := unsubscribersWhere(tx, s)
	if err != nil {
		return "", nil, err
	}
	q.Sorted = s.Keys != nil // few rows, so the primary key must not be read in the order of the IDs
	q.OrderRecords(s.Sort, "id"+q.Unindexed(), s.Descending)
	q.Limit(&enlist.Search{Limit: s.Limit, Offset: s.Offset})
	return q.Text.String(), q.Args, nil
}

// CountUnsubscribers returns how many rows of the Unsubscriber List match a search.
func CountUnsubscribers(tx *db.Tx, s *UnsubscriberSearch) (int64, error) {
	q, err := unsubscribersWhere(tx, s)
	if err != nil {
		return 0, err
	}
	return tx.Number("SELECT count(*) FROM unsubscriber "+q.Text.String(), q.Args...)
}

// unsubscribersWhere begins a statement with the WHERE clause of a search. With Keys, the rows are those that the index
// of addresses finds: further criteria and the order cannot lead to another index.
func unsubscribersWhere(tx *db.Tx, s *UnsubscriberSearch) (*search.Query, error) {
	q := search.Records(tx, "", nil, nil)
	if s.Keys != nil {
		test, keys, err := tx.OneOfTexts(s.Keys)
		if err != nil {
			return nil, err
		}
		q.Add("WHERE id IN (SELECT id FROM unsubscriber WHERE account_id = ? AND address_key"+test+")",
			int64(s.Account), keys)
	} else {
		q.Add("WHERE account_id = ?", int64(s.Account))
	}
	if s.Lists != nil {
		test, lists, err := db.OneOfIDs(tx, s.Lists)
		if err != nil {
			return nil, err
		}
		q.Add(" AND list_id"+test, lists)
	}
	q.And(s.Where)
	return q, nil
}

// UnsubscribedAmong returns those of the normalised addresses that the Unsubscriber List of an Account
// has. It reads the rows of one List, or of all Lists if list is 0. An erased address counts for every List.
func UnsubscribedAmong(tx *db.Tx, account enlist.AccountID, list enlist.ListID, addresses []string) (
	map[string]bool, error) {
	unsubscribed := make(map[string]bool)
	if len(addresses) == 0 {
		return unsubscribed, nil
	}
	query, args := "", []any(nil)
	if list != 0 { // "+ 0": an index of list_id must not be used
		query, args = " AND list_id + 0 = ?", []any{int64(list)}
	}
	err := eachEntry(tx, account, addresses, func(key string, _ int64) { unsubscribed[key] = true }, query, args...)
	if err != nil {
		return nil, err
	}
	erased, err := ErasedEntries(tx, account, addresses)
	for address := range erased {
		unsubscribed[address] = true
	}
	return unsubscribed, err
}

// suppressedAmong returns those of the normalised addresses that have an entry for all Lists, with the time of the
// newest. Most Accounts have no such entry, so it looks for any first.
func suppressedAmong(tx *db.Tx, account enlist.AccountID, addresses []string) (map[string]int64, error) {
	isAny, err := tx.Number("SELECT 1 FROM unsubscriber WHERE account_id = ? AND list_id = 0 LIMIT 1", int64(account))
	if err != nil {
		return nil, err
	}
	erased, err := ErasedEntries(tx, account, addresses)
	if err != nil || isAny == 0 && len(erased) == 0 {
		return nil, err
	}
	of := make(map[string]string, len(erased)) // addresses by key
	var keys []string
	if isAny != 0 {
		keys = slices.Clone(addresses)
	}
	for address, key := range erased {
		of[key] = address
		keys = append(keys, key)
	}
	newest := make(map[string]int64)
	return newest, eachEntry(tx, account, keys, func(key string, at int64) {
		if address, isErased := of[key]; isErased {
			key = address
		}
		newest[key] = max(newest[key], at)
	}, " AND (list_id + 0 = 0 OR "+tx.SQL.NoIndex+"address_key >= '"+ErasedPrefix+"' AND "+tx.SQL.NoIndex+
		"address_key < '"+AfterErased+"')")
}

// eachEntry calls each with the address_key and the time of the rows that have one of the keys and satisfy a further
// test.
func eachEntry(tx *db.Tx, account enlist.AccountID, keys []string, each func(key string, at int64), further string,
	args ...any) error {
	wanted, err := db.ManyValues(tx, keys)
	if err != nil {
		return err
	}
	query := tx.SQL.LookUp("TEXT[]", "address_key, time", "unsubscriber WHERE address_key", "account_id = ?"+further)
	return tx.Each(func(row *db.Cursor) error {
		each(strings.Clone(row.Text()), row.Int())
		return nil
	}, query, append([]any{wanted, int64(account)}, args...)...)
}

// ReadErasedKeys returns the hashes of addresses of an Account. Without a stored secret no row contains such a hash.
func ReadErasedKeys(tx *db.Tx, account enlist.AccountID) (*ErasedKeys, error) {
	secret, err := accounts.Secret(tx, ErasureSecret, nil)
	return NewErasedKeys(secret, account), err
}

// ErasedEntries returns the entries of those normalised addresses that were erased, by address. Most Accounts have
// erased none, so it looks for any first.
func ErasedEntries(tx *db.Tx, account enlist.AccountID, addresses []string) (map[string]string, error) {
	const anyErased = `SELECT 1 FROM unsubscriber WHERE account_id = ?
		AND address_key >= '` + ErasedPrefix + `' AND address_key < '` + AfterErased + `' LIMIT 1`
	isAny, err := tx.Number(anyErased, int64(account))
	if err != nil || isAny == 0 {
		return nil, err
	}
	erased, err := ReadErasedKeys(tx, account)
	if err != nil {
		return nil, err
	}
	keys, of := make([]string, len(addresses)), make(map[string]string, len(addresses))
	for i, address := range addresses {
		keys[i] = erased.Of(address)
		of[keys[i]] = address
	}
	entries := make(map[string]string)
	return entries, eachEntry(tx, account, keys, func(key string, _ int64) { entries[of[key]] = key }, "")
}
