package contacts

import (
	"context"

	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file removes the values of a deleted Field in steps, which a job runs.

// DeleteFieldValues removes the values of a deleted Field from a step of Contacts. It returns
// the next step. done is true if no step is left. A repeated step changes nothing.
func (s *Service) DeleteFieldValues(ctx context.Context,
	e lists.DeleteFieldValues) (next lists.DeleteFieldValues, done bool, err error) {
	next = e
	err = s.db.Update(ctx, func(tx *db.Tx) (err error) {
		next.After, err = deleteFieldValues(tx, e)
		return err
	})
	return next, err == nil && next.After == 0, err
}

// deleteFieldValues removes the values of the next Contacts. last is the ID of the last of them, or 0 if no
// Contact is left. If the List was deleted meanwhile, it removes nothing: another job deletes the Contacts.
func deleteFieldValues(tx *db.Tx, e lists.DeleteFieldValues) (last enlist.ContactID, err error) {
	if err := tx.LockListForBulk(e.List); err != nil {
		return 0, err
	}
	schema, err := lists.Schema(tx, e.List)
	if err != nil {
		return 0, enlist.IgnoreKind(enlist.NoList, err)
	}
	ids, err := IdsAfter(tx, schema, nil, e.After)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	ids, last, err = nextStep(tx, schema, ids)
	if err != nil {
		return 0, err
	}
	if !e.Mobile {
		return last, RemoveFieldValues(tx, e.List, e.Field, ids)
	}
	return last, changeContacts(tx, schema, ids, func(c *enlist.Contact) {
		c.Values, c.Mobile = c.Values.Set(e.Field, ""), ""
		if mobile := schema.Mobile(); mobile != nil { // the List has a new mobile Field
			c.Mobile = address.NormaliseMobile(c.Values.Get(mobile.ID), schema.List.CountryCode)
		}
	})
}
