package address

import (
	"slices"
	"strings"
	"sync"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/text/unicode/norm"
)

// Keys returns the normalised forms of all addresses that equal a text, if the case of ASCII letters is
// ignored. A mobile number without a country code has a normalised form for each country. Keys returns
// false for other characters than ASCII in a text that is no email address, or that has a letter and a mark
// that NFC composes. Then the normalised forms of the letter depend on its case.
func Keys(text string) (keys []string, ok bool) {
	if !isASCII(text) {
		_, key, isEmail := ParseEmail(text)
		lower := LowerASCII(text)
		if !isEmail || !norm.NFC.IsNormalString(lower) || !norm.NFC.IsNormalString(upperASCII(text)) {
			return nil, false
		}
		return []string{lower, key}, true
	}
	keys = []string{LowerASCII(text)} // entries of older versions have this key for some addresses
	if _, key, isEmail := ParseEmail(text); isEmail {
		return append(keys, key), true
	}
	for _, code := range countryCodes() {
		key := NormaliseMobile(text, code)
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys, true
}

// upperASCII returns s with its ASCII letters in upper case.
func upperASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, s)
}

// countryCodes returns all telephone country codes.
var countryCodes = sync.OnceValue(func() (codes []int64) {
	for code := range phonenumbers.GetSupportedCallingCodes() {
		codes = append(codes, int64(code))
	}
	return codes
})
