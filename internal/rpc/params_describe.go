// This file says in words what a caller sent, for messages like "expected an
// integer, not an array".

package rpc

import "enlist/internal/audience"

// maxShownNumber is the length of a number that a message quotes, in bytes.
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

// describeFound names a value that was refused. A short number is quoted, since
// its value is wrong and not its kind.
func describeFound(v *audience.Input) string {
	switch {
	case v.Kind == audience.InputNumber && len(v.Text) <= maxShownNumber:
		return v.Text
	case v.Kind == audience.InputText && v.Text == "":
		return "an empty string"
	}
	return describe(v)
}
