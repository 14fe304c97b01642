package files_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/files"
)

// encoded returns an image in the format of an encoder.
func encoded(t testing.TB, width, height int, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	picture := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	var b bytes.Buffer
	if err := encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hugePNG returns the header of a PNG that claims to have 60,000 × 60,000 pixels.
func hugePNG() []byte {
	header := append([]byte("IHDR"), 0, 0, 60_000>>8, 60_000&0xff, 0, 0, 60_000>>8, 60_000&0xff, 8, 0, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	return binary.BigEndian.AppendUint32(append(b, header...), crc32.ChecksumIEEE(header))
}

// lateSize returns a JPEG with as many bytes of metadata before its size.
func lateSize(photo []byte, metadata int) []byte {
	late := slices.Clone(photo[:2])
	for ; metadata > 0; metadata -= 60_000 {
		late = append(append(late, 0xff, 0xe1, 60_000>>8, 60_000&0xff), make([]byte, 60_000-2)...)
	}
	return append(late, photo[2:]...)
}

func asGIF(w io.Writer, m image.Image) error  { return gif.Encode(w, m, nil) }
func asJPEG(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }

// wantSize checks the size of a file's image.
func (f *fileFixture) wantSize(id enlist.FileID, width, height int64) *files.StoredFile {
	f.Helper()
	file := f.file(id)
	if file.ImageWidth != width || file.ImageHeight != height {
		f.Errorf("the size of %s is %d × %d, want %d × %d", file.Name, file.ImageWidth, file.ImageHeight, width, height)
	}
	return file
}

func imageSizes(f *fileFixture) {
	photo := encoded(f, 640, 480, asJPEG)
	for _, c := range []struct {
		name          string
		content       []byte
		width, height int64
	}{
		{"a.png", encoded(f, 3, 2, png.Encode), 3, 2},
		{"a.gif", encoded(f, 70, 9, asGIF), 70, 9},
		{"a.jpeg", photo, 640, 480},
		{"late.jpeg", lateSize(photo, 600_000), 640, 480},
		{"too late.jpeg", lateSize(photo, 1_200_000), 0, 0},
		{"huge.png", hugePNG(), 60_000, 60_000},
		{"broken.png", []byte("\x89PNG\r\n\x1a\nIHDR"), 0, 0},
		{"broken.gif", []byte("GIF89a"), 0, 0},
		{"broken.jpeg", photo[:10], 0, 0},
		{"a.webp", []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x00"), 1, 1},
		{"text.png", []byte("text"), 0, 0},
	} {
		f.wantSize(f.upload(c.name, c.content, ""), c.width, c.height)
	}
	id := f.upload("b.png", encoded(f, 3, 2, png.Encode), "")
	if file := f.wantSize(id, 3, 2); file.ModifierKeyID != f.Caller.Key.ID {
		f.Errorf("the key %d stored the file, want %d", file.ModifierKeyID, f.Caller.Key.ID)
	}
	other, key := *f.Caller, *f.Caller.Key
	key.ID++
	other.Key = &key
	_, err := f.App.Files.UploadFile(f.Context(), &other, uploadRequest(f.folder, "b.png", []byte("text"), "overwrite"))
	f.Must(err)
	if file := f.wantSize(id, 0, 0); file.ModifierKeyID != key.ID || file.CreatorKeyID != f.Caller.Key.ID {
		f.Errorf("the file is %+v, want the key %d as the last that stored its content", *file, key.ID)
	}
}
