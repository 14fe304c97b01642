package enlist

import "strings"

// This file adapts the values that web forms and content systems send to what the Field's type
// accepts. Only values of calls are adapted. A value that is stored already is converted by the
// strict rules of value.go, because an adapted value may lose a part of the original.

// Read converts the value that was sent for the Field to the text that is stored. "" means
// empty. today is the Account's date, as Today returns it. If the Field refuses the value, the
// error is of kind InvalidParameters or, for an invalid email address, InvalidEmail.
// reference.md: type.coercion; decisions.md: 23
func (f *Field) Read(in Input, today string) (text string, err error) {
	in = in.Unbox()
	switch {
	case in.Kind == InputObject && (f.Type == Text || f.Type == Comment) && f.AddressType == AddressNone:
		in = in.joined()
	case f.Type == Checkbox:
		in = f.ticked(in)
	case f.Type == Date && f.TimeFormat != Time12 && f.TimeFormat != Time24:
		in = withoutTime(in)
	}
	return f.ReadStrictly(in, today)
}

// joined returns the values of an object that are not empty as one text, in the order sent and
// separated by ", ". Forms send a postal address as an object. An object with a value that is not a
// scalar is returned unchanged.
func (in Input) joined() Input {
	parts := make([]string, 0, len(in.Items))
	for i := range in.Items {
		text, ok := in.Items[i].Unbox().ScalarText()
		if !ok {
			return in
		}
		if strings.TrimSpace(text) != "" {
			parts = append(parts, text)
		}
	}
	return Input{Kind: InputText, Text: strings.Join(parts, ", ")}
}

// ticked returns the choice of a checkbox Field with one choice if the value is true or "on", as
// forms send a checkbox, and an empty text if the value is false. It returns any other value
// unchanged.
func (f *Field) ticked(in Input) Input {
	if text, ok := in.ScalarText(); !ok || text == f.Values || strings.Contains(f.Values, ",") {
		return in
	}
	on, ok := in.AsBool()
	switch {
	case f.Values == "":
		return in
	case ok && on, in.Kind == InputText && strings.EqualFold(in.Text, "on"):
		return Input{Kind: InputText, Text: f.Values}
	case ok:
		return Input{}
	}
	return in
}

// withoutTime returns the date of a date with a time. It returns any other value unchanged.
func withoutTime(in Input) Input {
	if iso, ok := ParseDate(in.Text, Time12); ok && in.Kind == InputText {
		return Input{Kind: InputText, Text: iso[:DateLength]}
	}
	return in
}
