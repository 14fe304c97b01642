package address

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file checks and normalises local parts: the part of an email address before the @.

// validLocalPart reports whether s is a dot-atom or a quoted string, and not too long.
// RFC 5321, 4.1.2; RFC 6531, 3.3
func validLocalPart(s string) bool {
	switch {
	case s == "" || len(s) > maxLocalPart:
		return false
	case s[0] == '"':
		return validQuoted(s)
	}
	return validDotAtom(s)
}

// validDotAtom reports whether s can be a local part without quotes.
func validDotAtom(s string) bool {
	// dot says that the previous character was a dot. It starts as true, because a dot
	// must not be the first or the last character, nor follow another dot.
	dot := true
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if !visible(r) {
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
			if !visible(r) {
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

// normaliseLocal returns the one form of all spellings of a valid local part. It calls letters
// to normalise the letters of the text without quotes. It keeps quotes only if the text needs
// them, and a backslash only before a quote or a backslash. Without this rule, one mailbox
// would have a normalised form for each way to quote its name. RFC 5321, 4.1.2
func normaliseLocal(local string, letters func(string) string) string {
	if local[0] != '"' {
		return letters(local)
	}
	text := letters(Unquote(local))
	if validDotAtom(text) {
		return text
	}
	return `"` + escaped.Replace(text) + `"`
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// Unquote returns the text of a valid local part without quotes and backslashes.
func Unquote(local string) string {
	if local[0] != '"' {
		return local
	}
	var b strings.Builder
	for i := 1; i < len(local)-1; i++ {
		if local[i] == '\\' {
			i++
		}
		b.WriteByte(local[i])
	}
	return b.String()
}

// atext reports whether c is allowed in an unquoted local part. The name is from RFC
// 5322, 3.2.3.
func atext(c byte) bool {
	return letterOrDigit(c) || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

// visible returns false for control characters and for white space of any script: some mail
// servers would end or fold a header line at such a character. It also returns false for bytes
// that are not valid UTF-8, and for what a program shows in place of characters that it cannot read:
// U+FFFD, pictures of control characters (␍), lines and blocks of boxes (║), private use.
func visible(r rune) bool {
	return r != utf8.RuneError && !unicode.IsControl(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Co, r) &&
		(r < '\u2400' || r > '\u243f') && (r < '\u2500' || r > '\u259f')
}
