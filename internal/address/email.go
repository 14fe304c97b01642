// Package address reads email addresses and mobile numbers, and returns their
// normalised forms. Two texts are the same address exactly if their normalised forms
// are equal. The package does not depend on Contacts. The rules are in decisions.md: 23.
//
// email.go reads addresses and their domains, local.go the part before the @, and mobile.go
// mobile numbers. invisible.go removes what a person does not see in them. country.go has the countries of
// telephone codes. keys.go returns all normalised forms that a text may have. shown.go finds addresses in a text, and
// ascii.go lower-cases like the databases. link.go writes the host of a link in ASCII,
// and mailbox.go says which addresses reach one mailbox.
package address

import (
	"strings"
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

// ParseEmail reads one email address. spelling is the text without surrounding space and
// without what a person does not see (Visible): the service sends mail to this spelling. key is the normalised form. If the text is
// not an address, ok is false, and spelling and key are "".
func ParseEmail(text string) (spelling, key string, ok bool) {
	spelling = strings.TrimSpace(Visible(text))
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
		if local[0] == '"' {
			return spelling, normaliseLocal(local, LowerASCII) + "@" + LowerASCII(domain), true
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
	local = normaliseLocal(local, func(s string) string {
		return norm.NFC.String(LowerASCII(norm.NFC.String(s)))
	})
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

// validDomain reports whether s has at least two labels. A label has letters, digits
// and hyphens, but no hyphen at its start or end. RFC 5321, 4.1.2. A top-level domain
// has two characters or more, and not only digits. RFC 3696, 2
func validDomain(s string) bool {
	top := s[strings.LastIndexByte(s, '.')+1:]
	if len(s) > maxDomain || len(top) == len(s) || len(top) < 2 || strings.Trim(top, "0123456789") == "" {
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

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
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

// InUnicode returns a normalised email address with its domain in Unicode. Another text is returned as it is.
func InUnicode(key string) string {
	at := strings.LastIndexByte(key, '@')
	domain, err := idna.Display.ToUnicode(key[at+1:])
	if at < 0 || err != nil {
		return key
	}
	return key[:at+1] + domain
}

// Domain returns the normalised domain of an address.
func Domain(email string) string {
	if _, key, ok := ParseEmail(email); ok {
		email = key
	}
	return strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
}
