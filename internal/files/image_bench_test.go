package files

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
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
		made, _, err := shownAs(f, data.Bytes(), enlist.Picture{Width: 1104})
		if err != nil || len(made) == data.Len() {
			b.Fatalf("%d bytes, error %v", len(made), err)
		}
	}
}
