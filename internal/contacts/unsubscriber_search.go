package contacts

import (
	"context"
	"maps"
	"slices"

	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file searches the Unsubscriber List. The database runs the search, because the list grows for ever.

// UnsubscriberSearch is a checked query of an Account's Unsubscriber List.
type UnsubscriberSearch struct {
	Account    enlist.AccountID
	Lists      []enlist.ListID   // nil: all Lists, and the entries without a List
	Where      *enlist.Condition // nil: every entry; its keys are names of columns
	Keys       []string          // if not nil, Where accepts only entries with one of these AddressKeys
	Sort       *enlist.SearchKey // nil: in the order of insertion
	Descending bool              // only with Sort
	Limit      int64             // 0: no limit
	Offset     int64
}

// SearchUnsubscribers sends the matching entries of the Unsubscriber List to w, by default in the
// order of insertion. list 0 means all Lists that the key may access. Errors: NoList, Denied,
// InvalidSearch, and Busy if too many searches or streams run or the search takes too long.
func (s *Service) SearchUnsubscribers(ctx context.Context, c *enlist.Caller, list enlist.ListID, q enlist.Query,
	w enlist.RowWriter[Unsubscriber]) error {
	return s.db.InPhases(ctx, c, db.Searching, func(tx *db.Tx, p db.Phase) error {
		search, err := searchOfUnsubscribers(tx, c, list, q)
		if err != nil {
			return err
		}
		rows := &enlist.PagedRows[Unsubscriber]{RowWriter: w, Streaming: p == db.Streaming}
		if err := rows.Begin(rows.Streaming); err != nil {
			return err
		}
		return Unsubscribers(tx, search, rows.Row)
	})
}

// CountUnsubscribers returns how many entries of the Unsubscriber List match. Errors: as of
// SearchUnsubscribers.
func (s *Service) CountUnsubscribers(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	criteria *enlist.Criteria) (n int64, err error) {
	err = s.db.Search(c.Context(ctx), s.db.Confirmed(c, func(tx *db.Tx) error {
		search, err := searchOfUnsubscribers(tx, c, list, enlist.Query{Criteria: criteria})
		if err != nil {
			return err
		}
		n, err = CountUnsubscribers(tx, search)
		return err
	}))
	return n, err
}

// searchOfUnsubscribers checks a query. Errors: NoList, Denied, InvalidSearch.
func searchOfUnsubscribers(tx *db.Tx, c *enlist.Caller, list enlist.ListID,
	q enlist.Query) (*UnsubscriberSearch, error) {
	allowed := c.Key.Lists
	if list != 0 {
		if _, err := lists.Load(tx, c, list); err != nil {
			return nil, err
		}
		allowed = []enlist.ListID{list}
	}
	if q.Limit < 0 || q.Offset < 0 {
		return nil, enlist.ErrNegativePage
	}
	k := enlist.Keys{System: enlist.AttributeKeys(UnsubscriberAttributes)}
	where, err := k.Condition(q.Criteria)
	if err != nil {
		return nil, err
	}
	sort, err := k.Sort(q.SortBy)
	if err != nil {
		return nil, err
	}
	search := &UnsubscriberSearch{Account: c.Account.ID, Lists: allowed, Where: where, Keys: addressKeys(where),
		Sort: sort, Descending: q.Descending && sort != nil, Limit: q.Limit, Offset: q.Offset}
	return search, search.findErased(tx)
}

// findErased makes a search for addresses find the entries of those that were erased too.
func (s *UnsubscriberSearch) findErased(tx *db.Tx) error {
	if len(s.Keys) == 0 {
		return nil
	}
	entries, err := ErasedEntries(tx, s.Account, s.Keys)
	if len(entries) > 0 {
		addErased(s.Where, entries)
		s.Keys = slices.AppendSeq(slices.Clone(s.Keys), maps.Values(entries))
	}
	return err
}

// addErased adds entries, by address, as operands to the comparisons with their addresses.
func addErased(c *enlist.Condition, entries map[string]string) {
	for _, parts := range [][]enlist.Condition{c.All, c.Any} {
		for i := range parts {
			addErased(&parts[i], entries)
		}
	}
	if c.Key == nil || c.Key.Name != "address" || c.Operator != enlist.Exactly && c.Operator != enlist.In {
		return
	}
	for _, o := range c.Operands {
		keys, _ := address.Keys(o.Text)
		for _, key := range keys {
			if entry := entries[key]; entry != "" {
				c.Operator, c.Operands = enlist.In, append(slices.Clone(c.Operands),
					enlist.Operand{Text: address.LowerASCII(entry)})
			}
		}
	}
}

// maxAddressKeys is the largest number of addresses for which a search reads the index of addresses.
const maxAddressKeys = 5000

// addressKeys returns the AddressKeys that entries must have to satisfy a condition, or nil if the
// condition does not compare the address with values. An index finds these entries.
func addressKeys(c *enlist.Condition) []string {
	switch {
	case c == nil:
		return nil
	case c.Any != nil:
		var keys []string
		for i := range c.Any {
			part := addressKeys(&c.Any[i])
			if part == nil {
				return nil
			}
			keys = append(keys, part...)
		}
		return FewKeys(keys)
	case c.All != nil:
		for i := range c.All {
			if ofPart := addressKeys(&c.All[i]); ofPart != nil {
				return ofPart
			}
		}
	case c.Key.Name == "address" && (c.Operator == enlist.Exactly || c.Operator == enlist.In):
		return keysOfAddresses(c.Operands)
	}
	return nil
}

// keysOfAddresses returns the AddressKeys of all entries whose address equals one of the operands. It
// returns nil if there are too many of them.
func keysOfAddresses(operands []enlist.Operand) []string {
	found := []string{}
	for _, o := range operands {
		keys, ok := address.Keys(o.Text)
		if !ok || len(found) > maxAddressKeys {
			return nil
		}
		found = append(found, keys...)
	}
	return FewKeys(found)
}

// FewKeys returns the sorted keys, each once, or nil if there are too many of them.
func FewKeys(keys []string) []string {
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if len(keys) > maxAddressKeys {
		return nil
	}
	return keys
}
