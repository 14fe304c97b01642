package audience

// This file has the preconditions of Fields (precondition.go): the checks over all Contacts
// that must pass before a Field changes or is deleted.

// valuesFit returns the precondition for a new type or address_type of a Field: the new
// definition accepts the values of all Contacts. It returns nil if no check is needed.
func (f *Field) valuesFit(schema *Schema, old *Field, today string) *precondition {
	sameNumber := f.Numeric() && old.Numeric()
	anyText := f.Type == Comment || f.Type == File || f.Type == Text && f.Length == 0
	type check struct {
		from, to Field
		today    string
	}
	id := check{*old, *f, today}
	switch {
	case f.AddressType != old.AddressType:
		// The Keys of Contacts would have to change, so no Contact may have a value.
		all := holders{schema: schema, where: old.holders()}
		return all.mustBeNone(id, "address_type", "hold a value in the Field")
	case f.Type == old.Type || sameNumber || anyText:
		return nil
	}
	refused := holders{schema, old.holders(), []FieldID{f.ID}, func(c *Contact) bool {
		_, err := f.read(Input{Kind: InputText, Text: c.Values.Get(f.ID)}, today)
		return err != nil
	}}
	return refused.mustBeNone(id, "type", "hold a value that the new type refuses")
}

// onlyAddress returns the precondition for deleting a mobile Field: every Contact with a
// mobile number also has an email address.
func (f *Field) onlyAddress(schema *Schema) *precondition {
	type check struct{ mobile, email FieldID }
	noEmail := Condition{Key: schema.Email().SearchKey(), Operator: Exactly, Operands: []Operand{{Absent: true}}}
	only := holders{schema: schema, where: &Condition{All: []Condition{*f.holders(), noEmail}}}
	return only.mustBeNone(check{f.ID, schema.Email().ID}, "", "have no other address")
}

// holders returns a Condition that matches the Contacts that have a value in the Field.
func (f *Field) holders() *Condition {
	return &Condition{Key: f.SearchKey(), Operator: Not, Operands: []Operand{{Absent: true}}}
}
