package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"path"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the copies of an image that mails show: smaller, cut, turned, and without metadata. The first request for
// one makes it, so a Batch waits for none, and an image that a program has stored is as small as one of the pages.
// decisions.md: 164

// imageCopy is a row of the table image_copy.
type imageCopy struct {
	ID      int64
	File    enlist.FileID
	As      string           // as Picture.As
	Source  enlist.ContentID // from which it was made
	Content enlist.ContentID // equal to Source: mails show the file as it is
	Type    string
	Size    int64
}

// maxCopies is the number of copies of one image. One more replaces the oldest, which is made anew when a mail program asks.
const maxCopies = 20

// Picture returns an image as a mail shows it: the record of the file with the content of the copy. An image that cannot be
// decoded is shown as it is. Of requests at the same time, one reads and decodes the file, and the others wait for its copy.
// Errors: Busy.
func (s *Service) Picture(ctx context.Context, f *StoredFile, as enlist.Picture) (*StoredFile, error) {
	if !f.IsShown() {
		return f, nil
	}
	shown, err := s.copyOf(ctx, f, as)
	if shown != nil || err != nil {
		return shown, err
	}
	release, err := s.slot(ctx, f.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	if shown, err = s.copyOf(ctx, f, as); shown != nil || err != nil {
		return shown, err // another request has made it meanwhile
	}
	data, err := s.contentOf(ctx, f)
	if err != nil {
		return nil, err
	}
	made, mediaType, err := shownAs(ctx, f, data, as)
	if err != nil {
		return nil, err
	}
	c := &imageCopy{File: f.ID, As: as.As(), Source: f.Content, Content: f.Content, Type: f.Type, Size: f.Size}
	if !bytes.Equal(made, data) {
		c.Content, c.Type, c.Size = 0, mediaType, int64(len(made))
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*StoredFile, error) {
		if err := c.store(tx, f, made, now); err != nil {
			return nil, err
		}
		return f.shown(c), nil
	})
}

// contentOf returns the whole content of a file.
func (s *Service) contentOf(ctx context.Context, f *StoredFile) ([]byte, error) {
	data := make([]byte, 0, f.Size)
	for n := range Pieces(f.Size) {
		piece, err := s.Piece(ctx, f.Content, n)
		if err != nil {
			return nil, err
		}
		data = append(data, piece...)
	}
	return data, nil
}

// copyOf returns the image with the content of a copy, or nil if there is none.
func (s *Service) copyOf(ctx context.Context, f *StoredFile, as enlist.Picture) (*StoredFile, error) {
	c, err := db.OwnView(ctx, s.db, func(tx *db.Tx) (*imageCopy, error) {
		return copyTable.One(tx, enlist.ErrNotFound, "WHERE file_id = ? AND shown_as = ? AND source_id = ?", int64(f.ID), as.As(),
			int64(f.Content))
	})
	if err != nil {
		return nil, enlist.IgnoreKind(enlist.NotFound, err)
	}
	return f.shown(c), nil
}

// shown returns the record of a file with the content of a copy.
func (f *StoredFile) shown(c *imageCopy) *StoredFile {
	shown := *f
	shown.Content, shown.Size, shown.Type = c.Content, c.Size, c.Type
	if c.Type != f.Type {
		shown.Name = strings.TrimSuffix(f.Name, path.Ext(f.Name)) + "." + strings.TrimPrefix(c.Type, "image/")
	}
	return &shown
}

// shownAs returns the bytes of an image as a mail shows it, and their media type. They are the same bytes if there is
// nothing to change.
func shownAs(ctx context.Context, f *StoredFile, data []byte, as enlist.Picture) ([]byte, string, error) {
	a, err := measured(f.Type, data)
	if err != nil {
		return data, f.Type, nil // no program of this service has checked it
	}
	width, height := imageSize(f.Type, bytes.NewReader(data))
	isPlain := a.orientation == 1 && as.Crop == "" && (as.Width == 0 || width <= as.Width) && f.Type != "image/webp"
	switch {
	case !isPlain && a.frames > 1 && f.Type == "image/gif" && a.isSmall(width, height):
		made, err := movingPicture(ctx, a.clean, as)
		return made, f.Type, err
	case isPlain, a.frames > 1:
		return a.clean, f.Type, nil
	}
	made, mediaType := data, f.Type
	err = decode(f.Type, data, func(decoded image.Image) (err error) {
		made, mediaType, err = picture(decoded, f.Type, a, as)
		return err
	})
	if _, isDamaged := errors.AsType[problem](err); isDamaged {
		return data, f.Type, nil
	}
	return made, mediaType, err
}

