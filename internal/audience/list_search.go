package audience

import (
	"context"
	"slices"
)

// This file shows Lists to callers.

// List returns one List. Errors: NoList, Denied.
func (s *Service) List(ctx context.Context, c *Caller, id ListID) (*List, error) {
	var list List
	err := s.view(ctx, c, func(tx Tx) error {
		schema, err := loadList(tx, c, id)
		if err != nil {
			return err
		}
		list = schema.List
		list.ContactCount, err = tx.ContactCount(id)
		return err
	})
	return &list, err
}

// SearchLists returns the Account's Lists that match and that the key may see. Errors: InvalidSearch.
func (s *Service) SearchLists(ctx context.Context, c *Caller, q Query) (found []List, err error) {
	err = s.view(ctx, c, func(tx Tx) error {
		lists, err := tx.Lists(c.Account.ID)
		if err != nil {
			return err
		}
		if c.Key.Lists != nil {
			lists = slices.DeleteFunc(slices.Clone(lists), func(l List) bool { return !c.Key.Allows(l.ID) })
		}
		found, err = searchRecords(ListAttributes, lists, q)
		return err
	})
	return found, err
}
