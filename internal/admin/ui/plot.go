package ui

import (
	"cmp"
	"fmt"
	"html/template"
)

// This file has plots, which are charts with their tables, and stacked bars.

// Plot is a chart for the template "plot", which shows the table below it.
type Plot struct {
	Chart   *Chart
	Drawing template.HTML
}

// First is the title of the first column of the table.
func (c *Chart) First() string { return cmp.Or(c.Axis, "ui.day") }

// Plot draws a chart in one of its ways.
func (c *Chart) Plot(draw func(*Chart) template.HTML) Plot { return Plot{c, draw(c)} }

// StackedBars draws the series of each point as one bar, the first at the bottom. Their colours are s1 to s5 of the
// style sheet, or the Classes of the chart.
func (c *Chart) StackedBars() template.HTML { return c.draw((*canvas).stackedBars) }

func (c *canvas) stackedBars() {
	var most int64 = 1
	for _, p := range c.Points {
		var sum int64
		for _, v := range p.Values {
			sum += v
		}
		most = max(most, sum)
	}
	y := c.axis(0, most)
	for i, p := range c.Points {
		fmt.Fprintf(c, `<g><title>%s</title>`, template.HTMLEscapeString(c.text(p)))
		var below int64
		for s, v := range p.Values {
			if v > 0 {
				c.bar(c.class(s), i, y(below+v), y(below))
			}
			below += v
		}
		c.WriteString("</g>")
	}
}

func (c *Chart) class(s int) string {
	if s < len(c.Classes) {
		return c.Classes[s]
	}
	return fmt.Sprintf("s%d", s%5+1)
}
