package files_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file tests images as mails show them.

// covers: decision 164
func TestImages(t *testing.T) {
	apptest.Run(t, apptest.Own, newFileFixture, []apptest.Rule[*fileFixture]{
		{Name: "an upload loses its metadata and keeps its pixels", Test: uploadLosesMetadata},
		{Name: "a picture is at most as wide as the mail asks, turned and cut", Test: pictureIsTurnedAndCut},
		{Name: "an image that moves keeps moving", Test: movingImage},
		{Name: "a GIF that moves is made smaller with all that its frames show", Test: movingIsMadeSmaller},
		{Name: "a GIF of more pixels than the limit stays as it is", Test: movingBeyondTheLimit},
		{Name: "edges of a GIF that moves keep their colour", Test: movingEdges},
		{Name: "an inline image is as narrow as the widest mail", Test: inlineImage},
		{Name: "a WebP is sent as a JPEG or a PNG", Test: webpIsConverted},
		{Name: "a hostile image is refused with its reason", Test: hostileImages},
		{Name: "an image that a program has stored is shown as it is, if it cannot be decoded", Test: brokenImageOfAProgram},
		{Name: "an image has at most 20 copies, which are removed with it", Test: copiesAreRemoved},
		{Name: "the original can be removed", Test: originalIsRemoved},
		{Name: "a copy of a very high image has at most 8 million pixels", Test: highImage},
		{Name: "of 30 first readers at once, one decodes the image and all get its copy", Test: firstReaders},
		{Name: "copies whose file is gone or has other content are removed", Test: staleCopies},
		{Name: "a mail counts each image once, and none of another Account", Test: sizeOfPictures},
	})
}

// quadrants returns an image whose quarters have the colours red, green, blue and white, from left to right and down.
func quadrants(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			colours := []color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}}
			m.SetRGBA(x, y, colours[2*(2*y/height)+2*x/width])
		}
	}
	return m
}

// photo returns a JPEG with an orientation, a place and a comment.
func photo(f testing.TB, m image.Image, orientation int) []byte {
	f.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		f.Fatal(err)
	}
	exif := "Exif\x00\x00II*\x00\x08\x00\x00\x00\x02\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string(rune(orientation)) +
		"\x00\x00\x00\x0f\x01\x02\x00\x06\x00\x00\x00\x26\x00\x00\x00\x00\x00\x00\x00SECRET place"
	segment := func(marker byte, text string) []byte {
		return append([]byte{0xff, marker, 0, byte(len(text) + 2)}, text...)
	}
	data := slices.Concat(b.Bytes()[:2], segment(0xe1, exif), segment(0xfe, "SECRET comment"), segment(0xe2, "ICC_PROFILE\x00colours"),
		b.Bytes()[2:])
	return append(data, "SECRET second image"...)
}

// withText returns a PNG with a text.
func withText(f testing.TB, m image.Image) []byte {
	f.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		f.Fatal(err)
	}
	chunk := append([]byte("tEXt"), "Comment\x00SECRET"...)
	text := binary.BigEndian.AppendUint32(append(binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4)), chunk...), crc32.ChecksumIEEE(chunk))
	return slices.Concat(b.Bytes()[:33], text, b.Bytes()[33:])
}

// moving returns a GIF of two frames with a comment.
func moving(f testing.TB, width, height int) []byte {
	f.Helper()
	var g gif.GIF
	for i := range 2 {
		m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
		m.SetColorIndex(0, 0, uint8(i))
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		f.Fatal(err)
	}
	data := b.Bytes()
	return slices.Concat(data[:len(data)-1], []byte("\x21\xfe\x06SECRET\x00"), data[len(data)-1:])
}

// webp is a lossless WebP of 16 × 8 transparent pixels.
const webp = "UklGRhoAAABXRUJQVlA4TA0AAAAvD8ABEAcQERGIiP4HAA=="

