package audience

import (
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
	region := phonenumbers.GetRegionCodeForCountryCode(int(countryCode))
	if n, err := phonenumbers.Parse(text, region); err == nil {
		return phonenumbers.Format(n, phonenumbers.E164)
	}
	var digits []byte
	for _, r := range text[:min(len(text), maxMobileText)] {
		if d, ok := digit(r); ok && len(digits) < maxMobileKey {
			digits = append(digits, d)
		}
	}
	return string(digits)
}

// digit returns the ASCII form of a decimal digit of any script. The library's
// own conversion leaves those of some scripts as they are.
func digit(r rune) (byte, bool) {
	if r < unicode.MaxASCII {
		return byte(r), '0' <= r && r <= '9'
	}
	for _, digits := range unicode.Digit.R16 { // runs of 0 to 9
		if rune(digits.Lo) <= r && r <= rune(digits.Hi) {
			return '0' + byte((r-rune(digits.Lo))%10), true
		}
	}
	for _, digits := range unicode.Digit.R32 {
		if rune(digits.Lo) <= r && r <= rune(digits.Hi) {
			return '0' + byte((r-rune(digits.Lo))%10), true
		}
	}
	return 0, false
}

// knownCountryCode reports whether a telephone country code is in use.
func knownCountryCode(code int64) bool {
	return code > 0 && code < 1000 && len(phonenumbers.GetRegionCodesForCountryCode(int(code))) > 0
}
