// Package address reads email addresses and mobile numbers, and gives each a
// normalised form: two texts are the same address exactly when their normalised
// forms are equal. It knows nothing of Contacts. The rules are in decisions.md: 23.
package address

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// MaxEmail is the greatest length of an email address in octets. RFC 5321, 4.5.3.1
const MaxEmail = 254

// Greatest lengths of the parts in octets. RFC 5321, 4.5.3.1; RFC 1035, 2.3.4
const (
	maxLocalPart = 64
	maxDomain    = 253
	maxLabel     = 63
)

// ParseEmail reads one email address. spelling is the text without surrounding
// space; mail is sent to it. key is the normalised form. ok is false when the text
// is not an address; then both are "".
func ParseEmail(text string) (spelling, key string, ok bool) {
	spelling = strings.TrimSpace(text)
	at := strings.LastIndexByte(spelling, '@')
	if at <= 0 || len(spelling) > MaxEmail {
		return "", "", false
	}
	local, domain := spelling[:at], spelling[at+1:]
	if !validLocalPart(local) {
		return "", "", false
	}
	if isASCII(spelling) && !hasACELabel(domain) {
		domain = strings.TrimSuffix(domain, ".")
		if !validDomain(domain) {
			return "", "", false
		}
		return spelling, strings.TrimSuffix(LowerASCII(spelling), "."), true
	}
	key, ok = internationalKey(local, domain)
	if !ok {
		return "", "", false
	}
	return spelling, key, true
}

// internationalKey normalises an address that is not plain ASCII. It composes
// characters (NFC) before and after it makes them lower case: "H" with a line below
// is two characters, "h" with one is a single character. Composing may also give
// characters that a local part must not contain, so the result is checked again.
func internationalKey(local, domain string) (key string, ok bool) {
	if !utf8.ValidString(domain) {
		return "", false // idna would replace invalid bytes
	}
	local = norm.NFC.String(LowerASCII(norm.NFC.String(local)))
	if !isASCII(domain) || hasACELabel(domain) {
		var err error
		domain, err = idna.Lookup.ToASCII(domain)
		if err != nil {
			return "", false
		}
		// Mapping may give a domain that is not valid itself, such as a label that
		// mixes writing directions.
		if again, err := idna.Lookup.ToASCII(domain); err != nil || again != domain {
			return "", false
		}
	}
	domain = LowerASCII(strings.TrimSuffix(domain, "."))
	key = local + "@" + domain
	return key, validLocalPart(local) && validDomain(domain) && len(key) <= MaxEmail
}

// validLocalPart accepts a dot-atom or a quoted string. RFC 5321, 4.1.2; RFC 6531, 3.3
func validLocalPart(s string) bool {
	if s == "" || len(s) > maxLocalPart {
		return false
	}
	if s[0] == '"' {
		return validQuoted(s)
	}
	dot := true // the last character was a dot, which may not be first, last or doubled
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if !visible(r, size) {
				return false
			}
			i, dot = i+size, false
			continue
		}
		if c == '.' && dot || c != '.' && !atext(c) {
			return false
		}
		i, dot = i+1, c == '.'
	}
	return !dot
}

// validQuoted accepts a quoted string. A backslash escapes quotes and backslashes
// in it. RFC 5321, 4.1.2
func validQuoted(s string) bool {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return false
	}
	s = s[1 : len(s)-1]
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if !visible(r, size) {
				return false
			}
			i += size
		case c < ' ' || c == 0x7f || c == '"':
			return false
		case c == '\\':
			if i+1 == len(s) || s[i+1] < ' ' || s[i+1] >= 0x7f {
				return false
			}
			i += 2
		default:
			i++
		}
	}
	return true
}

// validDomain accepts at least two labels of letters, digits and inner hyphens.
// RFC 5321, 4.1.2
func validDomain(s string) bool {
	if len(s) > maxDomain || !strings.Contains(s, ".") {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !letterOrDigit(c) && c != '-' {
				return false
			}
		}
	}
	return true
}

// atext reports whether an unquoted local part may contain c. The name is from
// RFC 5322, 3.2.3.
func atext(c byte) bool {
	return letterOrDigit(c) || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// visible refuses bytes that are not UTF-8, control characters, and spaces of any
// script: some mail server would end or fold a header line there.
func visible(r rune, size int) bool {
	return (r != utf8.RuneError || size > 1) && !unicode.IsControl(r) && !unicode.IsSpace(r)
}

// hasACELabel reports whether a domain has a label in punycode (xn--). The same
// label can be written in several ways, so it has to be normalised.
func hasACELabel(domain string) bool {
	for label := range strings.SplitSeq(domain, ".") {
		if len(label) >= 4 && strings.EqualFold(label[:4], "xn--") {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
