package ui

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"strings"

	"enlist/internal/language"
)

// This file draws charts as SVG. A table with the same numbers stands below each.

// Point is a place on the horizontal axis of a chart, with the values of its series.
type Point struct {
	Label  string // of the axis and of the table
	Values []int64
}

// Chart is numbers over time.
type Chart struct {
	Language *language.Language
	Title    string // for people who cannot see the chart
	Series   []string
	Points   []Point

	Axis    string   // what the points are; "": days
	Classes []string // of the colours of stacked bars
}

const (
	chartHeight = 170
	bottomSpace = 22 // for the labels of the horizontal axis
)

// drawing returns a drawing that is as wide as the box around it. Horizontal places in it are percentages, so that
// letters keep their size. The class of the style sheet leaves room for texts at the sides.
func drawing(class, title string, height int, draw func(b *strings.Builder)) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<div class="chart %s"><svg height="%d" role="img"><title>%s</title>`, class, height,
		template.HTMLEscapeString(title))
	draw(&b)
	b.WriteString("</svg></div>")
	return template.HTML(b.String())
}

// Lines draws each series as a line, the first with an area below it.
func (c *Chart) Lines() template.HTML { return c.draw((*canvas).lines) }

// UpDown draws the first series upwards as bars, and the second one downwards. A third one is a line.
func (c *Chart) UpDown() template.HTML { return c.draw((*canvas).upDown) }

// canvas is the drawing of a chart.
type canvas struct {
	*Chart
	*strings.Builder
}

func (c *Chart) draw(how func(*canvas)) template.HTML {
	return drawing("", c.Title, chartHeight, func(b *strings.Builder) {
		if len(c.Points) > 0 {
			d := &canvas{c, b}
			how(d)
			d.labels()
		}
	})
}

// x returns the middle of the place of a point, in percent.
func (c *canvas) x(i int) float64 { return 100 * (float64(i) + .5) / float64(len(c.Points)) }

// stretched is a part of a drawing with paths, which cannot have percentages. It is 1,000 units wide.
const stretched = `<svg viewBox="0 0 1000 %d" preserveAspectRatio="none">`

// path returns the line through the values of a series, for a stretched part.
func (c *canvas) path(series int, y func(int64) float64) string {
	var d strings.Builder
	for i := range c.Points {
		fmt.Fprintf(&d, "%c%.0f %.1f", "ML"[min(i, 1)], 10*c.x(i), y(c.Points[i].Values[series]))
	}
	return d.String()
}

const plotHeight = chartHeight - bottomSpace - 8

// axis draws horizontal lines for round numbers from low to high and returns the height of a value.
func (c *canvas) axis(low, high int64) func(int64) float64 {
	step := roundStep(high - low)
	from, upto := low/step*step, (high+step-1)/step*step
	if low < from {
		from -= step
	}
	y := func(v int64) float64 { return 8 + plotHeight*float64(upto-v)/float64(max(1, upto-from)) }
	for v := from; v <= upto; v += step {
		fmt.Fprintf(c, `<line class="grid" x2="100%%" y1="%.1f" y2="%.1[1]f"/>`, y(v))
		fmt.Fprintf(c, `<text x="-6" y="%.1f" text-anchor="end">%s</text>`, y(v)+4, c.Language.Number(v))
	}
	return y
}

// roundStep returns 1, 2 or 5 times a power of ten, so that about four steps cover a range.
func roundStep(span int64) int64 {
	rough := math.Max(1, float64(span)/4)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, f := range []float64{1, 2, 5, 10} {
		if f*power >= rough {
			return int64(f * power)
		}
	}
	return int64(10 * power)
}

// oneWidth is the width of the stroke for the only point of a chart, such as the first hour of a report.
const oneWidth = 40

func (c *canvas) lines() {
	y := c.axis(0, max(1, c.most()))
	fmt.Fprintf(c, stretched, chartHeight)
	for s := range c.Series {
		left, d := 10*c.x(0), c.path(s, y)
		if len(c.Points) == 1 {
			left -= oneWidth / 2
			d += fmt.Sprintf("m-%d 0h%d", oneWidth/2, oneWidth)
		}
		if s == 0 {
			fmt.Fprintf(c, `<path class="area" d="%sV%.1fH%.0fZ"/>`, d, y(0), left)
		}
		fmt.Fprintf(c, `<path class="line %s" d="%s"/>`, seriesClass(s), d)
	}
	c.WriteString("</svg>")
	c.marks(func(i int) float64 { return y(c.Points[i].Values[0]) })
}

// seriesClass is the class of the colour of a series.
func seriesClass(s int) string { return []string{"a", "b", "c"}[s%3] }

// marks adds a text to each point that a browser shows beside the pointer.
func (c *canvas) marks(y func(int) float64) {
	for i, p := range c.Points {
		fmt.Fprintf(c, `<circle cx="%.1f%%" cy="%.1f" r="5" fill="transparent"><title>%s</title></circle>`, c.x(i), y(i),
			template.HTMLEscapeString(c.text(p)))
	}
}

// text has the label and the values of a point.
func (c *Chart) text(p Point) string {
	all := []string{}
	for s, name := range c.Series {
		all = append(all, c.Language.Text("ui.chart_value", "value", p.Values[s], "series", name))
	}
	return c.Language.Text("ui.chart_point", "point", p.Label, "values", c.Language.Series(all))
}

func (c *canvas) upDown() {
	var up, down int64 = 1, 0
	for _, p := range c.Points {
		up, down = max(up, p.Values[0]), max(down, p.Values[1])
	}
	y := c.axis(-down, up)
	for i, p := range c.Points {
		fmt.Fprintf(c, `<g><title>%s</title>`, template.HTMLEscapeString(c.text(p)))
		c.bar("up", i, y(p.Values[0]), y(0))
		c.bar("down", i, y(0), y(-p.Values[1]))
		c.WriteString("</g>")
	}
	if len(c.Series) >= 3 {
		fmt.Fprintf(c, stretched+`<path class="line" d="%s"/></svg>`, chartHeight, c.path(2, y))
	}
}

// bar draws a bar at the place of a point.
func (c *canvas) bar(class string, i int, top, bottom float64) {
	wide := 75 / float64(len(c.Points))
	fmt.Fprintf(c, `<rect class="%s" x="%.2f%%" y="%.1f" width="%.2f%%" height="%.1f"/>`, class, c.x(i)-wide/2, top, wide,
		bottom-top)
}

func (c *canvas) most() (most int64) {
	for _, p := range c.Points {
		for _, v := range p.Values {
			most = max(most, v)
		}
	}
	return most
}

// labels writes the labels of the first and of the last point, and of those between for which there is room: the style
// sheet shows those of the class medium, and then those of the class large, in a box that is wide enough.
func (c *canvas) labels() {
	n := len(c.Points)
	every := (n*95 + 999) / 1000 // a label needs 95 pixels, and a large box has 1,000
	for i := range n {
		class, anchor := "", "middle"
		fits := func(every int) bool { return i%every == 0 && n-1-i >= every }
		switch {
		case n == 1:
		case i == 0:
			anchor = "start"
		case i == n-1:
			anchor = "end"
		case fits(4 * every):
		case fits(2 * every):
			class = "medium"
		case fits(every):
			class = "large"
		default:
			continue
		}
		x := map[string]float64{"start": 0, "middle": c.x(i), "end": 100}[anchor]
		fmt.Fprintf(c, `<text class="%s" x="%.1f%%" y="%d" text-anchor="%s">%s</text>`, class, x, chartHeight-6, anchor,
			template.HTMLEscapeString(c.Points[i].Label))
	}
}

// Sparkline draws values as a small line without axes.
func Sparkline(title string, values []int64) template.HTML {
	if len(values) < 2 {
		return ""
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	var d strings.Builder
	for i, v := range values {
		fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(i, 1)], 1+90*float64(i)/float64(len(values)-1),
			16-14*float64(v-low)/float64(max(1, high-low)))
	}
	return template.HTML(fmt.Sprintf(`<svg class="spark" viewBox="0 0 92 18" role="img"><title>%s</title>`+
		`<path class="line" d="%s"/></svg>`, template.HTMLEscapeString(title), &d))
}

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
