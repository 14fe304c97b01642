package lists

import "enlist/internal/enlist"

// This file has the preconditions of Fields (precondition.go): the checks over all Contacts
// that must pass before a Field changes or is deleted.

// valuesFit returns the precondition for a new type or address_type of a Field: the new
// definition accepts the values of all Contacts. It returns nil if no check is needed.
func valuesFit(f *enlist.Field, schema *enlist.Schema, old *enlist.Field, today string) *precondition {
	type check struct {
		from, to enlist.Field
		today    string
	}
	refused, what := refusedValues(f, schema, old, today)
	if refused == nil {
		return nil
	}
	attribute := "type"
	if f.AddressType != old.AddressType {
		attribute = "address_type"
	}
	return refused.mustBeNone(check{*old, *f, today}, attribute, what)
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
