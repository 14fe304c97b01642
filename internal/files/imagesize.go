package files

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file reads the sizes of images. An upload reads the size of its image. A server reads those of the images that
// earlier versions have stored, a few at a time.

// imageHead is the part of an image, in bytes, in which its size is searched for.
const imageHead = UploadStep * PieceSize

// imageHeaders are the functions that read the header of an image. They decode no pixels, so a small file that claims
// to be large does no harm.
var imageHeaders = map[string]func(io.Reader) (image.Config, error){
	"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig, "image/gif": gif.DecodeConfig,
}

// ReadImageSize sets the size of the file's image to the one in its header. It is 0 if the file is of another type, or
// if the header is not valid.
func (f *StoredFile) ReadImageSize(content io.Reader) {
	f.ImageWidth, f.ImageHeight = imageSize(f.Type, content)
}

// imageSize returns the size of an image of a media type, in pixels.
func imageSize(mediaType string, content io.Reader) (width, height int64) {
	header, known := imageHeaders[mediaType]
	if !known {
		return 0, 0
	}
	config, err := header(io.LimitReader(content, imageHead))
	if err != nil {
		return 0, 0
	}
	return int64(config.Width), int64(config.Height)
}

// imageBatch is the number of files of which one step reads the sizes.
const imageBatch = 20

// ReadImageSizes reads the sizes of the images that earlier versions of the program have stored. A server calls it when
// it starts, and every hour: a process of an earlier version may use the database at the same time.
func (s *Service) ReadImageSizes(ctx context.Context) error {
	for after := enlist.FileID(0); ctx.Err() == nil; {
		found, err := db.OwnView(ctx, s.db, func(tx *db.Tx) ([]StoredFile, error) {
			return unreadImages(tx, after, imageBatch)
		})
		if err != nil || len(found) == 0 {
			return err
		}
		for i := range found {
			if err := s.readStoredSize(ctx, &found[i]); err != nil {
				return fmt.Errorf("read the size of the image %d: %w", found[i].ID, err)
			}
		}
		_, err = db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (bool, error) {
			for i := range found {
				if err := setImageSize(tx, &found[i]); err != nil {
					return false, err
				}
			}
			return true, nil
		})
		if err != nil {
			return err
		}
		after = found[len(found)-1].ID
	}
	return ctx.Err()
}

// readStoredSize sets the size of an image from its stored content.
func (s *Service) readStoredSize(ctx context.Context, f *StoredFile) error {
	var head bytes.Buffer
	if _, known := imageHeaders[f.Type]; known {
		for n := int64(0); n < min(UploadStep, Pieces(f.Size)); n++ {
			piece, err := s.Piece(ctx, f.Content, n)
			if err != nil {
				return enlist.IgnoreKind(enlist.NotFound, err) // the file was deleted or overwritten meanwhile
			}
			head.Write(piece)
		}
	}
	f.ReadImageSize(&head)
	return nil
}
