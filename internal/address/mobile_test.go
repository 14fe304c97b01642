package address

import (
	"strings"
	"testing"
)

// The same number has the same normalised form, also if it is written in another way.
// covers: decision 23, spec type.address
func TestNormaliseMobileGivesE164OrTheDigits(t *testing.T) {
	for _, c := range []struct {
		text    string
		country int64
		key     string
	}{
		{"0412 345 678", 61, "+61412345678"},
		{"+61 412 345 678", 1, "+61412345678"},
		{"(0412) 345-678", 61, "+61412345678"},
		{"07400 123456", 44, "+447400123456"},
		{"(201) 555-0123", 1, "+12015550123"},
		{"٠٤١٢٣٤٥٦٧٨", 61, "+61412345678"},
		{"0412 345 678 (work)", 61, "+61412345678"}, // a remark is no part of a number
		{"0412 345 678 mobile", 61, "+61412345678"},
		{"0412-345-678 (Ann)", 61, "+61412345678"},
		{"Ann: 0412 345 678", 61, "+61412345678"},
		{"1800 FLOWERS", 1, "+18003569377"}, // these letters are
		{"0412345678 ext 9", 61, "+61412345678"},
		{"+52 1 55 1234 5678", 52, "+525512345678"}, // Mexico's old prefixes of mobile numbers
		{"+52 1 55 1234 5678", 61, "+525512345678"},
		{"044 55 1234 5678", 52, "+525512345678"},
		{"1 55 1234 5678", 52, "+525512345678"},
		{"55 1234 5678", 52, "+525512345678"},
		{"0049 151 23456789", 61, "+4915123456789"}, // 00 of the countries that dial it
		{"00 61 412 345 678", 61, "+61412345678"},
		{"\u202a+61 412 345 678\u202c", 61, "+61412345678"}, // as browsers copy a number
		{"04\u200b12\u2060 345\u00a0678", 61, "+61412345678"},
		{"＋６１ ４１２ ３４５ ６７８", 1, "+61412345678"},
		{"12 34", 0, "1234"},
		{"0412 345 678", 9999, "0412345678"},
		{"ext. 1, then 2, then 3", 61, "123"},
		{"none", 61, ""},
		{"", 61, ""},
		{"߀߄١٢ 345 678", 61, "+61412345678"}, // digits of other scripts
		{"߄٣𝟗", 0, "439"},
		{strings.Repeat("9", 300), 61, strings.Repeat("9", 255)},
		{"1" + strings.Repeat("x", 5000) + "2", 61, "1"}, // without the limit, 30 MB of such text would take a second
	} {
		t.Run(c.text[:min(len(c.text), 30)], func(t *testing.T) {
			if key := NormaliseMobile(c.text, c.country); key != c.key {
				t.Errorf("NormaliseMobile(%q, %d) = %q, want %q", c.text, c.country, key, c.key)
			}
		})
	}
}

// FuzzNormaliseMobile checks that the result has only digits, or a plus and digits, and
// that it is not too long.
func FuzzNormaliseMobile(f *testing.F) {
	for _, s := range []string{"0412 345 678", "+61 412 345 678", "0412345678 ext 9", "tel:+1-201-555-0123;ext=7", "1800 FLOWERS", "00 61 412 345 678", "+0", "*100#", "0412 345 678 (work)", "+52 1 55 1234 5678", "\u202a0049 151 23456789"} {
		f.Add(s, 61)
	}
	f.Fuzz(func(t *testing.T, text string, country int) {
		key := NormaliseMobile(text, int64(country))
		if strings.Trim(strings.TrimPrefix(key, "+"), "0123456789") != "" || key == "+" || len(key) > maxMobileKey {
			t.Errorf("%q is normalised to %q, want at most %d bytes: digits, or a plus and digits", text, key, maxMobileKey)
		}
	})
}

func BenchmarkNormaliseMobile(b *testing.B) {
	for b.Loop() {
		NormaliseMobile("0412 345 678", 61)
	}
}
