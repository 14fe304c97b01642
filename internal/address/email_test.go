package address

import (
	"strings"
	"testing"
)

// ParseEmail returns the spelling and the normalised form of an address. It refuses
// texts that are not an address.
// covers: decision 23, spec type.address
func TestParseEmailGivesTheSpellingAndTheNormalisedForm(t *testing.T) {
	label63 := strings.Repeat("d", 63)
	longDomain := label63 + "." + label63 + "." + strings.Repeat("d", 57) + ".example"
	for _, c := range []struct{ text, spelling, key string }{
		{"ann@example.com", "ann@example.com", "ann@example.com"},
		{"  Ann.Lee@Example.COM\n", "Ann.Lee@Example.COM", "ann.lee@example.com"},
		{"ann@example.com.", "ann@example.com.", "ann@example.com"},
		{"a+b-c_d=e!#$%&'*/?^`{|}~@x.io", "a+b-c_d=e!#$%&'*/?^`{|}~@x.io", "a+b-c_d=e!#$%&'*/?^`{|}~@x.io"},
		{`"John Doe"@example.com`, `"John Doe"@example.com`, `"john doe"@example.com`},
		{`"a@b\"c\\"@example.com`, `"a@b\"c\\"@example.com`, `"a@b\"c\\"@example.com`},
		{`"Jörg B"@example.com`, `"Jörg B"@example.com`, `"jörg b"@example.com`},
		{`""@example.com`, `""@example.com`, `""@example.com`},
		{`"Victim"@example.com`, `"Victim"@example.com`, "victim@example.com"}, // quotes and backslashes that are not needed
		{`"v\ic\t\im"@example.com.`, `"v\ic\t\im"@example.com.`, "victim@example.com"},
		{`"a.b+c"@example.com`, `"a.b+c"@example.com`, "a.b+c@example.com"},
		{`"J\oh\n\ Doe"@example.com`, `"J\oh\n\ Doe"@example.com`, `"john doe"@example.com`},
		{`"a..b"@example.com`, `"a..b"@example.com`, `"a..b"@example.com`},
		{`"\.a"@example.com`, `"\.a"@example.com`, `".a"@example.com`},
		{`"\"a\""@example.com`, `"\"a\""@example.com`, `"\"a\""@example.com`}, // the quotes are part of the name
		{`"\a\\b"@example.com`, `"\a\\b"@example.com`, `"a\\b"@example.com`},
		{`"J\org"@bücher.example`, `"J\org"@bücher.example`, "jorg@xn--bcher-kva.example"},
		{"\"J\\o\u0308rg\"@example.com", "\"J\\o\u0308rg\"@example.com", "jörg@example.com"},
		{"\"a\u037e\"@example.com", "\"a\u037e\"@example.com", `"a;"@example.com`}, // NFC replaces U+037E by ";"
		{"\"a\u2029b\"@example.com", "", ""}, {"\"a\\ü\"@example.com", "", ""}, {"\"a\xff\"@example.com", "", ""},
		{"ann@r3---sn-a.example.com", "ann@r3---sn-a.example.com", "ann@r3---sn-a.example.com"},
		{"ann@Bücher.example", "ann@Bücher.example", "ann@xn--bcher-kva.example"},
		{"ann@XN--BCHER-KVA.example", "ann@XN--BCHER-KVA.example", "ann@xn--bcher-kva.example"},
		{"ann@bücher。example", "ann@bücher。example", "ann@xn--bcher-kva.example"},
		{"jörg@example.com", "jörg@example.com", "jörg@example.com"},
		{"jo\u0308rg@example.com", "jo\u0308rg@example.com", "jörg@example.com"}, // "o" and the diaeresis are composed
		{"JÖRG@example.com", "JÖRG@example.com", "jÖrg@example.com"},             // only ASCII letters are lower-cased
		{"H\u0331@example.com", "H\u0331@example.com", "ẖ@example.com"},          // Unicode has a composed form only for the lower-case letter
		{"संपर्क@डाटामेल.भारत", "संपर्क@डाटामेल.भारत", "संपर्क@xn--c2bd4bq1db8d.xn--h2brj9c"},
		{strings.Repeat("a", 64) + "@x.io", strings.Repeat("a", 64) + "@x.io", strings.Repeat("a", 64) + "@x.io"},
		{strings.Repeat("a", 60) + "@" + longDomain, strings.Repeat("a", 60) + "@" + longDomain, strings.Repeat("a", 60) + "@" + longDomain}, // 254 octets
		{strings.Repeat("a", 61) + "@" + longDomain, "", ""},
		{strings.Repeat("a", 65) + "@x.io", "", ""},               // the local part is too long
		{"a@" + strings.Repeat("d", 64) + ".example", "", ""},     // a label is too long
		{"a@" + strings.Repeat("ü", 60) + ".example.com", "", ""}, // a label is too long in ASCII
		{"", "", ""}, {" ", "", ""}, {"@", "", ""}, {"ann", "", ""}, {"@example.com", "", ""}, {"ann@", "", ""},
		{"ann@localhost", "", ""}, {"ann@com.", "", ""}, {"ann@example..com", "", ""}, {"ann@.example.com", "", ""},
		{"ann@-x.example.com", "", ""}, {"ann@x-.example.com", "", ""}, {"ann@exa_mple.com", "", ""}, {"ann@exam ple.com", "", ""},
		{"ann@[192.0.2.1]", "", ""}, {"Ann Lee <ann@example.com>", "", ""}, {"ann(comment)@example.com", "", ""},
		{"ann@example.com,bob@example.com", "", ""}, {"ann@bob@example.com", "", ""}, {"mailto:ann@example.com?a", "", ""},
		{".ann@example.com", "", ""}, {"ann.@example.com", "", ""}, {"a..b@example.com", "", ""}, {"a b@example.com", "", ""},
		{`"a@example.com`, "", ""}, {`"a"b"@example.com`, "", ""}, {`"a\"@example.com`, "", ""}, {"\"a\nb\"@example.com", "", ""},
		{"a\x00b@example.com", "", ""}, {"a\x7f@example.com", "", ""}, {"a\xff@example.com", "", ""}, {"a\u2028b@example.com", "", ""},
		{"a\u00a0b@example.com", "", ""}, {"a\u0085b@example.com", "", ""}, {"a\u037e@example.com", "", ""}, // NFC replaces U+037E by ";"
		{"a\ufffdb@example.com", "", ""}, {"a\u240d@example.com", "", ""}, {"\"a\u2400\"@example.com", "", ""}, {"examp║le@example.com", "", ""}, {"a\ue000@example.com", "", ""},
		{"📧@example.com", "📧@example.com", "📧@example.com"}, {"ann@example.123", "", ""}, {"ann@255.255.255.255", "", ""}, {"ann@gmail.c", "", ""}, {"ann@example.c.", "", ""}, {"abc.@docomo.example", "", ""},
		{"ann@example.xn--p1ai", "ann@example.xn--p1ai", "ann@example.xn--p1ai"}, {"ann@example.рф", "ann@example.рф", "ann@example.xn--p1ai"},
		{"ann@xn--a.example", "", ""}, {"ann@xn--.example", "", ""}, {"ann@a\u200b\u202e.example", "ann@a.example", "ann@a.example"},
	} {
		t.Run(c.text, func(t *testing.T) {
			spelling, key, ok := ParseEmail(c.text)
			if spelling != c.spelling || key != c.key || ok != (c.key != "") {
				t.Errorf("ParseEmail(%q) = %q, %q, %v; want %q, %q", c.text, spelling, key, ok, c.spelling, c.key)
			}
		})
	}
}

