package web

import (
	"strings"
	"unicode/utf8"
)

// mask shows as much of an address as its owner needs to know it again: a mail
// that was passed on tells nobody else.
func mask(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return ""
	}
	_, first := utf8.DecodeRuneInString(address[:at])
	return address[:first] + "…" + address[at:]
}
