package config

import (
	_ "embed"
	"strings"
)

//go:embed help.txt
var helpText string

// Help returns the help text of a flag, or "" if help.txt has no text for the flag. The texts
// are not in struct tags, because most of them are too long.
func Help(flag string) string {
	_, text, _ := strings.Cut(helpText, "\n--"+flag+"\n")
	text, _, _ = strings.Cut(text, "\n--")
	return strings.Join(strings.Fields(text), " ")
}
