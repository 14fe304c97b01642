package web

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"enlist/internal/enlist"
)

// A link says how a mail shows an image. A query that this service has not signed is ignored.
//
// covers: decision 164
func TestImageIsSentAsItsLinkSays(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	var content bytes.Buffer
	h.must(png.Encode(&content, image.NewNRGBA(image.Rect(0, 0, 300, 200))))
	h.upload("a.png", content.Bytes())
	as := enlist.Picture{File: 1, Width: 90, Crop: "1:1"}
	path := h.key.PicturePath(as)
	for _, c := range []struct {
		path          string
		width, height int
	}{{path, 90, 90}, {strings.Replace(path, "=90-", "=91-", 1), 300, 200}, {h.key.FilePath(1), 300, 200},
		{h.key.FilePath(1) + "?p=90", 300, 200}, {h.key.FilePath(1) + "?utm_source=x", 300, 200}} {
		a, body := h.get(c.path)
		shown, err := png.DecodeConfig(bytes.NewReader(body))
		if err != nil || a.StatusCode != 200 || shown.Width != c.width || shown.Height != c.height {
			t.Errorf("%s got %d with %d × %d pixels, error %v; want %d × %d", c.path, a.StatusCode, shown.Width, shown.Height, err, c.width, c.height)
		}
	}
	if a, _ := h.get(path); a.Header.Get("ETag") == "" || a.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the header is %v", a.Header)
	}
	if p, ok := h.key.ReadPicture(2, strings.SplitN(path, "?", 2)[1]); ok {
		t.Errorf("the query of another file is valid: %+v", p)
	}
}
