package audience

import (
	"context"

	"enlist/internal/address"
)

// DeleteFieldValues makes one step of removing what Contacts hold of a deleted
// Field, and returns the next one. Doing it again does no harm.
func (s *Service) DeleteFieldValues(ctx context.Context, e DeleteFieldValues) (next DeleteFieldValues, done bool, err error) {
	next = e
	err = s.store.Update(ctx, func(tx Tx) (err error) {
		if err := tx.LockListForBulk(e.List); err != nil {
			return err
		}
		if e.Mobile {
			next.After, err = forgetMobile(tx, e)
		} else {
			next.After, err = tx.DeleteFieldValues(e.List, e.Field, e.After, removeBatch)
		}
		return err
	})
	return next, err == nil && next.After == 0, err
}

// forgetMobile also removes what the numbers were compared by. A List that is
// deleted by now is left to its own removal.
func forgetMobile(tx Tx, e DeleteFieldValues) (last ContactID, err error) {
	schema, err := tx.Schema(e.List)
	if err != nil {
		return 0, ignoreKind(NoList, err)
	}
	ids, err := idsAfter(tx, schema, nil, e.After)
	if err != nil {
		return 0, err
	}
	if len(ids) == removeBatch {
		last = ids[len(ids)-1]
	}
	return last, eachOf(tx, schema, ids, func(c *Contact) error {
		c.Values, c.Mobile = c.Values.Set(e.Field, ""), ""
		if mobile := schema.Mobile(); mobile != nil { // a new one
			c.Mobile = address.NormaliseMobile(c.Values.Get(mobile.ID), schema.List.CountryCode)
		}
		return tx.UpdateContact(c)
	})
}
