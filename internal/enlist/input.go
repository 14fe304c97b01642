package enlist

import "strings"

// This file defines a value that a caller sent, before any rule is applied. Package rpc
// converts JSON to a tree of Inputs. The methods below read parameters, search criteria and
// the details of records from this tree.

// InputKind is the JSON type in which a caller sent a value.
type InputKind uint8

// The kinds. The zero value is null, so Input{} stands for a parameter that was not sent.
const (
	InputNull InputKind = iota
	InputText
	InputNumber
	InputTrue
	InputFalse
	InputArray
	InputObject
)

// Input is a value as a caller sent it: a node of the tree of a request.
type Input struct {
	Kind  InputKind
	Name  string  // the member's name, if the value is a member of an object
	Text  string  // for InputText the text; for InputNumber the literal as it was sent
	Items []Input // for InputArray the items, for InputObject the members, in the order sent
}

// TextInput returns the Input of a text.
func TextInput(s string) Input { return Input{Kind: InputText, Text: s} }

// Detail is one key of the details of a record, with its value. Details keep the order in
// which they were sent.
type Detail struct {
	Key   string
	Value Input
}

// IsBlank reports whether the value is null or "". A parameter with such a value is treated
// as not sent. reference.md: value.placeholder
func (in Input) IsBlank() bool {
	return in.Kind == InputNull || in.Kind == InputText && in.Text == ""
}

// Omitted reports whether a detail with this value is treated as not sent: null, "" or an
// empty array. PHP writes an empty map as an empty array. reference.md: value.placeholder
func (in Input) Omitted() bool {
	return in.IsBlank() || in.Kind == InputArray && len(in.Items) == 0
}

// Members returns the members of an object, which may be in an array of one. It returns nil for another value.
func (in *Input) Members() []Input {
	if in.Kind == InputArray && len(in.Items) == 1 {
		in = &in.Items[0]
	}
	if in.Kind != InputObject {
		return nil
	}
	return in.Items
}

// IsScalar reports whether the value is neither an array nor an object.
func (in Input) IsScalar() bool { return in.Kind != InputArray && in.Kind != InputObject }

// Unbox removes arrays around a single value. Some clients send each value of
// an object in an array of one. Only details are unboxed. reference.md: value.boxed
func (in Input) Unbox() Input {
	for in.Kind == InputArray && len(in.Items) == 1 {
		in = in.Items[0]
	}
	return in
}

// AsInt reads an integer: a JSON number without a fraction, or a string that contains such a
// number. A value outside the range of 64 bits becomes the nearest value in the range. No
// record has such an ID, and a count of this size is refused as too large. reference.md: value.int
func (in Input) AsInt() (n int64, ok bool) {
	if in.Kind != InputNumber && in.Kind != InputText {
		return 0, false
	}
	return ParseInteger(in.Text)
}

// AsBool reads a boolean: true, false, 1 or 0, also as strings. It accepts 1.0, because some
// clients send that. reference.md: value.placeholder
func (in Input) AsBool() (b, ok bool) {
	switch {
	case in.Kind == InputTrue || in.Kind == InputFalse:
		return in.Kind == InputTrue, true
	case in.Kind == InputText && (in.Text == "true" || in.Text == "false"):
		return in.Text == "true", true
	}
	n, ok := in.AsInt()
	return n == 1, ok && (n == 0 || n == 1)
}

// AsText reads a value as text. A number keeps the digits that were sent, but is written
// without an exponent. Booleans become "1" and "0", null becomes "", and the items of an array
// are joined with ",". ok is false for an object, and for an array with an item that is an
// object or an array of several items. reference.md: type.coercion
func (in Input) AsText() (text string, ok bool) {
	if in.Kind != InputArray {
		return in.ScalarText()
	}
	parts := make([]string, len(in.Items))
	for i, item := range in.Items {
		parts[i], ok = item.Unbox().ScalarText()
		if !ok {
			return "", false
		}
	}
	return strings.Join(parts, ","), true
}

// ScalarText is AsText, but ok is false for an array.
func (in Input) ScalarText() (text string, ok bool) {
	switch in.Kind {
	case InputText:
		return in.Text, true
	case InputNumber:
		return withoutExponent(in.Text)
	case InputTrue:
		return "1", true
	case InputFalse:
		return "0", true
	case InputNull:
		return "", true
	}
	return "", false
}
