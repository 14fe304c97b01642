package ui

import (
	"fmt"
	"html/template"
	"strings"
	"time"
)

// This file draws what happened as dots on lines of time. A table with the same events stands below it.

// Lane is a line of a drawing, with the times of its events.
type Lane struct {
	Name, Class string // Class is s1 to s5 of the style sheet
	Dots        []Dot
}

// Dot is an event.
type Dot struct {
	Time int64
	Text string
}

const laneHeight = 26

// Dots draws lanes from the first to the last event.
func (r *Request) Dots(title string, lanes []Lane) template.HTML {
	first, last, shown := int64(0), int64(0), lanes[:0:0]
	for _, l := range lanes {
		for _, d := range l.Dots {
			if first == 0 || d.Time < first {
				first = d.Time
			}
			last = max(last, d.Time)
		}
		if len(l.Dots) > 0 {
			shown = append(shown, l)
		}
	}
	if len(shown) == 0 {
		return ""
	}
	height := len(shown)*laneHeight + bottomSpace
	return drawing("lanes", title, height, func(b *strings.Builder) {
		for n, l := range shown {
			y := n*laneHeight + laneHeight/2
			fmt.Fprintf(b, `<line class="grid" x2="100%%" y1="%d" y2="%[1]d"/><text x="-86" y="%d">%s</text>`, y, y+4,
				template.HTMLEscapeString(l.Name))
			for _, d := range l.Dots {
				fmt.Fprintf(b, `<circle class="%s" cx="%.1f%%" cy="%d" r="4.5"><title>%s</title></circle>`, l.Class,
					100*float64(d.Time-first)/float64(max(1, last-first)), y, template.HTMLEscapeString(d.Text))
			}
		}
		r.days(b, first, last, height)
	})
}

// days writes the days of the first and the last event.
func (r *Request) days(b *strings.Builder, first, last int64, height int) {
	day := func(at int64) string { return r.Language.Time("day_year", time.Unix(at, 0).In(r.Now.Location())) }
	fmt.Fprintf(b, `<text y="%d">%s</text>`, height-5, day(first))
	if day(last) != day(first) {
		fmt.Fprintf(b, `<text x="100%%" y="%d" text-anchor="end">%s</text>`, height-5, day(last))
	}
}