// What a person does not see is no part of an address, and wide letters are plain ones.
//
// covers: decision 23
func TestParseEmailLeavesOutWhatNobodySees(t *testing.T) {
	for _, text := range []string{"\u200bann@example.com", "\ufeffann@example.com", "an\u2060n@example.com", "\u202aann@example.com", "ann@example.com\u202c",
		"\u2068ann\u2069@example.com", "a\u00adnn@exam\u00adple.com", "\u200eann@example.com\u200f", " \u200b ann@example.com", "ann\ufe0f@example.com",
		"ann\u200d@example.com", "a\u034fnn@example.com", "ann\u3164@example.com", "ａｎｎ＠ｅｘａｍｐｌｅ．ｃｏｍ", "\u3000ann@example.com", "\U000e0061ann@example.com"} {
		if spelling, key, ok := ParseEmail(text); spelling != "ann@example.com" || key != spelling || !ok {
			t.Errorf("ParseEmail(%q) = %q, %q, %v; want ann@example.com", text, spelling, key, ok)
		}
	}
	for _, text := range []string{"نامه\u200cای@example.com", "क्\u200dष@example.com"} { // joiners that the script needs
		if spelling, _, ok := ParseEmail(text); spelling != text || !ok {
			t.Errorf("ParseEmail(%q) has the spelling %q, %v; want the joiner", text, spelling, ok)
		}
	}
	if spelling, _, ok := ParseEmail("a\u200b@\u200b"); ok {
		t.Errorf("an address without a domain is %q", spelling)
	}
}

