package address

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// This file finds addresses in a text that a person reads, such as the display name of a sender.

// shown matches an address, or only its @ and its domain. A mail program may show it in quotes or in brackets.
var shown = regexp.MustCompile(`[^\s@<>()\[\]"',;:]*\s*@\s*[\pL\pM\pN-]+(?:[.。][\pL\pM\pN-]+)+`)

// Shown returns the addresses that a text shows, also with characters that only look like those of an address: wide
// ones, spaces around the @, and characters that have no width.
func Shown(text string) (all []string) {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
	for _, found := range shown.FindAllString(plain, -1) {
		all = append(all, strings.Join(strings.Fields(found), ""))
	}
	return all
}
