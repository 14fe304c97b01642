package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/limiter"

	"golang.org/x/image/webp"
)

// This file decodes images within limits: the image is from outside, and a few bytes can stand for gigabytes of pixels.

// Limits of an image that is decoded. One has at most 500 MB in use: maxDecoded, 4 MiB for a strip of 16 rows of maxSide,
// 64 MB for the copy of maxShown pixels and for the turned one, and five times 33 MB for its bytes as a PNG, in a buffer that
// doubles, and as a JPEG. Its file comes to that, three times. A photograph of 48 million pixels needs 72 to 144 MB.
const (
	maxSide    = 65_535 // pixels, the most that a JPEG has
	maxPixels  = 80_000_000
	maxDecoded = 256 << 20 // bytes that its decoder needs
	maxShown   = 8_000_000 // pixels of a copy
	atOnce     = 2         // images that are decoded at the same time
	decodeWait = 10 * time.Second
)

func newDecoding() *limiter.Limiter { return limiter.NewShared(atOnce, 1, decodeWait) }

// decoders decode one image, the first one of a GIF that moves.
var decoders = map[string]func(*bytes.Reader) (image.Image, error){
	"image/jpeg": func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) },
	"image/png":  func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) },
	"image/gif":  func(r *bytes.Reader) (image.Image, error) { return gif.Decode(r) },
	"image/webp": func(r *bytes.Reader) (image.Image, error) { return webp.Decode(r) },
}

// problem is why an image is refused, as the end of a sentence that begins with its name.
type problem string

func (p problem) Error() string { return string(p) }

const notAnImage problem = "is no PNG, JPEG, GIF or WebP image"

// measured reads the structure of an image and refuses one that needs too much memory. It decodes no pixels.
func measured(mediaType string, data []byte) (*anatomy, error) {
	width, height := imageSize(mediaType, bytes.NewReader(data))
	if !ImageTypes[mediaType] || width == 0 || height == 0 {
		return nil, notAnImage
	}
	if width > maxSide || height > maxSide {
		return nil, problem("has a side of more than 65,535 pixels: make it smaller")
	}
	if width*height > maxPixels {
		return nil, problem(fmt.Sprintf("has more than %d million pixels: make it smaller", maxPixels/1_000_000))
	}
	a, err := dissect(mediaType, data)
	if err != nil {
		return nil, problem("is damaged: its end is missing")
	}
	const filled = 31 // pixels with which a decoder fills the last block of a side
	if n := bytesOf(mediaType, data, a); n*float64((width+filled)*(height+filled)) > maxDecoded {
		return nil, problem(fmt.Sprintf("has too many pixels for its kind: make it smaller than %d million pixels, or save it as a plain JPEG",
			int(maxDecoded/n/1_000_000)))
	}
	return a, nil
}

// bytesOf returns how many bytes the decoder of an image needs for a pixel, at most.
func bytesOf(mediaType string, data []byte, a *anatomy) float64 {
	config, err := imageHeaders[mediaType](bytes.NewReader(data))
	if err != nil {
		return 1
	}
	n := 4.0
	switch _, isPalette := config.ColorModel.(color.Palette); {
	case mediaType == "image/jpeg":
		n = a.samples
		if a.isSlow {
			n += 4 * a.samples // the coefficients
		}
		if config.ColorModel == color.RGBAModel || config.ColorModel == color.CMYKModel {
			n += 4 // is converted
		}
		return n
	case mediaType == "image/gif":
		return 2 // one more if its rows are interlaced
	case isPalette, config.ColorModel == color.GrayModel && !a.isClear:
		n = 1
	case config.ColorModel == color.NYCbCrAModel:
		n = 6
	case config.ColorModel == color.YCbCrModel:
		n = 3
	case config.ColorModel == color.RGBA64Model, config.ColorModel == color.NRGBA64Model,
		config.ColorModel == color.Gray16Model && a.isClear:
		n = 8
	}
	if a.isSlow || mediaType == "image/webp" {
		n *= 2
	}
	return n
}

// slot waits until one more image may be decoded. owner is the file, of which only one is decoded at a time. Errors: Busy.
func (s *Service) slot(ctx context.Context, owner enlist.FileID) (release func(), err error) {
	release, err = s.decoding.AcquireFor(ctx, int64(owner), 1)
	if errors.Is(err, limiter.ErrBusy) {
		return nil, enlist.Refuse(enlist.Busy, "the server is busy with other images: try again")
	}
	return release, err
}

// decode decodes an image that measured has accepted. The caller has a slot.
func decode(mediaType string, data []byte, use func(image.Image) error) error {
	picture, err := decoders[mediaType](bytes.NewReader(data))
	if err != nil {
		return problem("is damaged: its pixels cannot be read")
	}
	return use(picture)
}
