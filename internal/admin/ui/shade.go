package ui

import (
	"regexp"
	"strings"
)

// shadeQuery matches the part of a media query that asks for light or dark colours.
var shadeQuery = regexp.MustCompile(`(?i)\(\s*prefers-color-scheme\s*:\s*(?:dark|light)\s*\)`)

// Shade returns the HTML of a mail as a program with dark, or light, colours shows it: in its media queries, the
// question for the colours gets this answer. A frame cannot choose them.
func Shade(html string, dark bool) string {
	return shadeQuery.ReplaceAllStringFunc(html, func(query string) string {
		if (strings.Contains(strings.ToLower(query), "dark")) == dark {
			return "(min-width: 0)"
		}
		return "(max-width: 0)"
	})
}
