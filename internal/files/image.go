package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// This file stores images that people upload. Mails show them by their URL.

// UploadImage stores an image in the first Folder for files of the Account. An image with the same name stays.
// Errors: Denied, NoFolder, and InvalidParameters for what is no PNG, JPEG, GIF or WebP image, or too large.
func (s *Service) UploadImage(ctx context.Context, c *enlist.Caller, name string,
	content io.Reader) (*StoredFile, error) {
	folders, err := s.accounts.SearchFolders(ctx, c, accounts.FolderOfFiles, enlist.Query{SortBy: "id", Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(folders) == 0 {
		return nil, enlist.Refuse(enlist.NoFolder, "the Account has no Folder for files")
	}
	most := s.accounts.Settings().Of(c.Account.ID).MaxFile
	data, err := io.ReadAll(io.LimitReader(content, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read an image: %w", err)
	case int64(len(data)) > most:
		return nil, enlist.Invalid("data", enlist.Expected(fmt.Sprintf("a file of at most %d bytes", most)).Error())
	}
	if err := checkImage(name, data); err != nil {
		return nil, err
	}
	text := func(key, text string) enlist.Detail {
		return enlist.Detail{Key: key, Value: enlist.TextInput(text)}
	}
	return s.UploadFile(ctx, c, UploadRequest{Folder: folders[0].ID, Details: []enlist.Detail{text("name", name),
		text("data", base64.StdEncoding.EncodeToString(data))}})
}

// maxPixels limits an image that mails show: a small file can have so many that a mail program needs gigabytes of memory.
const maxPixels = 80_000_000

// checkImage refuses what browsers do not show as an image, whatever its name says.
func checkImage(name string, data []byte) error {
	mediaType := TypeOf(name, data[:min(len(data), SniffLength)])
	_, hasHeader := imageHeaders[mediaType]
	width, height := imageSize(mediaType, bytes.NewReader(data))
	if width*height > maxPixels {
		return enlist.Invalid("data", fmt.Sprintf("%s has more than %d million pixels: make it smaller", enlist.Quoted(name),
			maxPixels/1_000_000))
	}
	if !ImageTypes[mediaType] || hasHeader && width == 0 {
		return enlist.Invalid("data", enlist.Quoted(name)+" is no PNG, JPEG, GIF or WebP image")
	}
	return nil
}
