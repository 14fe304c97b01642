package merge

import (
	"strings"
	"unicode"
)

// This file removes from values what a mail must not have.

// Plain removes control characters, except line breaks and tabs, and characters
// that change the direction of the following text, and byte order marks.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', r == '\ufeff':
			return -1
		}
		return r
	}, LineEnds.Replace(strings.ToValidUTF8(text, "\uFFFD")))
}

// LineEnds replaces every kind of line end by \n.
var LineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
