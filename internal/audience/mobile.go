package audience

import (
	"strings"
	"unicode"

	"github.com/nyaruka/phonenumbers"
)

// maxMobileKey bounds what a text that is no telephone number is compared by,
// so that it fits every index.
const maxMobileKey = 255

// maxMobileText bounds where its digits are looked for, in bytes.
const maxMobileText = 4096

// MobileKey is the comparison form of a mobile number: E.164, where national
// forms are taken as those of the telephone country code; the digits of a text
// that is no telephone number, and "" when it has none. decisions.md: 23
//
// The library reads its metadata when the program starts: 6 ms and 6 MiB. It
// cannot be told to wait. A number then costs some 9 µs.
func MobileKey(text string, countryCode int64) string {
	if text == "" {
		return ""
	}
	text = asciiDigits(text[:min(len(text), maxMobileText)])
	region := phonenumbers.GetRegionCodeForCountryCode(int(countryCode))
	if n, err := phonenumbers.Parse(text, region); err == nil {
		return phonenumbers.Format(n, phonenumbers.E164)
	}
	var digits []byte
	for _, c := range []byte(text) {
		if '0' <= c && c <= '9' && len(digits) < maxMobileKey {
			digits = append(digits, c)
		}
	}
	return string(digits)
}

// asciiDigits writes the decimal digits of all scripts as ASCII. The library
// takes those of some for zero: different numbers would be the same.
func asciiDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r <= unicode.MaxASCII || !unicode.IsDigit(r) {
			return r
		}
		for _, zeroToNine := range unicode.Digit.R16 {
			if lo := rune(zeroToNine.Lo); lo <= r && r <= rune(zeroToNine.Hi) {
				return '0' + (r-lo)%10
			}
		}
		for _, zeroToNine := range unicode.Digit.R32 {
			if lo := rune(zeroToNine.Lo); lo <= r && r <= rune(zeroToNine.Hi) {
				return '0' + (r-lo)%10
			}
		}
		return r
	}, text)
}

// knownCountryCode reports whether a telephone country code is in use.
func knownCountryCode(code int64) bool {
	return code > 0 && code < 1000 && len(phonenumbers.GetRegionCodesForCountryCode(int(code))) > 0
}