// InlineImage returns the content, type and size of an image that is in a mail itself: no wider than any mail shows, and without
// metadata. While the server is busy with other images, it is the file. Errors: NotFound if the file is gone or has other
// content.
func (s *Service) InlineImage(ctx context.Context, id enlist.FileID, content enlist.ContentID) (shown enlist.ContentID,
	mediaType string, size int64, err error) {
	f, err := s.FileOfLink(ctx, id)
	if enlist.KindOf(err) == enlist.NoFile || err == nil && f.Content != content {
		return 0, "", 0, enlist.ErrNotFound
	}
	if err != nil {
		return 0, "", 0, err
	}
	made, err := s.Picture(ctx, f, enlist.Picture{File: id, Width: originalWidth})
	if enlist.KindOf(err) == enlist.Busy {
		made, err = f, nil
	}
	if err != nil {
		return 0, "", 0, err
	}
	return made.Content, made.Type, made.Size, nil
}

// originalWidth is the width in pixels from which the original of an image has more than any mail shows.
const originalWidth = 2 * 900

// HasOriginal reports whether the file has more pixels than a mail shows of it.
func (f *StoredFile) HasOriginal() bool { return f.IsShown() && f.ImageWidth > originalWidth }

// RemoveOriginal replaces an image by the largest form that mails show. Errors: Denied, NoFile, Busy.
func (s *Service) RemoveOriginal(ctx context.Context, c *enlist.Caller, id enlist.FileID) error {
	f, err := s.File(ctx, c, id)
	if err == nil {
		err = f.requireWriter(c)
	}
	if err != nil || !f.HasOriginal() {
		return err
	}
	shown, err := s.Picture(ctx, f, enlist.Picture{File: id, Width: originalWidth})
	if err != nil || shown.Content == f.Content {
		return err
	}
	data, err := s.contentOf(ctx, shown)
	if err != nil {
		return err
	}
	_, err = s.UploadFile(ctx, c, UploadRequest{Folder: f.FolderID, OnDuplicate: DuplicateOverwrite,
		Details: []enlist.Detail{{Key: "name", Value: enlist.TextInput(f.Name)},
			{Key: "data", Value: enlist.TextInput(base64.StdEncoding.EncodeToString(data))}}})
	return err
}

// PicturesSize returns the sum of the sizes of images as a mail shows them, in bytes. It makes none: known is false if a copy
// was not asked for yet. Images of other Accounts, and deleted ones, count nothing.
func (s *Service) PicturesSize(ctx context.Context, c *enlist.Caller, all []enlist.Picture) (bytes int64, known bool, err error) {
	err = s.eachPicture(ctx, c, all, func(f *StoredFile, p enlist.Picture) error {
		if p.Width > 0 {
			shown, err := s.copyOf(ctx, f, p)
			if shown == nil || err != nil {
				return errors.Join(err, errNotMade)
			}
			f = shown
		}
		bytes += f.Size
		return nil
	})
	if errors.Is(err, errNotMade) {
		return 0, false, nil
	}
	return bytes, err == nil, err
}

var errNotMade = errors.New("a copy was not made yet")

// MakePictures makes the copies that a mail shows, so that its author sees the size of the mail with them. If the server is
// busy, the first reader makes them.
func (s *Service) MakePictures(ctx context.Context, c *enlist.Caller, all []enlist.Picture) error {
	err := s.eachPicture(ctx, c, all, func(f *StoredFile, p enlist.Picture) error {
		if p.Width == 0 {
			return nil
		}
		_, err := s.Picture(ctx, f, p)
		return err
	})
	return enlist.IgnoreKind(enlist.Busy, err)
}

// eachPicture calls do for each of some images that is a file of the caller's Account, once.
func (s *Service) eachPicture(ctx context.Context, c *enlist.Caller, all []enlist.Picture,
	do func(*StoredFile, enlist.Picture) error) error {
	seen := make(map[enlist.Picture]bool)
	for _, p := range all {
		if seen[p] {
			continue
		}
		seen[p] = true
		f, err := s.FileOfLink(ctx, p.File)
		if err == nil && f.AccountID == c.Account.ID {
			err = do(f, p)
		}
		if enlist.IgnoreKind(enlist.NoFile, err) != nil {
			return err
		}
	}
	return nil
}
