package enlist

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/address"
)

// This file has a person about whom an Account stores data, and finds the person's addresses in texts.

// Person says by what the rows about a person are found.
type Person struct {
	Account   AccountID
	Lists     []ListID    // of the Account
	Contacts  []PersonKey // with the address; Add adds one
	Former    []PersonKey // Contacts that were deleted; an entry of the Unsubscriber List has the address with them
	Keys      []string    // normalised forms of the address
	Others    []string    // normalised forms of the Contacts' other addresses
	Addresses []string    // spellings of the address, in lower case
	Hashes    []string    // of Keys, as the audit log and the Unsubscriber List have them
	known     map[PersonKey]bool
}

// Add adds a Contact with the address.
func (p *Person) Add(k PersonKey) {
	if p.known == nil {
		p.known = make(map[PersonKey]bool)
	}
	p.Contacts, p.known[k] = append(p.Contacts, k), true
}

// Has reports whether a Contact has the address.
func (p *Person) Has(list ListID, contact ContactID) bool {
	return p.known[PersonKey{List: list, Contact: contact}]
}

// PersonValue is a value of a row about a person, with the name of its column. The value is an int64, a string, a bool,
// JSON (jsontext.Value or json.RawMessage), or another list of PersonValues.
type PersonValue struct {
	Name  string
	Value any
}

// Spellings returns the forms of an address that are looked for in texts, in lower case: as the caller spells it,
// normalised, and with its domain in Unicode.
func Spellings(text, normalised string) []string {
	spellings := []string{address.LowerASCII(strings.TrimSpace(text))}
	if normalised == "" {
		return spellings
	}
	spellings = append(spellings, normalised, address.InUnicode(normalised))
	slices.Sort(spellings)
	return slices.Compact(spellings)
}

// unescapeJSON removes the escapes of JSON that an encoder of this program writes.
var unescapeJSON = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\u0026`, "&",
	`\u003c`, "<", `\u003e`, ">")

// Mentions reports whether a text, which can be JSON, contains the address. An address that is only a part of a longer
// one does not count: joann@example.com is another person than ann@example.com. decisions.md: 123
func (p *Person) Mentions(text string) bool {
	text = address.LowerASCII(text)
	plain := unescapeJSON.Replace(text)
	return slices.ContainsFunc(p.Addresses, func(a string) bool {
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
