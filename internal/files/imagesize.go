package files

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// This file reads the sizes of images when they are stored.

// imageHead is the part of an image, in bytes, in which its size is searched for.
const imageHead = UploadStep * PieceSize

// imageHeaders are the functions that read the header of an image. They decode no pixels, so a small file that claims
// to be large does no harm.
var imageHeaders = map[string]func(io.Reader) (image.Config, error){
	"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig, "image/gif": gif.DecodeConfig, "image/webp": webp.DecodeConfig,
}

// ReadImageSize sets the size of the file's image to the one in its header. It is 0 if the file is of another type, or
// if the header is not valid.
func (f *StoredFile) ReadImageSize(content io.Reader) {
	f.ImageWidth, f.ImageHeight = imageSize(f.Type, content)
}

// imageSize returns the size of an image of a media type, in pixels, as browsers show it: turned as the camera says.
func imageSize(mediaType string, content io.Reader) (width, height int64) {
	header, known := imageHeaders[mediaType]
	if !known {
		return 0, 0
	}
	head, err := io.ReadAll(io.LimitReader(content, imageHead))
	if err != nil {
		return 0, 0
	}
	config, err := header(bytes.NewReader(head))
	if err != nil {
		return 0, 0
	}
	if isTurned(headOrientation(mediaType, head)) {
		return int64(config.Height), int64(config.Width)
	}
	return int64(config.Width), int64(config.Height)
}

// headOrientation returns the orientation of a JPEG, whose begin may be all that is there.
func headOrientation(mediaType string, head []byte) int {
	a := anatomy{orientation: 1}
	if mediaType == "image/jpeg" {
		_ = a.jpeg(head) // an error means that the end is not there
	}
	return a.orientation
}
