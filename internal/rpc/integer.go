package rpc

import (
	"math"
	"strconv"
	"strings"
)

// parseInteger reads the literal of a JSON number that has no fraction: 10,
// 10.0, 1e+05. What is beyond 64 bits becomes the nearest value within.
func parseInteger(s string) (int64, bool) {
	if n, ok := plainInteger(s); ok {
		return n, true
	}
	digits, negative := strings.CutPrefix(s, "-")
	mantissa, exponent, ok := splitNumber(digits)
	if !ok {
		return 0, false
	}
	mantissa = strings.TrimLeft(mantissa, "0")
	significant := strings.TrimRight(mantissa, "0")
	exponent += len(mantissa) - len(significant)
	switch {
	case significant == "":
		return 0, true
	case exponent < 0:
		return 0, false // a fraction
	case len(significant)+exponent > 19:
		return saturated(negative), true
	}
	n, err := strconv.ParseUint(significant+strings.Repeat("0", exponent), 10, 64)
	if err != nil || n > math.MaxInt64 {
		return saturated(negative), true
	}
	if negative {
		return -int64(n), true
	}
	return int64(n), true
}

func saturated(negative bool) int64 {
	if negative {
		return math.MinInt64
	}
	return math.MaxInt64
}

// plainInteger is the everyday case: up to 18 digits and nothing else.
func plainInteger(s string) (int64, bool) {
	if len(s) == 0 || len(s) > 18 || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	var n int64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n, true
}

// splitNumber takes a JSON number without sign apart: its value is the
// mantissa's digits times ten to the exponent.
func splitNumber(s string) (mantissa string, exponent int, ok bool) {
	whole := leadingDigits(s)
	if whole == "" || whole[0] == '0' && len(whole) > 1 {
		return "", 0, false
	}
	mantissa, rest := whole, s[len(whole):]
	if after, found := strings.CutPrefix(rest, "."); found {
		fraction := leadingDigits(after)
		if fraction == "" {
			return "", 0, false
		}
		mantissa, exponent, rest = whole+fraction, -len(fraction), after[len(fraction):]
	}
	if rest == "" {
		return mantissa, exponent, true
	}
	e, ok := splitExponent(rest)
	return mantissa, exponent + e, ok
}

// splitExponent reads what follows a mantissa: e5, E+05, e-3.
func splitExponent(s string) (int, bool) {
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	s = s[1:]
	sign := 1
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if s == "" || leadingDigits(s) != s {
		return 0, false
	}
	e, err := strconv.Atoi(s)
	if err != nil || e > 1<<30 {
		e = 1 << 30 // further than any mantissa of a request reaches
	}
	return sign * e, true
}

func leadingDigits(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n]
}
