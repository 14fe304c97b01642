package demo

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	"enlist/internal/samples"
)

// This file has the pictures of the club.

// drawLogo draws a leaf on a disc.
func drawLogo() image.Image {
	const size = 144
	disc, leaf := color.RGBA{20, 108, 79, 255}, color.RGBA{200, 225, 210, 255}
	p := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.RGBA{}, disc, leaf})
	for y := range size {
		for x := range size {
			fx, fy := float64(x-size/2), float64(y-size/2)
			if math.Hypot(fx, fy) < size/2 {
				p.Set(x, y, disc)
			}
			if math.Hypot(fx-28, fy-4) < 54 && math.Hypot(fx+28, fy+4) < 54 {
				p.Set(x, y, leaf)
			}
		}
	}
	return p
}

// pictures are the drawings of the starting templates that the club uses, by the names of its own files.
var pictures = [][2]string{{"river.png", "river"}, {"open-gardens.png", "garden"}, {"lanterns.png", "lanterns"},
	{"sprout.png", "sprout"}, {"table.png", "table"}, {"terrace.png", "vase"}, {"reading-corner.png", "book"}}

// addPictures stores the pictures and the look of the club's mails.
func (b *builder) addPictures(ctx context.Context) error {
	var inLetters []string
	for _, p := range pictures {
		id, err := b.addPicture(ctx, p[0], samples.Picture(samples.Path(p[1])))
		if err != nil {
			return err
		}
		inLetters = append(inLetters, strconv.Quote(p[0]), id)
	}
	b.pictures = strings.NewReplacer(inLetters...)
	var logo bytes.Buffer
	if err := png.Encode(&logo, drawLogo()); err != nil {
		return err
	}
	id, err := b.addPicture(ctx, "logo.png", logo.Bytes())
	if err != nil {
		return err
	}
	return b.app.Messages.SetTheme(ctx, b.caller, details("logo_file_id", id, "logo_text", accountName,
		"logo_width", "72", "background_colour", "#f1f4ef", "imprint", imprint))
}

// addPicture stores a PNG, and returns its ID as a caller sends it.
func (b *builder) addPicture(ctx context.Context, name string, content []byte) (string, error) {
	f, err := b.app.Files.UploadImage(ctx, b.caller, name, bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(int64(f.ID), 10), nil
}
