package files

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"

	"enlist/internal/enlist"
)

// This file makes an image smaller, cuts it, turns it as the camera says, and encodes it.

// isTurned reports whether an orientation exchanges width and height.
func isTurned(orientation int) bool { return orientation >= 5 }

// area returns the part of an image as it is stored that a crop of the turned image means.
func area(b image.Rectangle, crop string, orientation int) image.Rectangle {
	width, height := b.Dx(), b.Dy()
	if isTurned(orientation) {
		width, height = height, width
	}
	x, y, w, h := enlist.CropOf(crop, width, height)
	r := image.Rect(x, y, x+w, y+h)
	switch orientation { // back to how the pixels are stored
	case 2:
		r = image.Rect(width-x-w, y, width-x, y+h)
	case 3:
		r = image.Rect(width-x-w, height-y-h, width-x, height-y)
	case 4:
		r = image.Rect(x, height-y-h, x+w, height-y)
	case 5:
		r = image.Rect(y, x, y+h, x+w)
	case 6:
		r = image.Rect(y, width-x-w, y+h, width-x)
	case 7:
		r = image.Rect(height-y-h, width-x-w, height-y, width-x)
	case 8:
		r = image.Rect(height-y-h, x, height-y, x+w)
	}
	return r.Add(b.Min).Intersect(b)
}

// shrink returns a part of an image in a smaller size. Each of its pixels is the mean of the pixels below it, so that
// memory is needed for a few rows only. Others would keep four numbers for each row of the large image.
func shrink(source image.Image, part image.Rectangle, width, height int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	if width == part.Dx() && height == part.Dy() {
		draw.Draw(out, out.Bounds(), source, part.Min, draw.Src)
		return out
	}
	strip := min(16, part.Dy()) // rows that are converted together
	rows := image.NewRGBA(image.Rect(0, 0, part.Dx(), strip))
	sums, line := make([]float32, 4*width), make([]float32, 4*width)
	stepX, stepY := float64(part.Dx())/float64(width), float64(part.Dy())/float64(height)
	target, left := 0, stepY // the row of the result, and how much of the source it still needs
	for y := range part.Dy() {
		if y%strip == 0 {
			draw.Draw(rows, rows.Bounds(), source, part.Min.Add(image.Pt(0, y)), draw.Src)
		}
		across(rows.Pix[(y%strip)*rows.Stride:], part.Dx(), line, stepX)
		for rest := 1.0; rest > 1e-9 && target < height; {
			use := min(rest, left)
			for i, v := range line {
				sums[i] += v * float32(use)
			}
			rest, left = rest-use, left-use
			if left < 1e-6 || y == part.Dy()-1 && rest <= 1e-9 {
				row, scale := out.Pix[target*out.Stride:], float32(1/(stepX*stepY))
				for i, v := range sums {
					row[i], sums[i] = uint8(min(255, v*scale+0.5)), 0
				}
				target, left = target+1, stepY
			}
		}
	}
	return out
}

// across adds the pixels of a row to the columns of the result. The pixels at the edges of a column count in part.
func across(row []uint8, width int, line []float32, step float64) {
	for at := range len(line) / 4 {
		from, to := float64(at)*step, min(float64(at+1)*step, float64(width))
		first, last := int(from), min(int(to), width-1)
		var r, g, b, a uint32
		for x := first; x < last; x++ {
			p := row[4*x : 4*x+4 : 4*x+4]
			r, g, b, a = r+uint32(p[0]), g+uint32(p[1]), b+uint32(p[2]), a+uint32(p[3])
		}
		without, with := float32(from-float64(first)), float32(to-float64(last)) // of the first and the last pixel
		p, q := row[4*first:4*first+4:4*first+4], row[4*last:4*last+4:4*last+4]
		line[4*at] = float32(r) - without*float32(p[0]) + with*float32(q[0])
		line[4*at+1] = float32(g) - without*float32(p[1]) + with*float32(q[1])
		line[4*at+2] = float32(b) - without*float32(p[2]) + with*float32(q[2])
		line[4*at+3] = float32(a) - without*float32(p[3]) + with*float32(q[3])
	}
}

// turn returns an image as the orientation says.
func turn(m *image.RGBA, orientation int) *image.RGBA {
	if orientation == 1 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	to := func(x, y int) (int, int) {
		switch orientation {
		case 2:
			return w - 1 - x, y
		case 3:
			return w - 1 - x, h - 1 - y
		case 4:
			return x, h - 1 - y
		case 5:
			return y, x
		case 6:
			return h - 1 - y, x
		case 7:
			return h - 1 - y, w - 1 - x
		}
		return y, w - 1 - x
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if isTurned(orientation) {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			tx, ty := to(x, y)
			copy(out.Pix[ty*out.Stride+4*tx:][:4], m.Pix[y*m.Stride+4*x:][:4])
		}
	}
	return out
}

// picture returns a decoded image as a mail shows it, and its media type.
func picture(source image.Image, mediaType string, a *anatomy, as enlist.Picture) ([]byte, string, error) {
	part := area(source.Bounds(), as.Crop, a.orientation)
	width, height := part.Dx(), part.Dy()
	most := int(as.Width)
	if isTurned(a.orientation) { // the width of the result is this height
		if most > 0 && height > most {
			width, height = max(1, width*most/height), most
		}
	} else if most > 0 && width > most {
		width, height = most, max(1, height*most/width)
	}
	if n := width * height; n > maxShown {
		factor := math.Sqrt(float64(maxShown) / float64(n))
		width, height = max(1, int(float64(width)*factor)), max(1, int(float64(height)*factor))
	}
	made := turn(shrink(source, part, width, height), a.orientation)
	return encode(made, mediaType, a.colours)
}

// jpegQuality is the quality from which more makes files larger, and no picture better, at twice the shown width.
const jpegQuality = 82

// encode encodes an image. One with transparent parts, and one with few colours, becomes a PNG: a PNG stays one unless a
// JPEG has less than half of its bytes.
func encode(m *image.RGBA, from string, colours []byte) ([]byte, string, error) {
	isOpaque := m.Opaque()
	var asJPEG, asPNG bytes.Buffer
	if isOpaque {
		if err := jpeg.Encode(&asJPEG, m, &jpeg.Options{Quality: jpegQuality}); err != nil {
			return nil, "", fmt.Errorf("encode an image: %w", err)
		}
		if from == "image/jpeg" {
			return withProfile(asJPEG.Bytes(), 2, colours), "image/jpeg", nil
		}
		if from == "image/webp" {
			return asJPEG.Bytes(), "image/jpeg", nil
		}
	}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&asPNG, m); err != nil {
		return nil, "", fmt.Errorf("encode an image: %w", err)
	}
	if isOpaque && 2*asJPEG.Len() < asPNG.Len() && len(colours) == 0 {
		return asJPEG.Bytes(), "image/jpeg", nil
	}
	if from != "image/png" {
		colours = nil
	}
	const afterHeader = 8 + 12 + 13 // of a PNG
	return withProfile(asPNG.Bytes(), afterHeader, colours), "image/png", nil
}

// withProfile inserts a colour profile. Without it, photographs of many telephones would lose their colours.
func withProfile(data []byte, at int, profile []byte) []byte {
	if len(profile) == 0 {
		return data
	}
	return append(append(append(make([]byte, 0, len(data)+len(profile)), data[:at]...), profile...), data[at:]...)
}
