package web

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// This file computes the contrast of colours in the style sheet.

// luminance returns the relative luminance of a colour of the style sheet, as WCAG 2 defines it.
func luminance(t *testing.T, css, name string) float64 {
	t.Helper()
	m := regexp.MustCompile(`--` + name + `: #([0-9a-f]{3,6});`).FindStringSubmatch(css)
	if m == nil {
		t.Fatalf("the style sheet does not define the colour %s", name)
	}
	hex := m[1]
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
