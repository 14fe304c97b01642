package lists

import "enlist/internal/enlist"

// This file has the preconditions of Fields (precondition.go): the checks over all Contacts
// that must pass before a Field changes or is deleted.

// valuesFit returns the precondition for a new type or address_type of a Field: the new
// definition accepts the values of all Contacts. It returns nil if no check is needed.
func valuesFit(f *enlist.Field, schema *enlist.Schema, old *enlist.Field, today string) *precondition {
	sameNumber := f.Numeric() && old.Numeric()
	anyText := f.Type == enlist.Comment || f.Type == enlist.File || f.Type == enlist.Text && f.Length == 0
	type check struct {
		from, to enlist.Field
		today    string
	}
	id := check{*old, *f, today}
	switch {
	case f.AddressType != old.AddressType:
		// The Keys of Contacts would have to change, so no Contact may have a value.
		all := holders{schema: schema, where: HoldersOf(old)}
		return all.mustBeNone(id, "address_type", "hold a value in the Field")
	case f.Type == old.Type || sameNumber || anyText:
		return nil
	}
	refused := holders{schema, HoldersOf(old), []enlist.FieldID{f.ID}, func(c *enlist.ByID) bool {
		_, err := f.ReadStrictly(enlist.Input{Kind: enlist.InputText, Text: c.Values.Get(f.ID)}, today)
		return err != nil
	}}
	return refused.mustBeNone(id, "type", "hold a value that the new type refuses")
}

// onlyAddress returns the precondition for deleting a mobile Field: every Contact with a
// mobile number also has an email address.
func onlyAddress(f *enlist.Field, schema *enlist.Schema) *precondition {
	type check struct{ mobile, email enlist.FieldID }
	noEmail := enlist.Condition{Key: schema.Email().SearchKey(), Operator: enlist.Exactly,
		Operands: []enlist.Operand{{Absent: true}}}
	only := holders{schema: schema, where: &enlist.Condition{All: []enlist.Condition{*HoldersOf(f), noEmail}}}
	return only.mustBeNone(check{f.ID, schema.Email().ID}, "", "have no other address")
}

// HoldersOf returns a Condition that matches the Contacts that have a value in the Field.
func HoldersOf(f *enlist.Field) *enlist.Condition {
	return &enlist.Condition{Key: f.SearchKey(), Operator: enlist.Not, Operands: []enlist.Operand{{Absent: true}}}
}
