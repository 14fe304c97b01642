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
	for _, s := range []string{"0412 345 678", "+61 412 345 678", "0412345678 ext 9", "tel:+1-201-555-0123;ext=7", "1800 FLOWERS", "00 61 412 345 678", "+0", "*100#"} {
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
