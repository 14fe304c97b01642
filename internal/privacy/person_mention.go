package privacy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/address"
)

// This file finds a person's addresses in texts.

// spellings returns the forms of an address that are looked for in texts, in lower case: as the caller spells it,
// normalised, and with its domain in Unicode.
func spellings(text, normalised string) []string {
	all := []string{address.LowerASCII(strings.TrimSpace(text))}
	if normalised == "" {
		return all
	}
	all = append(all, normalised, address.InUnicode(normalised))
	slices.Sort(all)
	return slices.Compact(all)
}

// unescapeJSON removes the escapes of JSON that an encoder of this program writes.
var unescapeJSON = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\u0026`, "&",
	`\u003c`, "<", `\u003e`, ">")

// Mentions reports whether a text, which can be JSON, contains the address. An address that is only a part of a longer
// one does not count: joann@example.com is another person than ann@example.com. decisions.md: 123
func (k *PersonKeys) Mentions(text string) bool {
	text = address.LowerASCII(text)
	plain := unescapeJSON.Replace(text)
	return slices.ContainsFunc(k.Addresses, func(a string) bool {
		return containsAddress(text, a) || containsAddress(plain, a)
	})
}

// containsAddress reports whether a text contains an address that no other characters of an address surround.
func containsAddress(text, a string) bool {
	isEmail := strings.Contains(a, "@")
	for from := 0; ; {
		at := strings.Index(text[from:], a)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from+at])
		after := text[from+at+len(a):]
		switch {
		case isEmail && !isAddressPart(before, "._+-") && !continuesDomain(after):
			return true
		case !isEmail && !unicode.IsDigit(before) && (after == "" || !unicode.IsDigit(rune(after[0]))):
			return true
		}
		from += at + 1
	}
}

// continuesDomain reports whether a text begins with more of a domain. A dot can also end a sentence.
func continuesDomain(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimPrefix(text, "."))
	return isAddressPart(first, "-")
}

// isAddressPart reports whether a character is a letter, a digit or one of others.
func isAddressPart(c rune, others string) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune(others, c)
}
