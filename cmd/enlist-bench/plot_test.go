package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// The test draws three curves and reads the SVG image.

// The image is valid XML and has the name of each curve. The names do not overlap.
func TestPlotIsXMLWithSeparateNames(t *testing.T) {
	var b bytes.Buffer
	curves := []curve{
		{"a < b", []point{{10_000, 0.1}, {100_000, 0.2}}},
		{"c", []point{{10_000, 0.1}, {100_000, 0.2}}},
		{"slow", []point{{10_000, 3}, {100_000, 40}}},
	}
	if err := plot(&b, "Searches & counts", curves); err != nil {
		t.Fatal(err)
	}
	image := b.String()
	for d := xml.NewDecoder(&b); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the image is not valid XML: %v in %s", err, image)
		}
	}
	for _, want := range []string{"a &lt; b", "Searches &amp; counts", "slow", ">100000<", ">0.1 ms<"} {
		if !strings.Contains(image, want) {
			t.Errorf("%q is not in %s", want, image)
		}
	}
	x, y := axis{4, 5, 0, 100}, axis{-1, 2, 300, 0}
	placed := lines(curves, x, y)
	for i := range placed[1:] {
		if placed[i+1].NameAt-placed[i].NameAt < nameHeight {
			t.Errorf("names overlap: %q at %v, %q at %v", placed[i].Name, placed[i].NameAt, placed[i+1].Name, placed[i+1].NameAt)
		}
	}
	if dots := placed[0].Dots; placed[0].Name != "slow" || dots[0] != [2]float64{0, 152.3} || dots[1] != [2]float64{100, 39.8} {
		t.Errorf("the first line is %v, want the curve slow at (0, 152.3) and (100, 39.8)", placed[0])
	}
}
