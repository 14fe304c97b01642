package files

import (
	"image/color"
	"slices"
)

// This file chooses the colours of a frame of a GIF, by median cut: the colours are divided into boxes with about as many
// pixels, and each box becomes their mean.

const (
	binBits    = 5   // of red, green and blue: colours that are nearly equal count as one
	maxColours = 255 // and one that is transparent, which is the first
)

// bin returns the number of the bin of a colour.
func bin(pixel []uint8) int {
	const drop = 8 - binBits
	return int(pixel[0]>>drop)<<(2*binBits) | int(pixel[1]>>drop)<<binBits | int(pixel[2]>>drop)
}

// shade has the pixels of a bin.
type shade struct {
	bin  int
	n    int
	sums [3]int
}

func (s shade) mean(i int) int { return s.sums[i] / s.n }

// palette counts colours and chooses some of them.
type palette struct {
	shades [1 << (3 * binBits)]shade
	index  [1 << (3 * binBits)]uint8 // of the chosen colour
}

func (p *palette) count(pixel []uint8) {
	s := &p.shades[bin(pixel)]
	s.n++
	for i := range s.sums {
		s.sums[i] += int(pixel[i])
	}
}

// choose returns the transparent colour and the chosen ones.
func (p *palette) choose() color.Palette {
	var used []shade
	for i := range p.shades {
		if s := &p.shades[i]; s.n > 0 {
			s.bin = i
			used = append(used, *s)
		}
	}
	chosen := color.Palette{color.RGBA{}}
	for _, b := range boxes(used) {
		var n int
		var sums [3]int
		for _, s := range b.shades {
			n += s.n
			for i := range sums {
				sums[i] += s.sums[i]
			}
			p.index[s.bin] = uint8(len(chosen))
		}
		chosen = append(chosen, color.RGBA{uint8(sums[0] / n), uint8(sums[1] / n), uint8(sums[2] / n), 255})
	}
	return chosen
}

// box has shades that become one colour.
type box struct {
	shades []shade
	axis   int // in which they differ most
	weight int // by how much, times the number of pixels
}

func newBox(shades []shade) box {
	b := box{shades: shades}
	n := 0
	for i := range shades {
		n += shades[i].n
	}
	for axis := range 3 {
		byAxis := func(a, b shade) int { return a.mean(axis) - b.mean(axis) }
		width := slices.MaxFunc(shades, byAxis).mean(axis) - slices.MinFunc(shades, byAxis).mean(axis)
		if weight := width * n; weight > b.weight {
			b.axis, b.weight = axis, weight
		}
	}
	return b
}

// boxes divides shades into at most maxColours boxes.
func boxes(shades []shade) (all []box) {
	if len(shades) == 0 {
		return nil
	}
	for all = []box{newBox(shades)}; len(all) < maxColours; {
		widest := 0
		for i := range all {
			if all[i].weight > all[widest].weight {
				widest = i
			}
		}
		b := all[widest]
		if b.weight == 0 {
			break // each shade has a box
		}
		slices.SortFunc(b.shades, func(x, y shade) int { return x.mean(b.axis) - y.mean(b.axis) })
		at := b.middle()
		all[widest] = newBox(b.shades[:at])
		all = append(all, newBox(b.shades[at:]))
	}
	return all
}

// middle returns the shade at which half of the pixels of a box begin. Both halves have one at least.
func (b *box) middle() int {
	n, half := 0, 0
	for i := range b.shades {
		half += b.shades[i].n
	}
	for i := range b.shades {
		if n += b.shades[i].n; 2*n >= half {
			return min(max(1, i), len(b.shades)-1)
		}
	}
	return len(b.shades) - 1
}
