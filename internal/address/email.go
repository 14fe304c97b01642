// Package address reads email addresses and mobile numbers, and returns their
// normalised forms. Two texts are the same address exactly if their normalised forms
// are equal. The package does not depend on Contacts. The rules are in decisions.md: 23.
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

// ParseEmail reads one email address. spelling is the text without surrounding space:
// the service sends mail to this spelling. key is the normalised form. If the text is
// not an address, ok is false, and spelling and key are "".
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

// internationalKey normalises an address that is not plain ASCII or has a label in
// punycode. It applies the Unicode normalisation NFC before it makes letters lower
// case, and again after that. The reason is that Unicode has one character for "h" with
// a line below, but needs two for "H" with a line below. NFC may also return characters
// that a local part must not contain, so internationalKey checks the result again.
func internationalKey(local, domain string) (key string, ok bool) {
	if !utf8.ValidString(domain) {
		return "", false // without this check, idna would replace bytes that are not valid UTF-8
	}
	local = norm.NFC.String(LowerASCII(norm.NFC.String(local)))
	if !isASCII(domain) || hasACELabel(domain) {
		var err error
		domain, err = idna.Lookup.ToASCII(domain)
		if err != nil {
			return "", false
		}
		// ToASCII may return a domain that is not valid, for example with a label that
		// mixes writing directions. So its result is checked in the same way.
		if again, err := idna.Lookup.ToASCII(domain); err != nil || again != domain {
			return "", false
		}
	}
	domain = LowerASCII(strings.TrimSuffix(domain, "."))
	key = local + "@" + domain
	return key, validLocalPart(local) && validDomain(domain) && len(key) <= MaxEmail
}

// validLocalPart reports whether s is a dot-atom or a quoted string, and not too long.
// RFC 5321, 4.1.2; RFC 6531, 3.3
func validLocalPart(s string) bool {
	if s == "" || len(s) > maxLocalPart {
		return false
	}
	if s[0] == '"' {
		return validQuoted(s)
	}
	// dot says that the previous character was a dot. It starts as true, because a dot
	// must not be the first or the last character, nor follow another dot.
	dot := true
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

// validQuoted reports whether s is a quoted string. A backslash in it escapes any
// printable ASCII character or a space. RFC 5321, 4.1.2
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

// validDomain reports whether s has at least two labels. A label has letters, digits
// and hyphens, but no hyphen at its start or end. RFC 5321, 4.1.2
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

// atext reports whether c is allowed in an unquoted local part. The name is from RFC
// 5322, 3.2.3.
func atext(c byte) bool {
	return letterOrDigit(c) || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// visible returns false for bytes that are not valid UTF-8, for control characters and
// for white space of any script. Some mail servers would end or fold a header line at
// such a character.
func visible(r rune, size int) bool {
	return (r != utf8.RuneError || size > 1) && !unicode.IsControl(r) && !unicode.IsSpace(r)
}

// hasACELabel reports whether a domain has a label in punycode (xn--). Punycode has
// several spellings of the same label, so the label has to be normalised.
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
