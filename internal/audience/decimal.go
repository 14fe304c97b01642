package audience

import "strings"

// What both databases keep and compare exactly. decisions.md: 21
const (
	maxSignificant = 15
	maxDecimals    = 15
	maxIntegerPart = 15 // digits before the point: below 1e15
)

// maxExpanded bounds the digits of a number written out in full; the widest
// double, 5e-324, has 325.
const maxExpanded = 400

// ParseDecimal reads a decimal number: an optional sign, digits, a fraction and
// an exponent. canonical is what is stored: no exponent, no plus sign, no
// leading zeros, zero without a sign, and the decimals that were sent ("12.50"
// stays "12.50"). A number of over 15 significant digits, of 1e15 and more or
// of over 15 decimals is refused; zeros that end the decimals are shown but
// not significant, since they change no comparison. decisions.md: 21
func ParseDecimal(text string) (canonical string, ok bool) {
	n, ok := readNumber(strings.TrimSpace(text))
	if !ok || n.point > maxIntegerPart || n.decimals() > maxDecimals || n.significant() > maxSignificant {
		return "", false
	}
	if n.digits == "" {
		n.negative = false
	}
	return n.plain(text), true
}

// plainNumber writes a number's literal without its exponent and otherwise as
// it was sent. It refuses literals that would not end.
func plainNumber(literal string) (text string, ok bool) {
	if !strings.ContainsAny(literal, "eE") {
		return literal, true
	}
	n, ok := readNumber(literal)
	if !ok || n.point > maxExpanded || n.decimals() > maxExpanded {
		return "", false
	}
	return n.plain(literal), true
}

// number is 0.digits × 10^point. In zero, digits is empty and point is minus
// the decimals to be shown.
type number struct {
	negative bool
	digits   string // without leading zeros
	point    int
}

func (n *number) decimals() int { return max(len(n.digits)-n.point, 0) }

// significant counts the digits but for zeros at the end: those before the point
// are held down by maxIntegerPart.
func (n *number) significant() int { return len(strings.TrimRight(n.digits, "0")) }

// readNumber takes [+-] digits [. digits] [e [+-] digits], where a point may
// come first: it costs one pass, whatever the exponent says.
func readNumber(text string) (n number, ok bool) {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		n.negative = text[0] == '-'
		text = text[1:]
	}
	mantissa, exponent, exp := text, 0, strings.IndexAny(text, "eE")
	if exp >= 0 {
		mantissa = text[:exp]
		if exponent, ok = readExponent(text[exp+1:]); !ok {
			return n, false
		}
	}
	whole, fraction, pointed := strings.Cut(mantissa, ".")
	if !allDigits(whole) || !allDigits(fraction) || pointed == (fraction == "") || whole == "" && fraction == "" {
		return n, false
	}
	n.digits = strings.TrimLeft(whole, "0")
	n.point = len(n.digits)
	if n.digits == "" {
		n.digits = strings.TrimLeft(fraction, "0")
		n.point = len(n.digits) - len(fraction)
	} else if pointed {
		n.digits += fraction
	}
	switch {
	case n.digits != "":
		n.point += exponent
	case exp >= 0:
		n.point = 0 // however far it is moved
	}
	return n, true
}

// readExponent stops counting where every number is too large or too small.
func readExponent(text string) (exponent int, ok bool) {
	const enough = 1 << 27
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	if text == "" || !allDigits(text) {
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

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// plain writes the number out. sent is returned when it is the same, which saves the copy.
func (n *number) plain(sent string) string {
	var room [64]byte
	b := room[:0]
	if n.negative {
		b = append(b, '-')
	}
	for i := range max(n.point, 0) {
		b = append(b, digitAt(n.digits, i))
	}
	if n.point <= 0 {
		b = append(b, '0')
	}
	if decimals := n.decimals(); decimals > 0 {
		b = append(b, '.')
		for i := range decimals {
			b = append(b, digitAt(n.digits, n.point+i))
		}
	}
	if string(b) == sent {
		return sent
	}
	return string(b)
}

func digitAt(digits string, i int) byte {
	if i < 0 || i >= len(digits) {
		return '0'
	}
	return digits[i]
}
