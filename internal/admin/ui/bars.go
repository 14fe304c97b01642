package ui

import (
	"fmt"
	"html/template"
	"strings"
)

// This file draws bars below each other. A table with the same numbers stands below the drawing.

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
