package enlist

import (
	"math"
	"strconv"
	"strings"
)

// This file scans numbers. Integers, decimal values, criteria and JSON output all use
// scanNumeral, so that all of them use the same syntax.

// numeral is a written decimal number, split into its parts.
type numeral struct {
	sign            byte   // '-', '+', or 0 without a sign
	whole, fraction string // digits before and after the point; at least one of them is not empty
	hasExponent     bool
	exponent        int
}

// scanNumeral reads [+-] digits [. digits] [e [+-] digits]. The digits before the point may
// be missing. A point must have digits after it. scanNumeral reads the text once, so its cost
// does not depend on the value of the exponent.
func scanNumeral(text string) (n numeral, ok bool) {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		n.sign, text = text[0], text[1:]
	}
	n.whole = leadingDigits(text)
	text = text[len(n.whole):]
	if after, pointed := strings.CutPrefix(text, "."); pointed {
		n.fraction = leadingDigits(after)
		if n.fraction == "" {
			return n, false
		}
		text = after[len(n.fraction):]
	}
	switch {
	case n.whole == "" && n.fraction == "":
		return n, false
	case text == "":
		return n, true
	case text[0] != 'e' && text[0] != 'E':
		return n, false
	}
	n.hasExponent = true
	n.exponent, ok = scanExponent(text[1:])
	return n, ok
}

// scanExponent reads [+-] digits. It limits the exponent to the range from -2^27 to 2^27.
// At these limits, a number of a request is too large or too small for every use.
func scanExponent(text string) (exponent int, ok bool) {
	const enough = 1 << 27 // more than the number of bytes of a request
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	if text == "" || !AllDigits(text) {
		return 0, false
	}
	for i := range len(text) {
		exponent = min(exponent*10+int(text[i]-'0'), enough)
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}

// isJSON reports whether JSON allows the number in this form. JSON forbids "+7", "07" and
// ".7", which a decimal Field accepts.
func (n *numeral) isJSON() bool {
	return n.sign != '+' && n.whole != "" && (n.whole[0] != '0' || len(n.whole) == 1)
}

// IsPlainDecimal reports whether a text is a JSON number without an exponent, so that a reply
// may contain it unchanged.
func IsPlainDecimal(text string) bool {
	n, ok := scanNumeral(text)
	return ok && !n.hasExponent && n.isJSON()
}

// ParseInteger reads a JSON number whose value is an integer: 10, 10.0, 1e+05. A value outside
// the range of 64 bits becomes the nearest value in the range.
func ParseInteger(text string) (int64, bool) {
	written, ok := scanNumeral(text)
	if !ok || !written.isJSON() {
		return 0, false
	}
	n := written.decimal()
	significant := strings.TrimRight(n.digits, "0")
	switch {
	case significant == "":
		return 0, true
	case n.point < len(significant):
		return 0, false // a fraction
	case n.point > 19: // 64 bits have 19 digits
		return saturated(n.negative), true
	}
	size, err := strconv.ParseUint(significant+strings.Repeat("0", n.point-len(significant)), 10, 64)
	switch {
	case err != nil || size > math.MaxInt64:
		return saturated(n.negative), true
	case n.negative:
		return -int64(size), true
	}
	return int64(size), true
}

// saturated returns the smallest 64-bit integer if negative is true, else the largest.
func saturated(negative bool) int64 {
	if negative {
		return math.MinInt64
	}
	return math.MaxInt64
}

// decimal is the value of a numeral: 0.digits × 10^point. Zero has no digits. For zero,
// point is the negated number of decimals to show: -2 for 0.00.
type decimal struct {
	negative bool
	digits   string // without leading zeros
	point    int
}

func (n *numeral) decimal() decimal {
	d := decimal{negative: n.sign == '-', digits: strings.TrimLeft(n.whole, "0")}
	d.point = len(d.digits)
	if d.digits == "" {
		d.digits = strings.TrimLeft(n.fraction, "0")
		d.point = len(d.digits) - len(n.fraction)
	} else if n.fraction != "" {
		d.digits += n.fraction
	}
	switch {
	case d.digits != "":
		d.point += n.exponent
	case n.hasExponent:
		d.point = 0 // an exponent does not change zero
	}
	return d
}

// decimals returns the number of digits after the point.
func (d *decimal) decimals() int { return max(len(d.digits)-d.point, 0) }

// significant returns the number of digits, without zeros at the end.
func (d *decimal) significant() int { return len(strings.TrimRight(d.digits, "0")) }

// plain returns the number as text without an exponent. If sent is equal to this text, it
// returns sent, to avoid a copy.
func (d *decimal) plain(sent string) string {
	var space [64]byte
	b := space[:0]
	if d.negative {
		b = append(b, '-')
	}
	for i := range max(d.point, 0) {
		b = append(b, digitAt(d.digits, i))
	}
	if d.point <= 0 {
		b = append(b, '0')
	}
	if decimals := d.decimals(); decimals > 0 {
		b = append(b, '.')
		for i := range decimals {
			b = append(b, digitAt(d.digits, d.point+i))
		}
	}
	if string(b) == sent {
		return sent
	}
	return string(b)
}

// maxExpanded is the largest number of digits before the point, and also after the point, if a
// number is written without its exponent. The smallest double, 5e-324, needs 325 digits.
const maxExpanded = 400

// withoutExponent returns a JSON number without its exponent. A number without an exponent is
// returned unchanged. ok is false if the exponent would make the text too long.
func withoutExponent(literal string) (text string, ok bool) {
	if !strings.ContainsAny(literal, "eE") {
		return literal, true
	}
	written, ok := scanNumeral(literal)
	if !ok {
		return "", false
	}
	d := written.decimal()
	if d.point > maxExpanded || d.decimals() > maxExpanded {
		return "", false
	}
	return d.plain(literal), true
}

// digitAt returns the digit at index i, or '0' if i is outside digits.
func digitAt(digits string, i int) byte {
	if i < 0 || i >= len(digits) {
		return '0'
	}
	return digits[i]
}

// leadingDigits returns the ASCII digits with which a text begins.
func leadingDigits(s string) string {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return s[:i]
		}
	}
	return s
}

// AllDigits reports whether a text contains only ASCII digits. It returns true for "".
func AllDigits(s string) bool { return leadingDigits(s) == s }
