package ui

import (
	"fmt"
	"html/template"
	"strings"
)

// This file draws the steps that fewer and fewer people take.

// Step is a step of a funnel. More is drawn lighter behind Count, such as opens by machines.
type Step struct {
	Name        string
	Count, More int64
}

// Funnel draws a bar for each step, as long as its part of the first one. A table with the same numbers stands beside
// it.
func Funnel(title string, steps []Step) template.HTML {
	const row, names, numbers = 24, 96, 110
	var whole int64 = 1
	for _, s := range steps {
		whole = max(whole, s.Count+s.More)
	}
	return drawings(title, row*len(steps), func(b *strings.Builder, width int) {
		long := func(n int64) float64 { return float64(width-names-numbers) * float64(n) / float64(whole) }
		for k, s := range steps {
			from := names + long(s.Count)
			y, text := row*k, Number(s.Count)
			if s.More > 0 {
				text += " + " + Number(s.More)
			}
			name := template.HTMLEscapeString(s.Name)
			fmt.Fprintf(b, `<g><title>%s: %s</title><text x="0" y="%d">%s</text>`, name, text, y+16, name)
			fmt.Fprintf(b, `<rect class="s1" x="%d" y="%d" width="%.1f" height="14" rx="2"/>`, names, y+5,
				max(1, long(s.Count)))
			fmt.Fprintf(b, `<rect class="s2" x="%.1f" y="%d" width="%.1f" height="14" rx="2"/>`, from, y+5, long(s.More))
			fmt.Fprintf(b, `<text x="%.1f" y="%d">%s</text></g>`, from+long(s.More)+6, y+16, text)
		}
	})
}
