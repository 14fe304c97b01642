package lists

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file returns Lists to callers.

// List returns one List. Errors: NoList, Denied.
func (s *Service) List(ctx context.Context, c *enlist.Caller, id enlist.ListID) (*enlist.List, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*enlist.List, error) {
		schema, err := Load(tx, c, id)
		if err != nil {
			return nil, err
		}
		list := schema.List
		list.ContactCount, err = tx.ContactCount(id)
		return &list, err
	})
}

// Names returns the names of the Lists of the Account that the caller may access.
func (s *Service) Names(ctx context.Context, c *enlist.Caller) (map[enlist.ListID]string, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (map[enlist.ListID]string, error) {
		lists, err := cached(tx, c.Account.ID)
		names := make(map[enlist.ListID]string, len(lists))
		for i := range lists {
			if l := &lists[i]; c.Key.Allows(l.ID) {
				names[l.ID] = l.Name
			}
		}
		return names, err
	})
}

// SearchLists returns the matching Lists of the Account that the key may access. Errors:
// InvalidSearch.
func (s *Service) SearchLists(ctx context.Context, c *enlist.Caller, q enlist.Query) ([]enlist.List, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]enlist.List, error) {
		lists, err := visible(tx, c)
		if err != nil {
			return nil, err
		}
		return enlist.SearchRecords(ListAttributes, lists, q)
	})
}
