package contacts

import (
	"context"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file rewrites the values of a Field in steps after its type has changed. The call
// that changes the type runs the steps. If the process crashes, a job runs the rest.

// ConvertField converts a step of a Field's values to the form of its new type. It returns
// the next step. done is true if no step is left. A repeated step changes nothing.
func (s *Service) ConvertField(ctx context.Context,
	e lists.ConvertField) (next lists.ConvertField, done bool, err error) {
	next = e
	ids, err := s.unconverted(ctx, e)
	if err != nil {
		return next, false, err
	}
	next.After = 0
	if len(ids) == 0 {
		return next, true, nil
	}
	err = s.db.Update(ctx, func(tx *db.Tx) (err error) {
		next.After, err = s.convert(tx, e, ids)
		return err
	})
	return next, err == nil && next.After == 0, err
}

// unconverted returns the IDs of the next Contacts that have a value in the Field, at most
// RemoveStep. It searches outside the Update, because the search may read the whole List. A
// value that is stored after the search has the new form already.
func (s *Service) unconverted(ctx context.Context, e lists.ConvertField) (ids []enlist.ContactID, err error) {
	err = s.db.ViewPrimary(ctx, func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, e.List)
		if err != nil {
			return enlist.IgnoreKind(enlist.NoList, err)
		}
		if f := schema.Field(e.Field); f != nil {
			ids, err = IdsAfter(tx, schema, lists.HoldersOf(f), e.After)
		}
		return err
	})
	return ids, err
}

// convert rewrites the values of the next of these Contacts in the form of the Field's type. last is the ID of
// the last of them, or 0 if no Contact is left.
func (s *Service) convert(tx *db.Tx, e lists.ConvertField, ids []enlist.ContactID) (last enlist.ContactID, err error) {
	if err := tx.LockListForBulk(e.List); err != nil {
		return 0, err
	}
	schema, err := lists.Schema(tx, e.List)
	if err != nil {
		return 0, enlist.IgnoreKind(enlist.NoList, err)
	}
	f := schema.Field(e.Field)
	if f == nil {
		return 0, nil
	}
	account, err := accounts.ByID(tx, schema.List.AccountID)
	if err != nil {
		return 0, err
	}
	ids, last, err = nextStep(tx, schema, ids)
	if err != nil {
		return 0, err
	}
	today := enlist.Today(time.Unix(s.db.Now().Unix(), 0), account.TimeZone)
	// Contacts whose values stay the same are stored too: the new type decides whether the database has a
	// number or a text.
	return last, changeContacts(tx, schema, ids, func(c *enlist.Contact) {
		if text, err := f.ReadStrictly(enlist.TextInput(c.Values.Get(f.ID)),
			today); err == nil {
			c.Values = c.Values.Set(f.ID, text)
		}
	})
}

// IdsAfter returns the IDs of the next Contacts that match: the IDs above after, in order, at
// most RemoveStep.
func IdsAfter(tx *db.Tx, schema *enlist.Schema, where *enlist.Condition,
	after enlist.ContactID) ([]enlist.ContactID, error) {
	page := enlist.Condition{All: []enlist.Condition{{Key: keyID, Operator: enlist.GreaterThan,
		Operands: []enlist.Operand{{Int: int64(after)}}}}}
	if where != nil {
		page.All = append(page.All, *where)
	}
	return search.IDs(tx, &enlist.Search{Schema: schema, Where: &page, Limit: RemoveStep})
}

// nextStep returns the first of the IDs that IdsAfter found: those of the Contacts that one transaction may
// change. last is the last of these IDs, or 0 if no Contact is left after them.
func nextStep(tx *db.Tx, schema *enlist.Schema, ids []enlist.ContactID) (step []enlist.ContactID, last enlist.ContactID, err error) {
	size := StepSize{Most: RemoveStep}
	n, err := size.take(tx, schema, ids)
	if err != nil {
		return nil, 0, err
	}
	if n < len(ids) || n == RemoveStep {
		last = ids[n-1]
	}
	return ids[:n], last, nil
}

// changeContacts calls change for each Contact whose ID is in ids, and stores the Contacts. It leaves out
// Contacts that were deleted meanwhile.
func changeContacts(tx *db.Tx, schema *enlist.Schema, ids []enlist.ContactID, change func(*enlist.Contact)) error {
	byID, err := ContactsToChange(tx, schema.List.ID, ids)
	if err != nil {
		return err
	}
	changed := make([]*enlist.Contact, 0, len(byID))
	for _, id := range ids {
		if c := byID[id]; c != nil {
			change(c)
			changed = append(changed, c)
		}
	}
	return UpdateContacts(tx, changed)
}
