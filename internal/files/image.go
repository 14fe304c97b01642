package files

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"io"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores images that users upload. Mails show copies of them (image_copy.go).

// UploadImage stores an image in the first Folder for files of the Account. An image with the same name stays.
// Errors: Denied, NoFolder, and InvalidParameters for what is no PNG, JPEG, GIF or WebP image, damaged, or too large.
func (s *Service) UploadImage(ctx context.Context, c *enlist.Caller, name string,
	content io.Reader) (*StoredFile, error) {
	if err := requireFiles(c); err != nil {
		return nil, err
	}
	folder, err := db.View(ctx, s.db, c, func(tx *db.Tx) (enlist.FolderID, error) {
		folders, err := accounts.Folders(tx, c.Account.ID)
		for i := range folders {
			if folders[i].Type == accounts.FolderOfFiles {
				return folders[i].ID, err
			}
		}
		return 0, cmp.Or(err, error(enlist.Refuse(enlist.NoFolder, "the Account has no Folder for files")))
	})
	if err != nil {
		return nil, err
	}
	most := s.accounts.Settings().Of(c.Account.ID).MaxFile
	data, err := io.ReadAll(io.LimitReader(content, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read an image: %w", err)
	case int64(len(data)) > most:
		return nil, enlist.Invalid("data", enlist.Expected(fmt.Sprintf("a file of at most %d bytes", most)).Error())
	}
	data, err = s.checkedImage(ctx, name, data)
	if err != nil {
		return nil, err
	}
	text := func(key, text string) enlist.Detail {
		return enlist.Detail{Key: key, Value: enlist.TextInput(text)}
	}
	return s.UploadFile(ctx, c, UploadRequest{Folder: folder, Details: []enlist.Detail{text("name", name),
		text("data", base64.StdEncoding.EncodeToString(data))}})
}

// checkedImage returns an image without metadata. It refuses what browsers do not show as an image, whatever its name says,
// and what needs too much memory. The pixels and the size stay: crops are made from them.
func (s *Service) checkedImage(ctx context.Context, name string, data []byte) ([]byte, error) {
	mediaType := TypeOf(name, data[:min(len(data), SniffLength)])
	a, err := measured(mediaType, data)
	if err == nil && !(mediaType == "image/webp" && a.frames > 1) { // the decoder does not know those that move
		err = s.decodes(ctx, mediaType, data)
	}
	if why, ok := errors.AsType[problem](err); ok {
		return nil, enlist.Invalid("data", enlist.Quoted(name)+" "+string(why))
	}
	if err != nil {
		return nil, err
	}
	return a.clean, nil
}

// decodes checks that the pixels of an image can be read.
func (s *Service) decodes(ctx context.Context, mediaType string, data []byte) error {
	release, err := s.slot(ctx, 0)
	if err != nil {
		return err
	}
	defer release()
	return decode(mediaType, data, func(image.Image) error { return nil })
}
