package main

import (
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
)

// This file draws the result of the part "growth" as an SVG image. The image has one curve for each search.

// curve has the times of one search in Lists of several sizes.
type curve struct {
	Name   string
	points []point
}

// point is the time of a search, in milliseconds, in a List with a number of Contacts.
type point struct{ contacts, ms float64 }

// The size of the drawing and its margins, in pixels. Both axes are logarithmic.
const (
	plotWidth, plotHeight = 900, 520
	plotLeft, plotTop     = 70, 40
	plotRight             = 330 // wide enough for the names of the curves
	plotBottom            = 50
	nameHeight            = 16
)

// colours can be distinguished by readers with colour blindness.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f",
	"#8c564b", "#666600"}

// axis maps the logarithms from and to of two values to the pixels start and end.
type axis struct{ from, to, start, end float64 }

// newAxis returns an axis that contains all values. It begins and ends at a power of ten.
func newAxis(values []float64, start, end float64) axis {
	low, high := math.Floor(math.Log10(slices.Min(values))), math.Ceil(math.Log10(slices.Max(values)))
	return axis{low, max(high, low+1), start, end}
}

// at returns the pixel of a value. It rounds to a tenth of a pixel, so that the SVG file is small.
func (a axis) at(v float64) float64 {
	pixel := a.start + (math.Log10(v)-a.from)/(a.to-a.from)*(a.end-a.start)
	return math.Round(pixel*10) / 10
}

// tick is a line of the grid.
type tick struct {
	At   float64
	Text string
}

// ticks returns a line of the grid at each power of ten.
func (a axis) ticks() (all []tick) {
	for e := a.from; e <= a.to; e++ {
		v := math.Pow(10, e)
		all = append(all, tick{a.at(v), strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return all
}

// line is a curve with its points in pixels, and the position of its name.
type line struct {
	Name, Colour string
	Dots         [][2]float64
	End, NameAt  float64
}

//go:embed plot.svg.tmpl
var plotText string

var plotTemplate = template.Must(template.New("plot").Parse(plotText))

// plot draws curves as an SVG image.
func plot(w io.Writer, title string, curves []curve) error {
	var contacts, times []float64
	for _, c := range curves {
		for _, p := range c.points {
			contacts, times = append(contacts, p.contacts), append(times, p.ms)
		}
	}
	const right, bottom = plotWidth - plotRight, plotHeight - plotBottom
	x, y := newAxis(contacts, plotLeft, right), newAxis(times, bottom, plotTop)
	return plotTemplate.Execute(w, map[string]any{
		"Title": title, "Width": plotWidth, "Height": plotHeight,
		"Left": plotLeft, "Right": right, "Top": plotTop, "Bottom": bottom,
		"Foot": bottom + 18, "Margin": plotLeft - 6, "Names": right + 24, "Middle": (plotLeft + right) / 2,
		"Columns": x.ticks(), "Rows": y.ticks(), "Lines": lines(curves, x, y),
	})
}

// lines converts curves to lines. It moves the names of the curves apart, so that they do not overlap.
func lines(curves []curve, x, y axis) []line {
	all := make([]line, 0, len(curves))
	for i, c := range curves {
		l := line{Name: c.Name, Colour: colours[i%len(colours)]}
		for _, p := range c.points {
			l.Dots = append(l.Dots, [2]float64{x.at(p.contacts), y.at(p.ms)})
		}
		l.End = l.Dots[len(l.Dots)-1][1]
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b line) int { return cmp.Compare(a.End, b.End) })
	for i := range all {
		all[i].NameAt = max(all[i].End, plotTop)
		if i > 0 {
			all[i].NameAt = max(all[i].NameAt, all[i-1].NameAt+nameHeight)
		}
	}
	return all
}
