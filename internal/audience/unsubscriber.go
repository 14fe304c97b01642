package audience

import (
	"context"
	"errors"
)

// This file has the Unsubscriber List of an Account, which has an entry for every address that
// ever unsubscribed. Entries are never deleted.

// Unsubscriber is one entry of the Unsubscriber List.
type Unsubscriber struct {
	ContactID   ContactID // 0 if the address belonged to no Contact
	ListID      ListID    // 0 if the call named no List
	AddressType AddressType
	Address     string // as the Contact has it, or as the call sent it
	AddressKey  string // normalised form
	Time        int64
}

// UnsubscriberAttributes are the keys of an entry of the Unsubscriber List, in the order of a
// reply.
var UnsubscriberAttributes = []Attribute[Unsubscriber]{
	searchable(readOnlyInt("contact_id", func(u *Unsubscriber) ContactID { return u.ContactID })),
	searchable(readOnlyInt("list_id", func(u *Unsubscriber) ListID { return u.ListID })),
	searchable(readOnlyText("address_type", func(u *Unsubscriber) AddressType { return u.AddressType })),
	searchable(readOnlyText("address", func(u *Unsubscriber) string { return u.Address })),
	searchable(readOnlyInt("time", func(u *Unsubscriber) int64 { return u.Time })),
}

// SearchUnsubscribers returns the matching entries of the Unsubscriber List, by default in the
// order of time. list 0 means all Lists that the key may access. Errors: NoList, Denied,
// InvalidSearch, and Busy if too many searches run or the search takes too long.
func (s *Service) SearchUnsubscribers(ctx context.Context, c *Caller, list ListID,
	q Query) (rows []Unsubscriber, err error) {
	err = s.scanUnsubscribers(ctx, c, list, q, func(found *collector[Unsubscriber], scan scanUnsubscribers) error {
		err := scan(func(u *Unsubscriber) error {
			found.add(u)
			if found.full() {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
		rows = found.page()
		return nil
	})
	return rows, err
}

// CountUnsubscribers returns how many entries of the Unsubscriber List match. It keeps none of them
// in memory. Errors: as of SearchUnsubscribers.
func (s *Service) CountUnsubscribers(ctx context.Context, c *Caller, list ListID, criteria *Criteria) (n int, err error) {
	q := Query{Criteria: criteria}
	err = s.scanUnsubscribers(ctx, c, list, q, func(found *collector[Unsubscriber], scan scanUnsubscribers) error {
		n = 0
		return scan(func(u *Unsubscriber) error {
			if found.accepts(u) {
				n++
			}
			return nil
		})
	})
	return n, err
}

// scanUnsubscribers calls a function for each entry that the caller may see.
type scanUnsubscribers func(each func(*Unsubscriber) error) error

// scanUnsubscribers runs fn in a Search, with a checked query.
func (s *Service) scanUnsubscribers(ctx context.Context, c *Caller, list ListID, q Query,
	fn func(*collector[Unsubscriber], scanUnsubscribers) error) error {
	return s.store.Search(c.with(ctx), confirmed(c, func(tx Tx) error {
		if list != 0 {
			if _, err := loadList(tx, c, list); err != nil {
				return err
			}
		}
		found := collector[Unsubscriber]{attributes: UnsubscriberAttributes}
		if err := found.begin(q); err != nil {
			return err
		}
		return fn(&found, func(each func(*Unsubscriber) error) error {
			return tx.Unsubscribers(c.Account.ID, list, func(u *Unsubscriber) error {
				if !c.Key.Allows(u.ListID) {
					return nil
				}
				return each(u)
			})
		})
	}))
}

// errEnough ends a scan when the page is full.
var errEnough = errors.New("enough rows")

// UnsubscriberTx reads the Unsubscriber List of an Account and adds entries to it, in a
// transaction.
type UnsubscriberTx interface {
	// AddUnsubscriber appends an entry.
	AddUnsubscriber(account AccountID, u *Unsubscriber) error
	// Unsubscribers calls the function each for every entry of a List, or of all Lists if
	// list is 0, in the order of insertion. If each returns an error, Unsubscribers stops
	// and returns this error.
	Unsubscribers(account AccountID, list ListID, each func(*Unsubscriber) error) error
	// QuotedUnsubscribers returns the AddressKeys that begin with a quote, each once and in order
	// of their bytes. It returns at most limit of them, and only those that sort after the text
	// after.
	QuotedUnsubscribers(account AccountID, after string, limit int) ([]string, error)
	// SetUnsubscriberKey replaces an AddressKey by another one in at most limit entries. It
	// returns the number of changed entries.
	SetUnsubscriberKey(account AccountID, from, to string, limit int) (changed int64, err error)
}
