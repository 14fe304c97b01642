package address

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// This file removes what a person does not see in a text that was copied from a page or a mail program.

// Visible returns a text without the characters that are not shown, such as the zero width space, a byte order mark, the
// soft hyphen and marks of the writing direction, and with wide letters, digits and signs as plain ones. Joiners stay
// between letters of the scripts that need them.
func Visible(text string) string {
	if isASCII(text) || !utf8.ValidString(text) {
		return text
	}
	runes := []rune(width.Fold.String(text))
	var b strings.Builder
	for i, r := range runes {
		if !invisible(r) || isJoiner(r) && i > 0 && i+1 < len(runes) && isJoined(runes[i-1]) && isJoined(runes[i+1]) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func invisible(r rune) bool {
	return r > unicode.MaxASCII &&
		unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isJoiner reports whether a character joins letters or keeps them apart. Persian and the scripts of India write words
// with them.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

func isJoined(r rune) bool {
	return r >= 0x600 && (unicode.IsLetter(r) || unicode.IsMark(r)) && !unicode.In(r, unicode.Latin, unicode.Greek)
}

// Bare returns the address of a text such as "Ann Lee <ann@example.com>", 'ann@example.com' or mailto:ann@example.com. It
// returns any other text without surrounding space.
func Bare(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 7 && strings.EqualFold(text[:7], "mailto:") {
		return text[7:]
	}
	if len(text) > 2 && text[0] == '\'' && text[len(text)-1] == '\'' {
		return text[1 : len(text)-1]
	}
	if inner, ok := strings.CutSuffix(text, ">"); ok {
		if i := strings.LastIndexByte(inner, '<'); i >= 0 {
			return strings.TrimSpace(inner[i+1:])
		}
	}
	return text
}
