// This file describes JSON values for error messages such as "expected an integer, not an array".

package rpc

import "enlist/internal/enlist"

// maxShownNumber is the length in bytes of the longest number that an error message quotes.
const maxShownNumber = 30

// describe returns the JSON type of a value in words.
func describe(v *enlist.Input) string {
	return [...]string{
		enlist.InputNull: "null", enlist.InputText: "a string", enlist.InputNumber: "a number",
		enlist.InputTrue: "a boolean", enlist.InputFalse: "a boolean",
		enlist.InputArray: "an array", enlist.InputObject: "an object",
	}[v.Kind]
}

// describeFound describes a refused value. It quotes a short number, because the call may be
// refused for the value of the number and not for its JSON type.
func describeFound(v *enlist.Input) string {
	switch {
	case v.Kind == enlist.InputNumber && len(v.Text) <= maxShownNumber:
		return v.Text
	case v.Kind == enlist.InputText && v.Text == "":
		return "an empty string"
	}
	return describe(v)
}
