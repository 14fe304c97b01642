package audience

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// Lengths of an address and its parts in octets, from RFC 5321, 4.5.3.1, and RFC 1035, 2.3.4.
const (
	maxEmail     = 254
	maxLocalPart = 64
	maxDomain    = 253
	maxLabel     = 63
)

// ParseEmail reads one email address. spelling is the text without the space
// around it, as it is stored and written to; key is the comparison form, by
// which two addresses are the same. It holds exactly when text is no address.
// decisions.md: 23
func ParseEmail(text string) (spelling, key string, ok bool) {
	spelling = strings.TrimSpace(text)
	at := strings.LastIndexByte(spelling, '@')
	if at <= 0 || len(spelling) > maxEmail {
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
		return spelling, strings.TrimSuffix(lowerASCII(spelling), "."), true
	}
	if key, ok = internationalKey(local, domain); !ok {
		return "", "", false
	}
	return spelling, key, true
}

// internationalKey is the comparison form of an address that is not plain
// ASCII. Composing comes before and after lower-casing: "H" with a line below
// is two characters, "h" with one is a single one. Composing may also bring
// forth what a local part must not hold, so its result is looked at again.
func internationalKey(local, domain string) (key string, ok bool) {
	if !utf8.ValidString(domain) {
		return "", false // idna would replace what is not
	}
	local = norm.NFC.String(lowerASCII(norm.NFC.String(local)))
	if !isASCII(domain) || hasACELabel(domain) {
		var err error
		if domain, err = idna.Lookup.ToASCII(domain); err != nil {
			return "", false
		}
		// Mapping may bring forth what is no domain itself, such as a label that
		// mixes directions.
		if again, err := idna.Lookup.ToASCII(domain); err != nil || again != domain {
			return "", false
		}
	}
	domain = lowerASCII(strings.TrimSuffix(domain, "."))
	key = local + "@" + domain
	return key, validLocalPart(local) && validDomain(domain) && len(key) <= maxEmail
}

// validLocalPart takes a dot-atom or a quoted string. RFC 5321, 4.1.2; RFC 6531, 3.3
func validLocalPart(s string) bool {
	if s == "" || len(s) > maxLocalPart {
		return false
	}
	if s[0] == '"' {
		return validQuoted(s)
	}
	dot := true // so that neither the first nor the last may be one
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

// validQuoted takes what is between quotes; quotes and backslashes in it have a backslash before them.
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

// validDomain takes at least two labels of letters, digits and inner hyphens. RFC 5321, 4.1.2
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

// atext is RFC 5322's name for what an unquoted local part is made of.
func atext(c byte) bool {
	return letterOrDigit(c) || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// visible refuses bytes that are not UTF-8, and control characters and spaces
// of any script: they would end or fold a header line somewhere.
func visible(r rune, size int) bool {
	return (r != utf8.RuneError || size > 1) && !unicode.IsControl(r) && !unicode.IsSpace(r)
}

// hasACELabel reports whether a domain has a label in punycode, of which there
// is more than one spelling.
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

// lowerASCII lower-cases the letters A to Z and no others.
func lowerASCII(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
