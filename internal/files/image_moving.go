package files

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/gif"

	"enlist/internal/enlist"
)

// This file makes a GIF that moves smaller, or cuts it, with all of its frames. A frame can replace a part of the one before
// it, so each is drawn as a whole, made smaller, and stored as what differs from the one before. A WebP that moves stays as
// it is: no library for Go decodes its frames within these limits.

// Limits of a GIF that is made smaller. Beyond them it is sent as it is.
const (
	maxFrames = 1_000
	maxMoved  = 60_000_000 // pixels of all frames, each as large as the whole: some seconds, and a byte each in memory
)

// isSmall reports whether a GIF that moves is within the limits. The whole and what was below a frame are in memory with four
// bytes a pixel.
func (a *anatomy) isSmall(width, height int64) bool {
	return a.frames <= maxFrames && width*height <= maxShown && int64(a.frames)*width*height <= maxMoved && a.moved <= maxMoved
}

// movingPicture returns a GIF that moves as a mail shows it, or the same bytes if that has not fewer of them.
func movingPicture(ctx context.Context, data []byte, as enlist.Picture) ([]byte, error) {
	all, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil || all.Config.Width == 0 || all.Config.Height == 0 {
		return data, nil // browsers may show it
	}
	whole := image.Rect(0, 0, all.Config.Width, all.Config.Height)
	part := area(whole, as.Crop, 1)
	width, height := part.Dx(), part.Dy()
	if most := int(as.Width); most > 0 && width > most {
		width, height = most, max(1, height*most/width)
	}
	m := &mover{screen: image.NewRGBA(whole), made: gif.GIF{LoopCount: all.LoopCount}}
	for i, frame := range all.Image {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		below := m.draw(frame, all.Disposal[i])
		m.add(withoutHalves(shrink(m.screen, part, width, height)), all.Delay[i])
		m.dispose(below, frame.Rect, all.Disposal[i])
		all.Image[i] = nil // its memory is free
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &m.made); err != nil {
		return nil, fmt.Errorf("encode an image: %w", err)
	}
	if b.Len() >= len(data) && as.Crop == "" {
		return data, nil
	}
	return b.Bytes(), nil
}

// mover makes the frames of a GIF.
type mover struct {
	screen *image.RGBA // what is shown of the large one
	shown  *image.RGBA // and of the small one; nil: nothing
	made   gif.GIF
}

// draw draws a frame. It returns what was below it, if that comes back after the frame.
func (m *mover) draw(frame *image.Paletted, disposal byte) (below *image.RGBA) {
	if disposal == gif.DisposalPrevious {
		below = image.NewRGBA(frame.Rect)
		draw.Draw(below, frame.Rect, m.screen, frame.Rect.Min, draw.Src)
	}
	draw.Draw(m.screen, frame.Rect, frame, frame.Rect.Min, draw.Over)
	return below
}

func (m *mover) dispose(below *image.RGBA, place image.Rectangle, disposal byte) {
	switch disposal {
	case gif.DisposalPrevious:
		draw.Draw(m.screen, place, below, place.Min, draw.Src)
	case gif.DisposalBackground:
		draw.Draw(m.screen, place, image.Transparent, image.Point{}, draw.Src)
	}
}

// add adds a small frame.
func (m *mover) add(now *image.RGBA, delay int) {
	place, clears := differs(m.shown, now)
	if clears { // only the end of a frame as large as the screen makes all pixels transparent again
		last := len(m.made.Image) - 1
		m.made.Image[last], m.made.Disposal[last] = inColours(nil, m.shown, m.shown.Rect), gif.DisposalBackground
		m.shown, place = nil, now.Rect
	}
	if place.Empty() {
		m.made.Delay[len(m.made.Delay)-1] += delay
		return
	}
	m.made.Image = append(m.made.Image, inColours(m.shown, now, place))
	m.made.Delay, m.made.Disposal = append(m.made.Delay, delay), append(m.made.Disposal, gif.DisposalNone)
	m.shown = now
}

// withoutHalves makes whole colours of those that are half transparent: a GIF has no others, and image.RGBA has them darker.
func withoutHalves(now *image.RGBA) *image.RGBA {
	for i := 0; i < len(now.Pix); i += 4 {
		pixel := now.Pix[i:][:4]
		if alpha := int(pixel[3]); !isClear(pixel) && alpha < 255 {
			for c := range 3 {
				pixel[c] = uint8(min(255, int(pixel[c])*255/alpha))
			}
			pixel[3] = 255
		}
	}
	return now
}

// isClear reports whether a GIF shows a pixel as transparent.
func isClear(pixel []uint8) bool { return pixel[3] < 128 }

func isSame(a, b []uint8) bool {
	return isClear(a) && isClear(b) || a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && isClear(a) == isClear(b)
}

// differs returns where two frames differ, and whether a pixel becomes transparent.
func differs(before, now *image.RGBA) (place image.Rectangle, clears bool) {
	if before == nil {
		return now.Rect, false
	}
	for y := range now.Rect.Dy() {
		for x := range now.Rect.Dx() {
			a, b := before.Pix[y*before.Stride+4*x:][:4], now.Pix[y*now.Stride+4*x:][:4]
			if !isSame(a, b) {
				place = place.Union(image.Rect(x, y, x+1, y+1))
				clears = clears || isClear(b)
			}
		}
	}
	return place, clears
}

// inColours returns a part of a frame in at most 255 colours. Pixels that are as before are transparent: they compress well.
func inColours(before, now *image.RGBA, place image.Rectangle) *image.Paletted {
	p := new(palette)
	each := func(do func(x, y int, pixel []uint8)) {
		for y := place.Min.Y; y < place.Max.Y; y++ {
			for x := place.Min.X; x < place.Max.X; x++ {
				pixel := now.Pix[y*now.Stride+4*x:][:4]
				if !isClear(pixel) && (before == nil || !isSame(before.Pix[y*before.Stride+4*x:][:4], pixel)) {
					do(x, y, pixel)
				}
			}
		}
	}
	each(func(_, _ int, pixel []uint8) { p.count(pixel) })
	made := image.NewPaletted(place, p.choose())
	each(func(x, y int, pixel []uint8) { made.Pix[made.PixOffset(x, y)] = p.index[bin(pixel)] })
	return made
}
