// This file describes JSON values in words, for error messages like "expected an integer,
// not an array".

package rpc

import "enlist/internal/audience"

// maxShownNumber is the largest length in bytes of a number that a message quotes.
const maxShownNumber = 30

// describe names the kind of a value.
func describe(v *audience.Input) string {
	switch v.Kind {
	case audience.InputFalse, audience.InputTrue:
		return "a boolean"
	case audience.InputText:
		return "a string"
	case audience.InputNumber:
		return "a number"
	case audience.InputObject:
		return "an object"
	case audience.InputArray:
		return "an array"
	}
	return "null"
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
