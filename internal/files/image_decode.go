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

// Limits of an image that is decoded. A photograph of 48 million pixels needs 72 to 144 MB.
const (
	maxPixels  = 80_000_000
	maxDecoded = 256 << 20 // bytes that its decoder needs, estimated
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
	if width > maxPixels || height > maxPixels || width*height > maxPixels {
		return nil, problem(fmt.Sprintf("has more than %d million pixels: make it smaller", maxPixels/1_000_000))
	}
	a, err := dissect(mediaType, data)
	if err != nil {
		return nil, problem("is damaged: its end is missing")
	}
	if bytesOf(mediaType, data, a)*width*height > maxDecoded {
		return nil, problem(fmt.Sprintf("has too many pixels for its kind: make it smaller than %d million pixels, or save it as a plain JPEG",
			maxDecoded/bytesOf(mediaType, data, a)/1_000_000))
	}
	return a, nil
}

// bytesOf estimates how many bytes the decoder of an image needs for a pixel. A progressive JPEG needs its coefficients too.
func bytesOf(mediaType string, data []byte, a *anatomy) int64 {
	config, err := imageHeaders[mediaType](bytes.NewReader(data))
	if err != nil {
		return 1
	}
	n := int64(4)
	switch config.ColorModel {
	case color.GrayModel:
		n = 1
	case color.YCbCrModel:
		n = 3
	case color.RGBA64Model, color.NRGBA64Model:
		n = 8
	default:
		if _, isPalette := config.ColorModel.(color.Palette); isPalette {
			n = 1
		}
	}
	switch {
	case a.isSlow && mediaType == "image/jpeg":
		return 3 * n
	case a.isSlow || mediaType == "image/webp":
		return 2 * n
	}
	return n
}

// decode decodes an image that measured has accepted. owner is the file, of which only one is decoded at a time.
func (s *Service) decode(ctx context.Context, owner enlist.FileID, mediaType string, data []byte,
	use func(image.Image) error) error {
	release, err := s.decoding.AcquireFor(ctx, int64(owner), 1)
	if errors.Is(err, limiter.ErrBusy) {
		return enlist.Refuse(enlist.Busy, "the server is busy with other images: try again")
	}
	if err != nil {
		return err
	}
	defer release()
	picture, err := decoders[mediaType](bytes.NewReader(data))
	if err != nil {
		return problem("is damaged: its pixels cannot be read")
	}
	return use(picture)
}
