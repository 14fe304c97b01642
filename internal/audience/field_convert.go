package audience

import (
	"context"
	"time"
)

// This file rewrites the values of a Field in steps after its type has changed. The call
// that changes the type runs the steps. If the process crashes, a job runs the rest.

// ConvertField converts a step of a Field's values to the form of its new type. It returns
// the next step. done is true if no step is left. A repeated step changes nothing.
func (s *Service) ConvertField(ctx context.Context, e ConvertField) (next ConvertField, done bool, err error) {
	next = e
	ids, err := s.unconverted(ctx, e)
	if err != nil {
		return next, false, err
	}
	next.After = 0
	if len(ids) == removeStep {
		next.After = ids[len(ids)-1]
	}
	err = s.store.Update(ctx, func(tx Tx) error { return s.convert(tx, e, ids) })
	return next, err == nil && next.After == 0, err
}

// unconverted returns the IDs of the next Contacts that have a value in the Field, at most
// removeStep. It searches outside the Update, because the search may read the whole List. A
// value that is stored after the search has the new form already.
func (s *Service) unconverted(ctx context.Context, e ConvertField) (ids []ContactID, err error) {
	err = s.store.ViewPrimary(ctx, func(tx Tx) error {
		schema, err := tx.Schema(e.List)
		if err != nil {
			return ignoreKind(NoList, err)
		}
		if f := schema.Field(e.Field); f != nil {
			ids, err = idsAfter(tx, schema, f.holders(), e.After)
		}
		return err
	})
	return ids, err
}

// convert rewrites the values of some Contacts in the form of the Field's type.
func (s *Service) convert(tx Tx, e ConvertField, ids []ContactID) error {
	if err := tx.LockListForBulk(e.List); err != nil {
		return err
	}
	schema, err := tx.Schema(e.List)
	if err != nil {
		return ignoreKind(NoList, err)
	}
	f := schema.Field(e.Field)
	if f == nil {
		return nil
	}
	account, err := tx.Account(schema.List.AccountID)
	if err != nil {
		return err
	}
	today := Today(time.Unix(s.now().Unix(), 0), account.TimeZone)
	return eachOf(tx, schema, ids, func(c *Contact) error {
		if text, err := f.read(Input{Kind: InputText, Text: c.Values.Get(f.ID)}, today); err == nil {
			c.Values = c.Values.Set(f.ID, text)
		}
		return tx.UpdateContact(c) // the new type decides whether the store writes a number or a text
	})
}

// needsConversion reports whether the stored form of a value may change with the new type.
func (f *Field) needsConversion(old *Field) bool {
	if f.Type == old.Type {
		return false
	}
	return f.Numeric() != old.Numeric() || f.Type == Date || f.Type == Checkbox
}

// idsAfter returns the IDs of the next Contacts that match: the IDs above after, in order, at
// most removeStep.
func idsAfter(tx SearchTx, schema *Schema, where *Condition, after ContactID) (ids []ContactID, err error) {
	id := &SearchKey{Name: "id", Type: KeyInt, Searchable: true}
	page := Condition{All: []Condition{{Key: id, Operator: GreaterThan, Operands: []Operand{{Int: int64(after)}}}}}
	if where != nil {
		page.All = append(page.All, *where)
	}
	err = tx.SearchContacts(&Search{Schema: schema, Where: &page, Limit: removeStep}, func(c *Contact) error {
		ids = append(ids, c.ID)
		return nil
	})
	return ids, err
}

// eachOf calls change for each Contact whose ID is in ids. It leaves out Contacts that were
// deleted meanwhile.
func eachOf(tx ContactTx, schema *Schema, ids []ContactID, change func(*Contact) error) error {
	for _, id := range ids {
		c, err := tx.Contact(schema.List.ID, id)
		if KindOf(err) == NoContact {
			continue
		}
		if err == nil {
			err = change(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