func TestParseEmailAllocatesNothingForPlainAddresses(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { ParseEmail("ann.lee@example.com") }); n != 0 {
		t.Errorf("ParseEmail made %v allocations, want 0", n)
	}
}

// FuzzEmail checks that normalising a normalised address does not change it. It also
// checks that spelling and key are not too long, and that key has no line break.
// covers: decision 23
func FuzzEmail(f *testing.F) {
	for _, s := range []string{"ann@example.com", "Ann@Bücher.example.", `"a b"@x.io`, `"v\i\"m"@x.io`, "H\u0331@x.io", "a@xn--bcher-kva.example",
		"\u212a@x.io", "a\u037e@x.io", "a@ß.de", "a@faß.de", "a@x。y", "a@\u2488com.au", "a@1.2", "\u200ban\u2060n@x.io", "ａ＠ｘ．ｉｏ", "ن\u200cن@x.io", "\u200d\u200c@x.io", "=\u0338@x.io", "ﷺ@x.io"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spelling, key, ok := ParseEmail(text)
		if !ok {
			return
		}
		if spelling != strings.TrimSpace(Visible(text)) {
			t.Errorf("the spelling is %q, want %q without surrounding space and what a person does not see", spelling, text)
		}
		if len(spelling) > MaxEmail || len(key) > MaxEmail || strings.ContainsAny(key, "\r\n\x00") {
			t.Errorf("the spelling %q or the key %q is too long, or the key has a line break or a zero byte", spelling, key)
		}
		if s, k, ok := ParseEmail(spelling); !ok || s != spelling || k != key {
			t.Errorf("ParseEmail(%q) = %q, %q, %v; want the same spelling and the key %q", spelling, s, k, ok, key)
		}
		if _, k, ok := ParseEmail(key); !ok || k != key {
			t.Errorf("the key %q of %q is itself normalised to %q, %v; want no change", key, text, k, ok)
		}
		at := strings.LastIndexByte(spelling, '@')
		if requoted := requote(spelling[:at]) + spelling[at:]; len(requoted) <= MaxEmail {
			if _, k, ok := ParseEmail(requoted); ok && k != key {
				t.Errorf("%q, which is %q with other quotes, has the key %q; want %q", requoted, spelling, k, key)
			}
		}
		if _, k, ok := ParseEmail(spelling[:at] + strings.ToUpper(spelling[at:])); isASCII(spelling) && (!ok || k != key) {
			t.Errorf("%q with its domain in capitals has the key %q, %v; want %q", spelling, k, ok, key)
		}
	})
}

// requote returns a local part in quotes, with a backslash before each printable ASCII character.
func requote(local string) string {
	b := []byte{'"'}
	for _, c := range []byte(Unquote(local)) {
		if ' ' <= c && c < 0x7f {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return string(append(b, '"'))
}

func BenchmarkParseEmail(b *testing.B) {
	for b.Loop() {
		ParseEmail("Ann.Lee@example.com")
	}
}