func (f *fileFixture) uploadImage(name string, data []byte) (*files.StoredFile, error) {
	added, err := f.App.Files.UploadImage(f.Context(), f.Caller, name, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return f.file(added.ID), nil
}

func (f *fileFixture) picture(file *files.StoredFile, width int64, crop string) (*files.StoredFile, image.Image) {
	f.Helper()
	shown, err := f.App.Files.Picture(f.Context(), file, enlist.Picture{File: file.ID, Width: width, Crop: crop})
	f.Must(err)
	m, _, err := image.Decode(bytes.NewReader(f.content(shown)))
	f.Must(err)
	return shown, m
}

func uploadLosesMetadata(f *fileFixture) {
	for name, data := range map[string][]byte{"a.jpg": photo(f, quadrants(40, 20), 6), "a.png": withText(f, quadrants(40, 20)),
		"a.gif": moving(f, 40, 20)} {
		file, err := f.uploadImage(name, data)
		f.Must(err)
		stored := f.content(file)
		if bytes.Contains(stored, []byte("SECRET")) || !bytes.Contains(data, []byte("SECRET")) {
			f.Errorf("%s still has its metadata: %q", name, stored)
		}
		if name == "a.jpg" && (!bytes.Contains(stored, []byte("ICC_PROFILE")) || file.ImageWidth != 20 || file.ImageHeight != 40) {
			f.Errorf("%s has %d × %d pixels, want 20 × 40, and a profile: %q", name, file.ImageWidth, file.ImageHeight, stored[:60])
		}
		before, _, err := image.Decode(bytes.NewReader(data))
		f.Must(err)
		after, _, err := image.Decode(bytes.NewReader(stored))
		f.Must(err)
		if fmt.Sprint(before) != fmt.Sprint(after) {
			f.Errorf("the pixels of %s changed", name)
		}
	}
}

// letters returns the colours of the quarters of an image as letters.
func letters(m image.Image) string {
	var b strings.Builder
	r := m.Bounds()
	for _, at := range []image.Point{{1, 1}, {3, 1}, {1, 3}, {3, 3}} {
		red, green, blue, _ := m.At(r.Min.X+r.Dx()*at.X/4, r.Min.Y+r.Dy()*at.Y/4).RGBA()
		index := 0
		for i, on := range []bool{red > 0x8000, green > 0x8000, blue > 0x8000} {
			if on {
				index |= 1 << i
			}
		}
		b.WriteByte(".RG.B..W"[index])
	}
	return b.String()
}

func pictureIsTurnedAndCut(f *fileFixture) {
	for orientation, want := range []string{1: "RGBW", 2: "GRWB", 3: "WBGR", 4: "BWRG", 5: "RBGW", 6: "BRWG", 7: "WGBR", 8: "GWRB"} {
		if want == "" {
			continue
		}
		file := f.file(f.upload("photo.jpg", photo(f, quadrants(160, 80), orientation), ""))
		shown, m := f.picture(file, 40, "")
		width, height := 40, 20
		if orientation >= 5 {
			height = 80
		}
		if got := letters(m); got != want || m.Bounds().Dx() != width || m.Bounds().Dy() != height {
			f.Errorf("orientation %d is shown as %s, %v; want %s, %d × %d", orientation, got, m.Bounds(), want, width, height)
		}
		if stored := f.content(shown); bytes.Contains(stored, []byte("SECRET")) || !bytes.Contains(stored, []byte("ICC_PROFILE")) {
			f.Errorf("the copy has metadata, or no profile")
		}
		corner := "0,0,50,50" // the first quarter
		if _, m = f.picture(file, 400, corner); letters(m) != strings.Repeat(want[:1], 4) || m.Bounds().Dx() != int(file.ImageWidth)/2 {
			f.Errorf("orientation %d, cut: %s, %v", orientation, letters(m), m.Bounds())
		}
		if _, m = f.picture(file, 30, "1:1"); m.Bounds().Dx() != 30 || m.Bounds().Dy() != 30 || letters(m) != want {
			f.Errorf("orientation %d, square: %s, %v", orientation, letters(m), m.Bounds())
		}
	}
	file, err := f.uploadImage("clear.png", withText(f, image.NewNRGBA(image.Rect(0, 0, 300, 200))))
	f.Must(err)
	if shown, m := f.picture(file, 100, ""); shown.Type != "image/png" || m.Bounds().Dx() != 100 {
		f.Errorf("a transparent image is shown as %s, %v", shown.Type, m.Bounds())
	}
	if shown, _ := f.picture(file, 1000, ""); shown.Content != file.Content {
		f.Errorf("an image that needs no change has a copy")
	}
}

func movingImage(f *fileFixture) {
	file := f.file(f.upload("moving.gif", moving(f, 400, 300), ""))
	shown, _ := f.picture(file, 100, "")
	all, err := gif.DecodeAll(bytes.NewReader(f.content(shown)))
	f.Must(err)
	if len(all.Image) != 2 || bytes.Contains(f.content(shown), []byte("SECRET")) {
		f.Errorf("the copy has %d frames, want 2, and no comment", len(all.Image))
	}
}

// frames returns a GIF of 400 to 200 pixels: a red and a green half, a blue square that comes, and goes by a disposal, and at
// last a hole in the middle.
func frames(f testing.TB, times int) []byte {
	f.Helper()
	colours := color.Palette{color.RGBA{}, color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 255, 255}}
	fill := func(m *image.Paletted, at image.Rectangle, index uint8) *image.Paletted {
		for y := at.Min.Y; y < at.Max.Y; y++ {
			for x := at.Min.X; x < at.Max.X; x++ {
				m.SetColorIndex(x, y, index)
			}
		}
		return m
	}
	whole, square := image.Rect(0, 0, 400, 200), image.Rect(40, 40, 120, 120)
	halves := fill(fill(image.NewPaletted(whole, colours), whole, 1), image.Rect(200, 0, 400, 200), 2)
	holed := fill(fill(image.NewPaletted(whole, colours), whole, 1), image.Rect(160, 80, 240, 120), 0)
	var g gif.GIF
	for range times {
		for _, one := range []struct {
			m        *image.Paletted
			disposal byte
		}{{halves, gif.DisposalNone}, {fill(image.NewPaletted(square, colours), square, 3), gif.DisposalPrevious}, {fill(image.NewPaletted(image.Rect(0, 0, 2, 2), colours), image.Rect(0, 0, 2, 2), 2), gif.DisposalNone},
			{fill(image.NewPaletted(whole, colours), whole, 2), gif.DisposalBackground}, {holed, gif.DisposalBackground}} {
			g.Image, g.Delay, g.Disposal = append(g.Image, one.m), append(g.Delay, 7), append(g.Disposal, one.disposal)
		}
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

// screens returns what a GIF shows after each frame, as browsers draw it.
func screens(f testing.TB, data []byte) (all []*image.RGBA, delays []int) {
	f.Helper()
	g, err := gif.DecodeAll(bytes.NewReader(data))
	if err != nil {
		f.Fatal(err)
	}
	screen := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	for i, m := range g.Image {
		before := image.NewRGBA(screen.Rect)
		draw.Draw(before, screen.Rect, screen, image.Point{}, draw.Src)
		draw.Draw(screen, m.Rect, m, m.Rect.Min, draw.Over)
		shown := image.NewRGBA(screen.Rect)
		draw.Draw(shown, screen.Rect, screen, image.Point{}, draw.Src)
		all = append(all, shown)
		switch g.Disposal[i] {
		case gif.DisposalPrevious:
			screen = before
		case gif.DisposalBackground:
			draw.Draw(screen, m.Rect, image.Transparent, image.Point{}, draw.Src)
		}
	}
	return all, g.Delay
}

func movingIsMadeSmaller(f *fileFixture) {
	file := f.file(f.upload("frames.gif", frames(f, 4), ""))
	for _, c := range []struct {
		crop   string
		points []image.Point // in the large one: halves, square, corner and hole
		scale  int
		size   image.Point
	}{{"", []image.Point{{20, 180}, {380, 20}, {80, 80}, {200, 100}}, 4, image.Pt(100, 50)}, {"0,0,50,100", []image.Point{{20, 180}, {80, 80}}, 2, image.Pt(100, 100)}} {
		shown, _ := f.picture(file, 100, c.crop)
		large, delays := screens(f, f.content(file))
		small, smallDelays := screens(f, f.content(shown))
		if small[0].Rect.Size() != c.size || len(small) != len(large) || !slices.Equal(delays, smallDelays) || shown.Size >= file.Size {
			f.Fatalf("the copy has %d frames of %v in %d bytes, want %d of %v and less than %d", len(small), small[0].Rect, shown.Size, len(large), c.size, file.Size)
		}
		for i := range large {
			for _, p := range c.points {
				if got, want := small[i].RGBAAt(p.X/c.scale, p.Y/c.scale), large[i].RGBAAt(p.X, p.Y); got != want {
					f.Errorf("frame %d has %v at %v, want %v", i, got, p, want)
				}
			}
		}
	}
}

func movingBeyondTheLimit(f *fileFixture) {
	for _, c := range []struct{ frames, width, height int }{{20, 2000, 1600}, {2, 8000, 1001}} { // all frames, and one
		g := gif.GIF{Config: image.Config{Width: c.width, Height: c.height}}
		for i := range c.frames {
			g.Image, g.Delay = append(g.Image, image.NewPaletted(image.Rect(0, 0, 1, 1+i%2), color.Palette{color.Black})), append(g.Delay, 5)
		}
		var b bytes.Buffer
		f.Must(gif.EncodeAll(&b, &g))
		file := f.file(f.upload("large.gif", b.Bytes(), ""))
		if shown, _ := f.picture(file, 100, ""); shown.Size != file.Size {
			f.Errorf("the copy of %d frames has %d bytes, want the %d of the file", c.frames, shown.Size, file.Size)
		}
	}
}

// movingEdges has white bars on a transparent ground. Where a bar ends inside a pixel of the copy, the pixel is white too.
func movingEdges(f *fileFixture) {
	g := gif.GIF{Config: image.Config{Width: 400, Height: 100}}
	for i := range 2 {
		bars := image.NewPaletted(image.Rect(0, 0, 400, 100), color.Palette{color.Transparent, color.White})
		for at := range bars.Pix {
			bars.Pix[at] = uint8((at%400 + i) / 7 % 2)
		}
		g.Image, g.Delay, g.Disposal = append(g.Image, bars), append(g.Delay, 5), append(g.Disposal, gif.DisposalBackground)
	}
	var b bytes.Buffer
	f.Must(gif.EncodeAll(&b, &g))
	shown, _ := f.picture(f.file(f.upload("bars.gif", b.Bytes(), "")), 100, "")
	small, _ := screens(f, f.content(shown))
	white := 0
	for at := 0; at < len(small[0].Pix); at += 4 {
		if pixel := small[0].Pix[at:][:4]; pixel[3] != 0 {
			white++
			if pixel[0] < 250 {
				f.Fatalf("pixel %d is %v, want white", at/4, pixel)
			}
		}
	}
	if small[0].Rect.Dx() != 100 || white == 0 {
		f.Errorf("the copy of %v has %d white pixels", small[0].Rect, white)
	}
}

func inlineImage(f *fileFixture) {
	file := f.file(f.upload("wide.jpg", photo(f, quadrants(2400, 40), 1), ""))
	content, mediaType, size, err := f.App.Files.InlineImage(f.Context(), file.ID, file.Content)
	f.Must(err)
	shown := *file
	shown.Content, shown.Size = content, size
	if c, err := jpeg.DecodeConfig(bytes.NewReader(f.content(&shown))); err != nil || c.Width != 1800 || mediaType != "image/jpeg" || bytes.Contains(f.content(&shown), []byte("SECRET")) {
		f.Errorf("the mail contains a %s of %d pixels, %v, want a JPEG of 1800 without its comment", mediaType, c.Width, err)
	}
	if _, _, _, err := f.App.Files.InlineImage(f.Context(), file.ID, file.Content+1); enlist.KindOf(err) != enlist.NotFound {
		f.Errorf("other content is answered with %v, want NotFound", err)
	}
}

func webpIsConverted(f *fileFixture) {
	data, err := base64.StdEncoding.DecodeString(webp)
	f.Must(err)
	file, err := f.uploadImage("a.webp", data)
	f.Must(err)
	if shown, m := f.picture(file, 100, ""); shown.Type != "image/png" || shown.Name != "a.png" || m.Bounds().Dx() != 16 {
		f.Errorf("a WebP is shown as %s %s, %v", shown.Name, shown.Type, m.Bounds())
	}
}

// bomb returns a PNG of many pixels and few bytes.
func bomb(width, height uint32, depth byte) []byte { return bombOf(width, height, depth, 6, nil) }

// bombOf returns a bomb of a colour type, with a transparent colour unless it is nil.
func bombOf(width, height uint32, depth, kind byte, transparent []byte) []byte {
	chunk := func(kind string, content []byte) []byte {
		b := append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), kind...)
		return binary.BigEndian.AppendUint32(append(b, content...), crc32.ChecksumIEEE(append([]byte(kind), content...)))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	var clear []byte
	if transparent != nil {
		clear = chunk("tRNS", transparent)
	}
	var pixels bytes.Buffer
	w := zlib.NewWriter(&pixels)
	w.Close()
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(header, depth, kind, 0, 0, 0)), clear, chunk("IDAT", pixels.Bytes()),
		chunk("IEND", nil))
}

