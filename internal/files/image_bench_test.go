package files

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"math"
	"testing"

	"enlist/internal/enlist"
)

// BenchmarkPhotograph makes what a mail shows of a photograph of 12 million pixels.
func BenchmarkPhotograph(b *testing.B) {
	m := image.NewRGBA(image.Rect(0, 0, 4000, 3000))
	for y := range 3000 {
		for x := range 4000 {
			m.SetRGBA(x, y, color.RGBA{uint8(x * y >> 8), uint8(x >> 4), uint8(y >> 4), 255})
		}
	}
	var data bytes.Buffer
	if err := jpeg.Encode(&data, m, nil); err != nil {
		b.Fatal(err)
	}
	f := &StoredFile{ID: 1, Type: "image/jpeg"}
	b.ReportAllocs()
	for b.Loop() {
		made, _, err := shownAs(b.Context(), f, data.Bytes(), enlist.Picture{Width: 1104})
		if err != nil || len(made) == data.Len() {
			b.Fatalf("%d bytes, error %v", len(made), err)
		}
	}
}

// movingKinds are GIFs of 40 frames, of 1,200 to 800 pixels: a photograph that pans, and a drawing of few colours.
var movingKinds = map[string]func(frame int) *image.RGBA{
	"film": func(frame int) *image.RGBA {
		m := image.NewRGBA(image.Rect(0, 0, 1200, 800))
		for y := range 800 {
			for x := range 1200 {
				at := float64(x + 7*frame)
				wave := func(a, b float64) uint8 {
					return uint8(128 + 60*math.Sin(at/a)*math.Cos(float64(y)/b) + 40*math.Sin(at/11+float64(y)/13))
				}
				m.SetRGBA(x, y, color.RGBA{wave(90, 70), wave(140, 60), wave(60, 120), 255})
			}
		}
		return m
	},
	"drawing": func(frame int) *image.RGBA {
		m := image.NewRGBA(image.Rect(0, 0, 1200, 800))
		draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{240, 236, 220, 255}), image.Point{}, draw.Src)
		for i := range 6 {
			at := image.Rect(0, 0, 150, 150).Add(image.Pt(180*i+4*frame, 100+i*80))
			draw.Draw(m, at, image.NewUniform(color.RGBA{uint8(30 * i), 120, uint8(200 - 20*i), 255}), image.Point{}, draw.Src)
		}
		return m
	},
}

// BenchmarkMoving makes what a mail shows of a GIF in a column: 528 pixels of 1,200. It says how many bytes the file had, and
// the copy has.
func BenchmarkMoving(b *testing.B) {
	for _, kind := range []string{"film", "drawing"} {
		var g gif.GIF
		for i := range 40 {
			p := inColours(nil, movingKinds[kind](i), image.Rect(0, 0, 1200, 800))
			g.Image, g.Delay = append(g.Image, p), append(g.Delay, 5)
		}
		var data bytes.Buffer
		if err := gif.EncodeAll(&data, &g); err != nil {
			b.Fatal(err)
		}
		f := &StoredFile{ID: 1, Type: "image/gif"}
		b.Run(kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				made, _, err := shownAs(b.Context(), f, data.Bytes(), enlist.Picture{Width: 528})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(data.Len()), "B/before")
				b.ReportMetric(float64(len(made)), "B/after")
			}
		})
	}
}
