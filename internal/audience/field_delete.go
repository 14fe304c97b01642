package audience

import (
	"context"

	"enlist/internal/address"
)

// This file removes the values of a deleted Field in steps, which a job runs.

// DeleteFieldValues removes the values of a deleted Field from a step of Contacts. It returns
// the next step. done is true if no step is left. A repeated step changes nothing.
func (s *Service) DeleteFieldValues(ctx context.Context,
	e DeleteFieldValues) (next DeleteFieldValues, done bool, err error) {
	next = e
	err = s.store.Update(ctx, func(tx Tx) (err error) {
		if err := tx.LockListForBulk(e.List); err != nil {
			return err
		}
		if e.Mobile {
			next.After, err = deleteMobileValues(tx, e)
		} else {
			next.After, err = tx.DeleteFieldValues(e.List, e.Field, e.After, removeStep)
		}
		return err
	})
	return next, err == nil && next.After == 0, err
}

// deleteMobileValues removes the values of a deleted mobile Field and the normalised numbers.
// If the List was deleted meanwhile, it removes nothing: another job deletes the Contacts.
func deleteMobileValues(tx Tx, e DeleteFieldValues) (last ContactID, err error) {
	schema, err := tx.Schema(e.List)
	if err != nil {
		return 0, ignoreKind(NoList, err)
	}
	ids, err := idsAfter(tx, schema, nil, e.After)
	if err != nil {
		return 0, err
	}
	if len(ids) == removeStep {
		last = ids[len(ids)-1]
	}
	return last, eachOf(tx, schema, ids, func(c *Contact) error {
		c.Values, c.Mobile = c.Values.Set(e.Field, ""), ""
		if mobile := schema.Mobile(); mobile != nil { // the List has a new mobile Field
			c.Mobile = address.NormaliseMobile(c.Values.Get(mobile.ID), schema.List.CountryCode)
		}
		return tx.UpdateContact(c)
	})
}
