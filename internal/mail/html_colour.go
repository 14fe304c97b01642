package mail

import (
	"fmt"
	"math"
	"strconv"
)

// This file computes the colours of a mail that its theme does not have, so that every text can be read.

// readable is the least contrast of a text with its background. WCAG 2.2, 1.4.3
const readable = 4.5

// colour is red, green and blue, from 0 to 255.
type colour [3]float64

// parseColour reads #rrggbb. Another text is black.
func parseColour(text string) (c colour) {
	if len(text) != 7 {
		return c
	}
	for i := range c {
		n, err := strconv.ParseUint(text[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return colour{}
		}
		c[i] = float64(n)
	}
	return c
}

func (c colour) String() string {
	return fmt.Sprintf("#%02x%02x%02x", uint8(math.Round(c[0])), uint8(math.Round(c[1])), uint8(math.Round(c[2])))
}

// luminance is the relative luminance, from 0 to 1. WCAG 2.2, relative luminance
func (c colour) luminance() float64 {
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

// contrast returns the contrast of two colours, from 1 to 21. WCAG 2.2, contrast ratio
func contrast(a, b colour) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// mix returns a colour between c, for 0, and other, for 1.
func (c colour) mix(other colour, part float64) colour {
	for i := range c {
		c[i] += (other[i] - c[i]) * part
	}
	return c
}

// on returns the first colour from c towards other that can be read on a background.
func (c colour) on(background, other colour) colour {
	for part := 0.0; part < 1; part += 0.1 {
		if m := c.mix(other, part); contrast(m, background) >= readable {
			return m
		}
	}
	return other
}

// textOn returns white or nearly black, whichever can be read better on c.
func (c colour) textOn() colour {
	white, ink := colour{255, 255, 255}, parseColour("#16181a")
	if contrast(c, white) >= readable || contrast(c, white) >= contrast(c, ink) {
		return white
	}
	return ink
}
