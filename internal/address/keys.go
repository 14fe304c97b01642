package address

import (
	"slices"
	"sync"

	"github.com/nyaruka/phonenumbers"
)

// Keys returns the normalised forms of all addresses that equal a text, if the case of ASCII letters is
// ignored. A mobile number without a country code has a normalised form for each country. Keys returns
// false for a text with other characters than ASCII: letters of different case can then have normalised
// forms that this package does not find.
func Keys(text string) (keys []string, ok bool) {
	if !isASCII(text) {
		return nil, false
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

// countryCodes returns all telephone country codes.
var countryCodes = sync.OnceValue(func() (codes []int64) {
	for code := range phonenumbers.GetSupportedCallingCodes() {
		codes = append(codes, int64(code))
	}
	return codes
})
