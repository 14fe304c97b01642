package config

import (
	_ "embed"
	"strings"
)

//go:embed help.txt
var helpText string

// Help returns the help text of a flag, "" without one. The texts are in help.txt, because most
// are too long for a struct tag.
func Help(flag string) string {
	_, text, _ := strings.Cut(helpText, "\n--"+flag+"\n")
	text, _, _ = strings.Cut(text, "\n--")
	return strings.Join(strings.Fields(text), " ")
}
