// This file describes JSON values for error messages such as "expected an integer, not an array".

package rpc

import "enlist/internal/audience"

// maxShownNumber is the length in bytes of the longest number that an error message quotes.
const maxShownNumber = 30

// describe returns the JSON type of a value in words.
func describe(v *audience.Input) string {
	return [...]string{
		audience.InputNull: "null", audience.InputText: "a string", audience.InputNumber: "a number",
		audience.InputTrue: "a boolean", audience.InputFalse: "a boolean",
		audience.InputArray: "an array", audience.InputObject: "an object",
	}[v.Kind]
}

// describeFound describes a refused value. It quotes a short number, because the call may be
// refused for the value of the number and not for its JSON type.
func describeFound(v *audience.Input) string {
	switch {
	case v.Kind == audience.InputNumber && len(v.Text) <= maxShownNumber:
		return v.Text
	case v.Kind == audience.InputText && v.Text == "":
		return "an empty string"
	}
	return describe(v)
}