func hostileImages(f *fileFixture) {
	whole := photo(f, quadrants(200, 100), 1)
	var plain bytes.Buffer
	f.Must(png.Encode(&plain, quadrants(64, 64)))
	damaged := slices.Clone(plain.Bytes())
	damaged[60] ^= 0xff
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"bomb.png", "more than 80 million pixels", bomb(60_000, 60_000, 8)},
		{"wide.png", "a side of more than 65,535 pixels", bomb(39_000_000, 2, 8)},
		{"tall.png", "a side of more than 65,535 pixels", bomb(1, 65_536, 8)},
		{"deep.png", "too many pixels for its kind", bomb(8_000, 8_000, 16)},
		{"clear.png", "too many pixels for its kind", bombOf(8_000, 9_000, 8, 0, []byte{0, 0})},
		{"cut.jpg", "its end is missing", whole[:len(whole)/2]},
		{"cut.png", "its end is missing", plain.Bytes()[:plain.Len()-4]},
		{"cut.gif", "its end is missing", moving(f, 30, 30)[:60]},
		{"damaged.png", "its pixels cannot be read", damaged},
		{"empty.png", "its pixels cannot be read", bomb(10, 10, 8)},
		{"text.jpg", "is no PNG, JPEG, GIF or WebP image", []byte("words")},
		{"page.png", "is no PNG, JPEG, GIF or WebP image", []byte("<svg onload='alert(1)'/>")},
		{"head.webp", "is no PNG, JPEG, GIF or WebP image", []byte("RIFF\x04\x00\x00\x00WEBPVP8 ")},
	} {
		_, err := f.uploadImage(c.name, c.data)
		f.Refused(err, enlist.InvalidParameters, c.want)
	}
}

