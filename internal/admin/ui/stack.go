package ui

import (
	"fmt"
	"html/template"
	"strings"
)

// This file draws parts of a whole as one bar.

// Part is a part of a whole. Class is s1 to s5 of the style sheet, from what matters most to what needs attention.
type Part struct {
	Name, Class string
	Count       int64
}

// Stack draws parts side by side, in their order. A table with the same numbers stands below it.
func (r *Request) Stack(title string, parts []Part) template.HTML {
	const width, least = 600, 2
	var all, shown int64
	for _, p := range parts {
		all += p.Count
		if p.Count > 0 {
			shown++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="stack" viewBox="0 0 %d 14" preserveAspectRatio="none" role="img"><title>%s</title>`,
		width,
		template.HTMLEscapeString(title))
	at := 0.0
	for _, p := range parts {
		if p.Count <= 0 {
			continue
		}
		w := least + float64(width-least*shown)*float64(p.Count)/float64(all)
		fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="0" width="%.1f" height="14"><title>%s</title></rect>`, p.Class,
			at, w,
			template.HTMLEscapeString(r.Text("ui.part", "part", p.Name, "count", p.Count)))
		at += w
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
