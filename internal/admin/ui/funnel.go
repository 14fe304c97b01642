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
func (r *Request) Funnel(title string, steps []Step) template.HTML {
	const row = 24
	var whole int64 = 1
	for _, s := range steps {
		whole = max(whole, s.Count+s.More)
	}
	long := func(n int64) float64 { return 100 * float64(n) / float64(whole) }
	return drawing("funnel", title, row*len(steps), func(b *strings.Builder) {
		for k, s := range steps {
			y, text := row*k, r.Language.Number(s.Count)
			if s.More > 0 {
				text += " + " + r.Language.Number(s.More)
			}
			name := template.HTMLEscapeString(s.Name)
			fmt.Fprintf(b, `<g><title>%s</title><text x="-96" y="%d">%s</text>`,
				template.HTMLEscapeString(r.Text("ui.part", "part", s.Name, "count", text)), y+16, name)
			fmt.Fprintf(b, `<rect class="s1" y="%d" width="%.1f%%" height="14" rx="2"/>`, y+5, max(.2, long(s.Count)))
			fmt.Fprintf(b, `<rect class="s2" x="%.1f%%" y="%d" width="%.1f%%" height="14" rx="2"/>`, long(s.Count), y+5,
				long(s.More))
			fmt.Fprintf(b, `<text x="%.1f%%" dx="6" y="%d">%s</text></g>`, long(s.Count+s.More), y+16, text)
		}
	})
}
