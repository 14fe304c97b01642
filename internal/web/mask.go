package web

import (
	"strings"
	"unicode/utf8"
)

// This file shortens addresses on pages that people other than the subscriber can open.

// mask shortens an address to its first character and its domain. The owner of the address
// recognises it. A person to whom the mail was forwarded cannot see the complete address.
func mask(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return ""
	}
	_, first := utf8.DecodeRuneInString(address[:at])
	return address[:first] + "…" + address[at:]
}
