package address

import (
	"strconv"
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
// 6 ms and 6 MiB. A call of NormaliseMobile takes about 10 µs.
func NormaliseMobile(text string, countryCode int64) string {
	if text == "" {
		return ""
	}
	text = asciiDigits(Visible(text[:min(len(text), maxMobileText)]))
	region := phonenumbers.GetRegionCodeForCountryCode(int(countryCode))
	n, err := phonenumbers.Parse(text, region)
	if err != nil || !phonenumbers.IsValidNumber(n) {
		for _, plain := range plainNumbers(text, n) {
			if n, err := phonenumbers.Parse(plain, region); err == nil && phonenumbers.IsValidNumber(n) {
				return phonenumbers.Format(n, phonenumbers.E164)
			}
		}
	}
	if err == nil {
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

// mexico has prefixes of mobile numbers that are no longer dialled: 1 after the country
// code, 044 and 045.
const mexico = 52

// plainNumbers returns other readings of a text that is not a valid number as it is. read
// is the number that the library reads, or nil. The library takes a remark such as "(work)"
// for the letters on the keys of a telephone, and reads 00 before a country code only in the
// countries that dial it.
func plainNumbers(text string, read *phonenumbers.PhoneNumber) (all []string) {
	first, last := strings.IndexAny(text, "+0123456789"), strings.LastIndexAny(text, "0123456789")
	if first < 0 || last < first {
		return nil
	}
	number := text[first : last+1]
	all = append(all, number)
	if abroad, ok := strings.CutPrefix(number, "00"); ok {
		all = append(all, "+"+abroad)
	}
	if read != nil && read.GetCountryCode() == mexico {
		digits := strconv.FormatUint(read.GetNationalNumber(), 10)
		for _, prefix := range []string{"1", "44", "45"} { // a leading zero is not in the number
			if national, ok := strings.CutPrefix(digits, prefix); ok {
				all = append(all, "+52"+national)
			}
		}
	}
	return all
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
