package web

import (
	"regexp"
	"testing"

	"enlist/internal/colour"
)

// This file reads the colours of the style sheet.

// colourOf returns a colour that a part of a style sheet defines.
func colourOf(t *testing.T, css, name string) colour.Colour {
	t.Helper()
	m := regexp.MustCompile(`--` + name + `: (#[0-9a-f]{6});`).FindStringSubmatch(css)
	if m == nil {
		t.Fatalf("the style sheet does not define the colour %s as #rrggbb", name)
	}
	return colour.Parse(m[1])
}
