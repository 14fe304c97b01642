package samples

import (
	"bytes"
	"image/png"
	"io/fs"
	"path"
	"strings"
	"testing"
)

// The pictures of starting templates are small, because mails show them, and each has its drawing.
func TestPicturesAreSmall(t *testing.T) {
	names, err := fs.Glob(drawn, "drawn/*.png")
	if err != nil || len(names) == 0 {
		t.Fatalf("found %d pictures, error %v", len(names), err)
	}
	for _, name := range names {
		data := Picture(Path(strings.TrimSuffix(path.Base(name), ".png")))
		config, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || len(data) > 16<<10 || config.Width > 1200 {
			t.Errorf("%s has %d bytes and is %d pixels wide, error %v; want at most 16 KB and 1,200 pixels", name, len(data), config.Width, err)
		}
	}
	for _, other := range []string{"/f/samples/none.png", "/f/samples/", "/f/samples/../samples.go", "/f/samples/river.svg", "/f/icons/river.png"} {
		if Picture(other) != nil {
			t.Errorf("%s is a picture", other)
		}
	}
	if !Is(Path("river")) || Is("https://example.com/a.png") {
		t.Error("Is does not know the pictures")
	}
}
