package enlist

import "strings"

// This file reads the values of decimal and currency Fields. input_number.go scans the syntax.
// This file has the limits of these values.

// Limits of a decimal value. SQLite compares decimals as doubles, which are exact to 15 digits.
// With these limits SQLite and PostgreSQL give the same results. reference.md: type.coercion
const (
	maxSignificant = 15
	maxDecimals    = 15
	maxIntegerPart = 15 // digits before the point: the value is below 1e15
)

// ParseDecimal reads a decimal number: digits, and optionally a sign, a fraction and an
// exponent. canonical is the stored form: without exponent, plus sign and leading zeros. Zero
// has no sign. The decimals are kept as sent ("12.50" stays "12.50"). ok is false for a number
// of 1e15 or more, with over 15 decimals, or with over 15 significant digits. Zeros at the end
// are not significant, because they do not change a comparison. reference.md: type.coercion
func ParseDecimal(text string) (canonical string, ok bool) {
	written, ok := scanNumeral(strings.TrimSpace(text))
	if !ok {
		return "", false
	}
	d := written.decimal()
	if d.point > maxIntegerPart || d.decimals() > maxDecimals || d.significant() > maxSignificant {
		return "", false
	}
	if d.digits == "" {
		d.negative = false
	}
	return d.plain(text), true
}
