package audience

import (
	"context"
	"time"
)

// ForgetField makes one step of removing what Contacts hold of a deleted
// Field, and returns the next one. Doing it again does no harm.
func (s *Service) ForgetField(ctx context.Context, e ForgetField) (next ForgetField, done bool, err error) {
	next = e
	err = s.store.Update(ctx, func(tx Tx) (err error) {
		if e.Mobile {
			next.After, err = forgetMobile(tx, e)
		} else {
			next.After, err = tx.ForgetField(e.List, e.Field, e.After, removeStep)
		}
		return err
	})
	return next, err == nil && next.After == 0, err
}

// forgetMobile also removes what the numbers were compared by. A List that is
// deleted by now is left to its own removal.
func forgetMobile(tx Tx, e ForgetField) (last ContactID, err error) {
	schema, err := tx.Schema(e.List)
	if err != nil {
		return 0, orDone(err)
	}
	return eachAfter(tx, schema, e.After, func(c *Contact) error {
		c.Values, c.Mobile = c.Values.Set(e.Field, ""), ""
		if mobile := schema.Mobile(); mobile != nil { // a new one
			c.Mobile = MobileKey(c.Values.Get(mobile.ID), schema.List.CountryCode)
		}
		return tx.UpdateContact(c)
	})
}

// ConvertField makes one step of storing a Field's values in the form of its
// new type, and returns the next one. Doing it again does no harm.
func (s *Service) ConvertField(ctx context.Context, e ConvertField) (next ConvertField, done bool, err error) {
	next = e
	err = s.store.Update(ctx, func(tx Tx) error {
		schema, err := tx.Schema(e.List)
		if err != nil {
			next.After = 0
			return orDone(err)
		}
		f := schema.Field(e.Field)
		if f == nil {
			next.After = 0
			return nil
		}
		account, err := tx.Account(schema.List.AccountID)
		if err != nil {
			return err
		}
		today := Today(time.Unix(s.now().Unix(), 0), account.TimeZone)
		next.After, err = eachAfter(tx, schema, e.After, func(c *Contact) error {
			if c.Values.Get(f.ID) == "" {
				return nil
			}
			if text, err := f.Read(Input{Kind: InputText, Text: c.Values.Get(f.ID)}, today); err == nil {
				c.Values = c.Values.Set(f.ID, text)
			}
			return tx.UpdateContact(c) // writes numbers as numbers and texts as texts
		})
		return err
	})
	return next, err == nil && next.After == 0, err
}

// storesOtherwise reports whether values that the Field took over from its
// old type may be stored in another form under the new one.
func (f *Field) storesOtherwise(old *Field) bool {
	if f.Type == old.Type {
		return false
	}
	return f.Numeric() != old.Numeric() || f.Type == Date || f.Type == Checkbox
}

// eachAfter calls change with the next Contacts of a List, at most removeStep.
// It returns the last one's ID, 0 when none is left after it. It takes them as
// they come: to find those few that hold something could mean to read all the
// List in one step.
func eachAfter(tx Tx, schema *Schema, after ContactID, change func(*Contact) error) (last ContactID, err error) {
	id := &SearchKey{Name: "id", Type: KeyInt, Searchable: true}
	page := Condition{Key: id, Operator: GreaterThan, Operands: []Operand{{Int: int64(after)}}}
	var ids []ContactID
	err = tx.SearchContacts(&Search{Schema: schema, Where: &page, Limit: removeStep}, func(c *Contact) error {
		ids = append(ids, c.ID)
		return nil
	})
	for _, id := range ids {
		if err != nil {
			return 0, err
		}
		var c *Contact
		if c, err = tx.Contact(schema.List.ID, id); err == nil {
			err = change(c)
		}
	}
	if err != nil || len(ids) < removeStep {
		return 0, err
	}
	return ids[len(ids)-1], nil
}

// orDone takes a List that is there no more for work that is done.
func orDone(err error) error {
	if KindOf(err) == NoList {
		return nil
	}
	return err
}