func brokenImageOfAProgram(f *fileFixture) {
	data := photo(f, quadrants(200, 100), 1)[:600]
	file := f.file(f.upload("broken.jpg", data, ""))
	shown, err := f.App.Files.Picture(f.Context(), file, enlist.Picture{File: file.ID, Width: 20})
	f.Must(err)
	if shown.Content != file.Content {
		f.Errorf("a broken image has the content %d, want its own", shown.Content)
	}
}

func (f *fileFixture) copies(id enlist.FileID) (n int64) {
	f.Helper()
	f.Must(f.Store.View(f.Context(), func(tx *db.Tx) (err error) {
		n, err = tx.Number("SELECT count(*) FROM image_copy WHERE file_id = ?", int64(id))
		return err
	}))
	return n
}

func copiesAreRemoved(f *fileFixture) {
	file, err := f.uploadImage("a.jpg", photo(f, quadrants(200, 100), 1))
	f.Must(err)
	var first *files.StoredFile
	for width := range int64(25) {
		shown, _ := f.picture(file, 20+width, "")
		if width == 0 {
			first = shown
		}
	}
	if n := f.copies(file.ID); n != 20 {
		f.Errorf("the image has %d copies, want 20", n)
	}
	if again, m := f.picture(file, 20, ""); again.Content == first.Content || m.Bounds().Dx() != 20 {
		f.Errorf("a copy that was replaced was not made anew")
	}
	if again, _ := f.picture(file, 44, ""); again.Content == 0 {
		f.Errorf("the copy is gone")
	}
	f.upload("a.jpg", photo(f, quadrants(100, 100), 1), files.DuplicateOverwrite)
	if n := f.copies(file.ID); n != 0 {
		f.Errorf("an image with new content has %d copies of the old one", n)
	}
	if _, m := f.picture(f.file(file.ID), 40, ""); m.Bounds().Dy() != 40 {
		f.Errorf("the copy is of the old content: %v", m.Bounds())
	}
	_, err = f.App.Files.Picture(f.Context(), file, enlist.Picture{File: file.ID, Width: 33})
	if err == nil {
		f.Errorf("a request that has read the old record stored a copy")
	}
	f.Must(f.App.Files.DeleteFile(f.Context(), f.Caller, file.ID))
	if n := f.copies(file.ID); n != 0 {
		f.Errorf("a deleted image has %d copies", n)
	}
	var released []enlist.ContentID
	f.Must(f.Store.View(f.Context(), func(tx *db.Tx) (err error) {
		released, err = files.ReleasedContents(tx, f.Caller.Account.ID)
		return err
	}))
	for _, id := range released {
		f.dropContent(id)
	}
	f.Must(f.Store.View(f.Context(), func(tx *db.Tx) error {
		n, err := tx.Number("SELECT count(*) FROM file_content WHERE account_id = ?", int64(f.Caller.Account.ID))
		if n != 0 {
			f.Errorf("%d contents are left", n)
		}
		return err
	}))
}

