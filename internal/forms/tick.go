package forms

import (
	"slices"
	"strings"

	"enlist/internal/enlist"
)

// This file says what a tick is in the values that programs send for a checkbox.

// noTick has the values that mean no, in the spellings of web frameworks and in the languages of the pages.
var noTick = strings.Fields("0 0.0 -1 false f no n off none null nil undefined unchecked unset disabled" +
	" nein non nee não nao không khong 否 不")

// IsTicked reports whether a visitor has ticked a checkbox. A framework such as Rails or ASP.NET sends the value 0 or
// false of a hidden input too, before or after that of the checkbox, so one value that is not no is a tick.
// reference.md: form.tick
func IsTicked(values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return !isNo(v) })
}

func isNo(value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	return value == "" || slices.Contains(noTick, value)
}

// Chosen returns the values for a Field without what a framework sends beside the ticks of a checkbox Field.
func Chosen(f *enlist.Field, values []string) []string {
	if f.Type != enlist.Checkbox {
		return values
	}
	choices := enlist.SplitTrimmed(f.Values)
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return isNo(v) && !slices.Contains(choices, v) })
}
