package social

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	"enlist/internal/colour"
)

// This file draws an icon: a disc in a colour, with the line of the network on it.

// Size is the width and height of an icon in pixels. A mail shows it at half of it, so that it is sharp on all screens.
const Size = 64

const (
	unit      = Size / 24.0 // of the square of a line, in pixels
	thickness = 0.75 * unit // half of a line
	steps     = 10          // straight parts of a curve
)

// IconPath returns the path at which the server has an icon, for a colour such as #146c4f.
func (n *Network) IconPath(ground string) string {
	return PathStart + n.Name + "-" + strings.TrimPrefix(ground, "#") + ".png"
}

// PathStart is the begin of the path of each icon. Proxies already forward what begins with /f/.
const PathStart = "/f/icons/"

// Icon returns the PNG of a path that IconPath has returned, or nil.
func Icon(path string) []byte {
	name, ok := strings.CutPrefix(path, PathStart)
	if !ok {
		return nil
	}
	name, ground, ok := strings.Cut(strings.TrimSuffix(name, ".png"), "-")
	n := Called(name)
	if !ok || n == nil || n.IconPath(ground) != path || colour.Parse("#"+ground).String() != "#"+ground {
		return nil
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, n.draw(colour.Parse("#"+ground))); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

func (n *Network) draw(ground colour.Colour) image.Image {
	on := ground.TextOn()
	var away [Size * Size]float64 // square of the distance of the middle of each pixel from the line
	for i := range away {
		away[i] = Size * Size
	}
	for _, s := range lines(n.Path) {
		s.near(&away)
	}
	m := image.NewNRGBA(image.Rect(0, 0, Size, Size))
	for i := range away {
		x, y := float64(i%Size)+0.5, float64(i/Size)+0.5
		c := ground.Mix(on, cover(thickness-math.Sqrt(away[i])))
		disc := cover(Size/2 - math.Hypot(x-Size/2, y-Size/2))
		m.SetNRGBA(i%Size, i/Size, color.NRGBA{uint8(math.Round(c[0])), uint8(math.Round(c[1])), uint8(math.Round(c[2])), uint8(math.Round(255 * disc))})
	}
	return m
}

// cover returns how much of a pixel is inside of a shape whose edge is a distance away.
func cover(inside float64) float64 { return min(1, max(0, inside+0.5)) }

type point struct{ x, y float64 }

type segment struct{ from, to point }

// near writes the squares of the distances of the pixels around a segment.
func (s segment) near(away *[Size * Size]float64) {
	const around = thickness + 1
	left, right := max(0, int(min(s.from.x, s.to.x)-around)), min(Size-1, int(max(s.from.x, s.to.x)+around))
	top, bottom := max(0, int(min(s.from.y, s.to.y)-around)), min(Size-1, int(max(s.from.y, s.to.y)+around))
	dx, dy := s.to.x-s.from.x, s.to.y-s.from.y
	for y := top; y <= bottom; y++ {
		for x := left; x <= right; x++ {
			px, py := float64(x)+0.5-s.from.x, float64(y)+0.5-s.from.y
			part := min(1, max(0, (px*dx+py*dy)/(dx*dx+dy*dy)))
			px, py = px-part*dx, py-part*dy
			at := &away[y*Size+x]
			*at = min(*at, px*px+py*py)
		}
	}
}

// lines returns the straight parts of a path, in pixels.
func lines(path string) (all []segment) {
	words := strings.Fields(strings.NewReplacer("M", "M ", "L", "L ", "C", "C ").Replace(path))
	number := func() float64 {
		n, err := strconv.ParseFloat(words[0], 64)
		if err != nil {
			panic(fmt.Sprintf("social: %q in the path %q", words[0], path))
		}
		words = words[1:]
		return n * unit
	}
	var start, at point
	to := func(p point) {
		if p != at {
			all = append(all, segment{at, p})
		}
		at = p
	}
	for len(words) > 0 {
		command := words[0]
		words = words[1:]
		switch command {
		case "M":
			at = point{number(), number()}
			start = at
		case "L":
			to(point{number(), number()})
		case "C":
			from, a, b, end := at, point{number(), number()}, point{number(), number()}, point{number(), number()}
			for i := 1; i <= steps; i++ {
				t := float64(i) / steps
				u := 1 - t
				on := func(p0, p1, p2, p3 float64) float64 { return u*u*u*p0 + 3*u*u*t*p1 + 3*u*t*t*p2 + t*t*t*p3 }
				to(point{on(from.x, a.x, b.x, end.x), on(from.y, a.y, b.y, end.y)})
			}
		case "Z":
			to(start)
		default:
			panic(fmt.Sprintf("social: the command %q in the path %q", command, path))
		}
	}
	return all
}
