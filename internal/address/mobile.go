package address

import (
	"strings"
	"unicode"

	"github.com/nyaruka/phonenumbers"
)

// maxMobileKey is the greatest length of a normalised form in bytes. With this limit,
// the digits of a text that is not a telephone number fit into every database index.
const maxMobileKey = 255

// maxMobileText is the number of bytes that NormaliseMobile reads from a text. It limits
// the time of a call.
const maxMobileText = 4096

// NormaliseMobile returns the normalised form of a mobile number: E.164, such as
// +61412345678. A number without a country code gets countryCode. For a text that is
// not a telephone number, NormaliseMobile returns only the digits of the text.
//
// The library phonenumbers always loads its metadata when the program starts. This needs
// 6 ms and 6 MiB. A call of NormaliseMobile takes about 9 µs.
func NormaliseMobile(text string, countryCode int64) string {
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

// asciiDigits replaces decimal digits of all scripts by ASCII digits. The library
// phonenumbers reads the digits of some scripts as zero, so without asciiDigits two
// different numbers could have the same normalised form.
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

// KnownCountryCode reports whether a number is a telephone country code, such as 61.
func KnownCountryCode(code int64) bool {
	return code > 0 && code < 1000 && len(phonenumbers.GetRegionCodesForCountryCode(int(code))) > 0
}
