// Package colour computes colours that a theme does not have, so that every text can be read: in mails and on pages for
// subscribers.
package colour

import (
	"fmt"
	"math"
	"strconv"
)

// Readable is the least contrast of a text with its background. WCAG 2.2, 1.4.3
const Readable = 4.5

// Colour is red, green and blue, from 0 to 255.
type Colour [3]float64

// Parse reads #rrggbb. Another text is black.
func Parse(text string) (c Colour) {
	if len(text) != 7 {
		return c
	}
	for i := range c {
		n, err := strconv.ParseUint(text[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return Colour{}
		}
		c[i] = float64(n)
	}
	return c
}

// String returns the colour as #rrggbb.
func (c Colour) String() string {
	return fmt.Sprintf("#%02x%02x%02x", uint8(math.Round(c[0])), uint8(math.Round(c[1])), uint8(math.Round(c[2])))
}

// luminance is the relative luminance, from 0 to 1. WCAG 2.2, relative luminance
func (c Colour) luminance() float64 {
	var sum float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := c[i] / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// Contrast returns the contrast of two colours, from 1 to 21. WCAG 2.2, contrast ratio
func Contrast(a, b Colour) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Mix returns a colour between c, for 0, and other, for 1.
func (c Colour) Mix(other Colour, part float64) Colour {
	for i := range c {
		c[i] += (other[i] - c[i]) * part
	}
	return c
}

// On returns the first colour from c towards other that can be read on a background.
func (c Colour) On(background, other Colour) Colour {
	for part := 0.0; part < 1; part += 0.1 {
		if m := c.Mix(other, part); Contrast(m, background) >= Readable {
			return m
		}
	}
	return other
}

// Visible is the least contrast of a picture that says something with its background. WCAG 2.2, 1.4.11
const Visible = 3

// Seen returns the first colour from c towards white that can be seen on a dark background.
func (c Colour) Seen(background Colour) Colour {
	for part := 0.0; part < 1; part += 0.1 {
		if m := c.Mix(Colour{255, 255, 255}, part); Contrast(m, background) >= Visible {
			return m
		}
	}
	return Colour{255, 255, 255}
}

// TextOn returns white or nearly black, whichever can be read better on c.
func (c Colour) TextOn() Colour {
	white, ink := Colour{255, 255, 255}, Parse("#16181a")
	if Contrast(c, white) >= Readable || Contrast(c, white) >= Contrast(c, ink) {
		return white
	}
	return ink
}
