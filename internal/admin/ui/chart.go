package ui

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

// This file draws charts as SVG. A table with the same numbers stands below each.

// Point is a place on the horizontal axis of a chart, with the values of its series.
type Point struct {
	Label  string // of the axis and of the table
	Values []int64
}

// Chart is numbers over time.
type Chart struct {
	Title  string // for people who cannot see the chart
	Series []string
	Points []Point

	Axis    string   // what the points are; "": days
	Classes []string // of the colours of stacked bars
}

const (
	chartHeight = 170
	leftSpace   = 46 // for the numbers of the vertical axis
	bottomSpace = 22 // for the labels of the horizontal axis
)

// drawings draws something for four widths. The style sheet shows the drawing that fits the box around it best, because
// a browser enlarges or reduces a drawing with its letters.
func drawings(title string, height int, draw func(b *strings.Builder, width int)) template.HTML {
	var b strings.Builder
	b.WriteString(`<div class="chart">`)
	for _, width := range []int{330, 480, 700, 1050} {
		fmt.Fprintf(&b, `<svg class="w%d" viewBox="0 0 %[1]d %d" role="img"><title>%s</title>`, width, height,
			template.HTMLEscapeString(title))
		draw(&b, width)
		b.WriteString("</svg>")
	}
	b.WriteString("</div>")
	return template.HTML(b.String())
}

// Lines draws each series as a line, the first with an area below it.
func (c *Chart) Lines() template.HTML { return c.draw((*canvas).lines) }

// UpDown draws the first series upwards as bars, and the second one downwards. A third one is a line.
func (c *Chart) UpDown() template.HTML { return c.draw((*canvas).upDown) }

// canvas is one drawing of a chart.
type canvas struct {
	*Chart
	*strings.Builder
	width int
}

func (c *Chart) draw(how func(*canvas)) template.HTML {
	return drawings(c.Title, chartHeight, func(b *strings.Builder, width int) {
		if len(c.Points) > 0 {
			d := &canvas{c, b, width}
			how(d)
			d.labels()
		}
	})
}

// x returns the middle of the place of a point.
func (c *canvas) x(i int) float64 {
	room := float64(c.width - leftSpace)
	return leftSpace + room*(float64(i)+.5)/float64(len(c.Points))
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
		fmt.Fprintf(c, `<path class="grid" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`,
			leftSpace,
			y(v), c.width, leftSpace-6, y(v)+4, Number(v))
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
const oneWidth = 24

func (c *canvas) lines() {
	y := c.axis(0, max(1, c.most()))
	left := c.x(0)
	if len(c.Points) == 1 {
		left -= oneWidth / 2
	}
	for s := range c.Series {
		var d strings.Builder
		for i := range c.Points {
			fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(i, 1)], c.x(i), y(c.Points[i].Values[s]))
		}
		if len(c.Points) == 1 {
			fmt.Fprintf(&d, "m-%d 0h%d", oneWidth/2, oneWidth)
		}
		if s == 0 {
			fmt.Fprintf(c, `<path class="area" d="%sV%.1fH%.1fZ"/>`, &d, y(0), left)
		}
		fmt.Fprintf(c, `<path class="line %s" d="%s"/>`, seriesClass(s), &d)
	}
	c.marks(func(i int) float64 { return y(c.Points[i].Values[0]) })
}

// seriesClass is the class of the colour of a series.
func seriesClass(s int) string { return []string{"a", "b", "c"}[s%3] }

// marks adds a text to each point that a browser shows beside the pointer.
func (c *canvas) marks(y func(int) float64) {
	for i, p := range c.Points {
		fmt.Fprintf(c, `<circle cx="%.1f" cy="%.1f" r="5" fill="transparent"><title>%s</title></circle>`, c.x(i), y(i),
			template.HTMLEscapeString(c.text(p)))
	}
}

// text has the label and the values of a point.
func (c *Chart) text(p Point) string {
	all := []string{}
	for s, name := range c.Series {
		all = append(all, Number(p.Values[s])+" "+name)
	}
	return p.Label + ": " + strings.Join(all, ", ")
}

func (c *canvas) upDown() {
	var up, down int64 = 1, 0
	for _, p := range c.Points {
		up, down = max(up, p.Values[0]), max(down, p.Values[1])
	}
	y := c.axis(-down, up)
	wide := math.Max(2, float64(c.width-leftSpace)/float64(len(c.Points))*.75)
	for i, p := range c.Points {
		fmt.Fprintf(c, `<g><title>%s</title>`, template.HTMLEscapeString(c.text(p)))
		fmt.Fprintf(c, `<rect class="up" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="1"/>`, c.x(i)-wide/2,
			y(p.Values[0]), wide, y(0)-y(p.Values[0]))
		fmt.Fprintf(c, `<rect class="down" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="1"/></g>`, c.x(i)-wide/2,
			y(0),
			wide, y(-p.Values[1])-y(0))
	}
	if len(c.Series) < 3 {
		return
	}
	var d strings.Builder
	for i := range c.Points {
		fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(i, 1)], c.x(i), y(c.Points[i].Values[2]))
	}
	fmt.Fprintf(c, `<path class="line" d="%s"/>`, &d)
}

func (c *canvas) most() (most int64) {
	for _, p := range c.Points {
		for _, v := range p.Values {
			most = max(most, v)
		}
	}
	return most
}

// labels writes the labels of the first and of the last point, and of those between for which there is room.
func (c *canvas) labels() {
	n := len(c.Points)
	every := max(1, int(math.Ceil(float64(n)*95/float64(c.width-leftSpace))))
	for i := 0; i < n; i += every {
		anchor := "middle"
		if i == 0 {
			anchor = "start"
		}
		if n-1-i < every && i > 0 && n-1-i > 0 {
			break // the last label needs this room
		}
		c.label(i, anchor)
	}
	if n > 1 && (n-1)%every != 0 {
		c.label(n-1, "end")
	}
}

func (c *canvas) label(i int, anchor string) {
	x := c.x(i)
	if anchor == "start" {
		x = leftSpace
	}
	if anchor == "end" {
		x = float64(c.width)
	}
	fmt.Fprintf(c, `<text x="%.1f" y="%d" text-anchor="%s">%s</text>`, x, chartHeight-6, anchor,
		template.HTMLEscapeString(c.Points[i].Label))
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
