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

	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file draws the pictures of the club, and makes Messages of blocks with them.

const (
	pictureWidth  = 1104 // twice the room in a mail, for sharp screens
	pictureHeight = 440
)

// drawGarden draws hills, a sun and a row of flowers.
func drawGarden() image.Image {
	sky, sun := color.RGBA{214, 232, 240, 255}, color.RGBA{245, 205, 90, 255}
	far, near := color.RGBA{140, 184, 150, 255}, color.RGBA{84, 140, 98, 255}
	petals := []color.RGBA{{214, 90, 98, 255}, {240, 180, 70, 255}, {150, 110, 180, 255}}
	colours := append(color.Palette{sky, sun, far, near}, petals[0], petals[1], petals[2])
	p := image.NewPaletted(image.Rect(0, 0, pictureWidth, pictureHeight), colours)
	for y := range pictureHeight {
		for x := range pictureWidth {
			fx, fy := float64(x), float64(y)
			c := sky
			if math.Hypot(fx-880, fy-110) < 62 {
				c = sun
			}
			if fy > 230+50*math.Sin(fx/190) {
				c = far
			}
			if fy > 320+34*math.Sin(fx/150+2) {
				c = near
			}
			if n := x / 92; math.Hypot(fx-float64(92*n+46), fy-385+18*math.Sin(float64(n)*2)) < 19 {
				c = petals[n%len(petals)]
			}
			p.Set(x, y, c)
		}
	}
	return p
}

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

// addPictures stores the pictures and the look of the club's mails.
func (b *builder) addPictures(ctx context.Context) (err error) {
	if b.garden, err = b.addPicture(ctx, "open-gardens.png", drawGarden()); err != nil {
		return err
	}
	logo, err := b.addPicture(ctx, "logo.png", drawLogo())
	if err != nil {
		return err
	}
	return b.app.Messages.SetTheme(ctx, b.caller, details("logo_file_id", strconv.FormatInt(int64(logo), 10),
		"logo_text", accountName, "logo_width", "72", "background_colour", "#f1f4ef",
		"imprint", accountName+"\n4 Fern Street, Fern Valley VIC 3999"))
}

func (b *builder) addPicture(ctx context.Context, name string, picture image.Image) (enlist.FileID, error) {
	var content bytes.Buffer
	if err := png.Encode(&content, picture); err != nil {
		return 0, err
	}
	f, err := b.app.Files.UploadImage(ctx, b.caller, name, &content)
	if err != nil {
		return 0, err
	}
	return f.ID, nil
}

// blocks returns the Message as blocks.
func (b *builder) blocks(s *send) string {
	all := []messages.Block{{Type: messages.BlockHeading, Text: s.name},
		{Type: messages.BlockImage, File: b.garden, Alt: "Flowers in front of green hills", Link: s.links[0].url},
		{Type: messages.BlockText, Text: "Dear {{First Name|friend}},\n\n" + strings.Join(s.paragraphs, "\n\n")},
		{Type: messages.BlockButton, Text: s.links[0].text, Link: s.links[0].url}, {Type: messages.BlockLine}}
	columns := messages.Block{Type: messages.BlockColumns}
	for i, l := range s.links[1:] {
		text := messages.Block{Type: messages.BlockText, Text: "[" + l.text + "](" + l.url + ")"}
		if i%2 == 0 {
			columns.Left = append(columns.Left, text)
		} else {
			columns.Right = append(columns.Right, text)
		}
	}
	end := messages.Block{Type: messages.BlockText, Text: "Your " + accountName}
	return messages.EncodeBlocks(append(all, columns, end))
}