// dropContent runs the job that removes content to its end.
func (f *fileFixture) dropContent(id enlist.ContentID) {
	f.Helper()
	for done := false; !done; {
		var err error
		done, err = f.App.Files.RemoveContent(f.Context(), files.RemoveContent{Content: id})
		f.Must(err)
	}
}

func originalIsRemoved(f *fileFixture) {
	file, err := f.uploadImage("large.jpg", photo(f, quadrants(2400, 1200), 1))
	f.Must(err)
	if !file.HasOriginal() {
		f.Errorf("a file of %d pixels has no original", file.ImageWidth)
	}
	f.Must(f.App.Files.RemoveOriginal(f.Context(), f.Caller, file.ID))
	after := f.file(file.ID)
	if after.ImageWidth != 1800 || after.Size >= file.Size || after.HasOriginal() || after.Name != "large.jpg" {
		f.Errorf("the file is %+v, want one of 1800 pixels", *after)
	}
	f.Refused(f.App.Files.RemoveOriginal(f.Context(), apptest.NewAccount(f.T, f.Store).Caller, file.ID), enlist.NoFile, "")
}

func sizeOfPictures(f *fileFixture) {
	file, err := f.uploadImage("a.png", withText(f, quadrants(200, 100)))
	f.Must(err)
	as := enlist.Picture{File: file.ID, Width: 100}
	if _, known, err := f.App.Files.PicturesSize(f.Context(), f.Caller, []enlist.Picture{as}); known || err != nil {
		f.Errorf("the size of a copy that does not exist is known, error %v", err)
	}
	f.Must(f.App.Files.MakePictures(f.Context(), f.Caller, []enlist.Picture{as, {File: file.ID}}))
	shown, _ := f.picture(file, 100, "")
	for _, c := range []struct {
		caller *enlist.Caller
		all    []enlist.Picture
		want   int64
	}{
		{f.Caller, []enlist.Picture{as, as}, shown.Size},
		{f.Caller, []enlist.Picture{as, {File: file.ID}, {File: file.ID + 99}}, shown.Size + file.Size},
		{apptest.NewAccount(f.T, f.Store).Caller, []enlist.Picture{as}, 0},
	} {
		got, known, err := f.App.Files.PicturesSize(f.Context(), c.caller, c.all)
		f.Must(err)
		if got != c.want || !known {
			f.Errorf("%v have %d bytes, want %d", c.all, got, c.want)
		}
	}
}
