package ui

import (
	"fmt"
	"html/template"
	"strings"
)

// This file draws bars: below each other, as the parts of one whole, and as steps that fewer and fewer people take. A
// table with the same numbers stands beside each drawing.

// Bar is a bar, with its parts side by side.
type Bar struct {
	Name  string
	Parts []Part
}

// longestBarName is the number of characters of a name for which the narrowest screen has room.
const longestBarName = 36

// Bars draws each bar below its name. The drawing is as long as whole. If whole is 0, each bar is as long as the
// drawing, and shows shares.
func (r *Request) Bars(title string, whole int64, bars []Bar) template.HTML {
	const row = 34
	return drawing("bars", title, row*len(bars), func(b *strings.Builder) {
		for k, bar := range bars {
			y, short := row*k, []rune(bar.Name)
			if len(short) > longestBarName {
				short = append(short[:longestBarName-1:longestBarName-1], '…')
			}
			of := whole
			if of == 0 {
				of = max(1, bar.sum())
			}
			fmt.Fprintf(b, `<text y="%d">%s</text>`, y+13,
				template.HTMLEscapeString(string(short)))
			at := 0.0
			for _, p := range bar.Parts {
				if p.Count <= 0 {
					continue
				}
				wide := 100 * float64(p.Count) / float64(of)
				fmt.Fprintf(b, `<rect class="%s" x="%.1f%%" y="%d" width="%.1f%%" height="10">`, p.Class, at, y+19,
					max(.2, wide))
				fmt.Fprintf(b, `<title>%s</title></rect>`, template.HTMLEscapeString(r.Text("ui.bar_part", "bar", bar.Name,
					"part", p.Name, "n", p.Count)))
				at += wide
			}
		}
	})
}

func (b *Bar) sum() (all int64) {
	for _, p := range b.Parts {
		all += max(0, p.Count)
	}
	return all
}

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
