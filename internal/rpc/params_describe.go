// This file describes JSON values in words, for error messages like "expected an integer,
// not an array".

package rpc

import "enlist/internal/audience"

// maxShownNumber is the largest length in bytes of a number that a message quotes.
const maxShownNumber = 30

// describe names the kind of a value.
func describe(v *audience.Input) string {
	return [...]string{
		audience.InputNull: "null", audience.InputText: "a string", audience.InputNumber: "a number",
		audience.InputTrue: "a boolean", audience.InputFalse: "a boolean",
		audience.InputArray: "an array", audience.InputObject: "an object",
	}[v.Kind]
}

// describeFound describes a refused value. It quotes a short number, because the value of
// the number may be wrong rather than its JSON type.
func describeFound(v *audience.Input) string {
	switch {
	case v.Kind == audience.InputNumber && len(v.Text) <= maxShownNumber:
		return v.Text
	case v.Kind == audience.InputText && v.Text == "":
		return "an empty string"
	}
	return describe(v)
}
