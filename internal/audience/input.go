// This file holds the value that a caller sent, before any rule has judged it.
// rpc reads JSON into a tree of Inputs. Parameters, search criteria and the
// details of records are all read from that one tree, by the methods below.

package audience

import "strings"

// InputKind is the shape in which a caller sent a value.
type InputKind uint8

// The shapes. The zero value is null, so that Input{} is a parameter that was
// not sent.
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
	Name  string  // the member's name, when the value is a member of an object
	Text  string  // of InputText; of InputNumber the literal as it was sent
	Items []Input // of InputArray the items, of InputObject the members, in the order sent
}

// Detail is one named value of the details of a record. Details keep the order
// in which they were sent.
type Detail struct {
	Key   string
	Value Input
}

// IsBlank reports whether the value is null or "". These two stand for a
// parameter that was left out. decisions.md: 7
func (in Input) IsBlank() bool {
	return in.Kind == InputNull || in.Kind == InputText && in.Text == ""
}

// Omitted reports whether the value stands for "not sent" among details: null,
// "" or an empty array, which is how PHP writes an empty map. decisions.md: 7
func (in Input) Omitted() bool {
	return in.IsBlank() || in.Kind == InputArray && len(in.Items) == 0
}

// IsScalar reports whether the value is neither an array nor an object.
func (in Input) IsScalar() bool { return in.Kind != InputArray && in.Kind != InputObject }

// Unbox removes arrays around a single value. Some clients send each value of
// an object in an array of one. Only details are unboxed. decisions.md: 7
func (in Input) Unbox() Input {
	for in.Kind == InputArray && len(in.Items) == 1 {
		in = in.Items[0]
	}
	return in
}

// AsInt reads an integer: a JSON number, or a string that holds one, without a
// fraction. A value outside 64 bits becomes the nearest one inside: such an ID
// then finds no record, and such a count is refused for its size. decisions.md: 7
func (in Input) AsInt() (n int64, ok bool) {
	if in.Kind != InputNumber && in.Kind != InputText {
		return 0, false
	}
	return parseInteger(in.Text)
}

// AsBool reads a boolean: true, false, 1 or 0, also as strings. Some clients
// write 1 as 1.0. decisions.md: 7
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

// AsText reads a value as text. A number keeps its digits as sent, with an
// exponent written out; booleans become "1" and "0", null becomes "", and the
// items of an array are joined with ",". An object has no text, and neither
// has an array of arrays. decisions.md: 21
func (in Input) AsText() (text string, ok bool) {
	if in.Kind != InputArray {
		return in.scalarText()
	}
	parts := make([]string, len(in.Items))
	for i, item := range in.Items {
		parts[i], ok = item.Unbox().scalarText()
		if !ok {
			return "", false
		}
	}
	return strings.Join(parts, ","), true
}

// scalarText is AsText without arrays.
func (in Input) scalarText() (text string, ok bool) {
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
