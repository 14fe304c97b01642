// This file reads the values of decimal and currency Fields. The syntax is
// scanned in input_number.go; the limits here are those of such a Field.

package audience

import "strings"

// Limits of a decimal value. SQLite compares decimals as doubles, which are
// exact to 15 digits, so both databases agree. decisions.md: 21
const (
	maxSignificant = 15
	maxDecimals    = 15
	maxIntegerPart = 15 // digits before the point: the value is below 1e15
)

// ParseDecimal reads a decimal number: an optional sign, digits, a fraction and
// an exponent. canonical is the stored form: no exponent, no plus sign, no
// leading zeros, zero without a sign, and the decimals that were sent ("12.50"
// stays "12.50"). It refuses a number of 1e15 and more, one of over 15
// decimals, and one of over 15 significant digits. Zeros at the end of the
// decimals are kept but not counted as significant, since they change no
// comparison. decisions.md: 21
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
