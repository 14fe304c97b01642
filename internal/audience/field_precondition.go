package audience

// takesOver hinders a new type, or another kind of address, while Contacts
// hold values in the Field that it would refuse.
func (f *Field) takesOver(schema *Schema, old *Field, today string) *precondition {
	sameNumber := f.Numeric() && old.Numeric()
	anyText := f.Type == Comment || f.Type == File || f.Type == Text && f.Length == 0
	type question struct {
		from, to Field
		today    string
	}
	about := question{*old, *f, today}
	switch {
	case f.AddressType != old.AddressType:
		// What Contacts are found and told apart by would have to change with it.
		all := holders{schema: schema, where: old.holders()}
		return all.mustBeNone(about, "address_type", "hold a value in the Field")
	case f.Type == old.Type || sameNumber || anyText:
		return nil
	}
	refused := holders{schema, old.holders(), []FieldID{f.ID}, func(c *Contact) bool {
		_, err := f.Read(Input{Kind: InputText, Text: c.Values.Get(f.ID)}, today)
		return err != nil
	}}
	return refused.mustBeNone(about, "type", "hold a value that the new type refuses")
}

// onlyAddress hinders while Contacts have a mobile number in the Field and no Email.
func (f *Field) onlyAddress(schema *Schema) *precondition {
	type question struct{ mobile, email FieldID }
	noEmail := Condition{Key: schema.Email().SearchKey(), Operator: Exactly, Operands: []Operand{{Absent: true}}}
	only := holders{schema: schema, where: &Condition{All: []Condition{*f.holders(), noEmail}}}
	return only.mustBeNone(question{f.ID, schema.Email().ID}, "", "have no other address")
}

// holders matches the Contacts that have a value in the Field.
func (f *Field) holders() *Condition {
	return &Condition{Key: f.SearchKey(), Operator: Not, Operands: []Operand{{Absent: true}}}
}
