package audience

import (
	"context"
	"time"
)

// This file rewrites the values of a Field in batches after its type has changed. The
// call itself runs the batches; after a crash a job runs the rest.

// ConvertField stores a batch of a Field's values in the form of its new type, and
// returns the next batch. A repeated batch changes nothing.
func (s *Service) ConvertField(ctx context.Context, e ConvertField) (next ConvertField, done bool, err error) {
	next = e
	ids, err := s.unconverted(ctx, e)
	if err != nil {
		return next, false, err
	}
	next.After = 0
	if len(ids) == removeBatch {
		next.After = ids[len(ids)-1]
	}
	err = s.store.Update(ctx, func(tx Tx) error { return s.convert(tx, e, ids) })
	return next, err == nil && next.After == 0, err
}

// unconverted finds the next Contacts that hold a value in the Field, at most
// removeBatch. It searches outside the Update because that may read the whole List. A
// Contact that gets a value after the search gets it in the new form.
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
		if text, err := f.Read(Input{Kind: InputText, Text: c.Values.Get(f.ID)}, today); err == nil {
			c.Values = c.Values.Set(f.ID, text)
		}
		return tx.UpdateContact(c) // writes numbers as numbers and texts as texts
	})
}

// needsConversion reports whether values of the old type may be stored in another
// form under the new one.
func (f *Field) needsConversion(old *Field) bool {
	if f.Type == old.Type {
		return false
	}
	return f.Numeric() != old.Numeric() || f.Type == Date || f.Type == Checkbox
}

// idsAfter returns the next Contacts of a List that match, at most removeBatch.
func idsAfter(tx SearchTx, schema *Schema, where *Condition, after ContactID) (ids []ContactID, err error) {
	id := &SearchKey{Name: "id", Type: KeyInt, Searchable: true}
	page := Condition{All: []Condition{{Key: id, Operator: GreaterThan, Operands: []Operand{{Int: int64(after)}}}}}
	if where != nil {
		page.All = append(page.All, *where)
	}
	err = tx.SearchContacts(&Search{Schema: schema, Where: &page, Limit: removeBatch}, func(c *Contact) error {
		ids = append(ids, c.ID)
		return nil
	})
	return ids, err
}

// eachOf calls change with the Contacts that the List still has.
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
