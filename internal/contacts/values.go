package contacts

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// TopValues returns the values that most of the matching Contacts have in a Field, the most frequent first, at most
// limit of them. Errors: NoList, Denied, NoField, InvalidSearch, and Busy if too many searches run or it takes too
// long.
func (s *Service) TopValues(ctx context.Context, c *enlist.Caller, list enlist.ListID, criteria *enlist.Criteria,
	field string, limit int) (counts []search.ValueCount, err error) {
	err = s.db.InPhases(ctx, c, db.LookingUp, func(tx *db.Tx, p db.Phase) error {
		schema, query, err := s.searchOf(tx, c, list, enlist.Query{Criteria: criteria})
		if err != nil {
			return err
		}
		f := schema.FieldCalled(field)
		if f == nil {
			return enlist.Refuse(enlist.NoField, "the List has no Field %q", field)
		}
		if p == db.LookingUp {
			return db.ErrSlow
		}
		counts, err = search.TopValues(tx, query, f, limit)
		return err
	})
	return counts, err
}
