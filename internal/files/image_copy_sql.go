package files

import (
	"context"
	"errors"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores the copies of images that mails show.

func mapImageCopy(m *db.Mapper, c *imageCopy) {
	m.ID("id", &c.ID)
	m.Fixed("file_id", (*int64)(&c.File))
	m.Fixed("shown_as", &c.As)
	m.Fixed("source_id", (*int64)(&c.Source))
	m.Fixed("content_id", (*int64)(&c.Content))
	m.Fixed("type", &c.Type)
	m.Fixed("size", &c.Size)
}

var copyTable = db.NewMapping("image_copy", mapImageCopy)

// store stores a copy, unless the file has other content or was deleted meanwhile: then the copy has the content of the file.
func (c *imageCopy) store(tx *db.Tx, f *StoredFile, made []byte, now int64) error {
	if err := LockFiles(tx, f.AccountID); err != nil {
		return err
	}
	stored, err := File(tx, f.ID)
	if err == nil && stored.Content != f.Content {
		err = enlist.Refuse(enlist.Busy, "the image was replaced: ask again")
	}
	if err != nil {
		return err
	}
	all, err := copyTable.All(tx, "WHERE file_id = ? ORDER BY id", int64(f.ID))
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].As == c.As || i <= len(all)-maxCopies {
			if err := all[i].remove(tx, now); err != nil {
				return err
			}
		}
	}
	if c.Content != c.Source {
		content := Content{AccountID: f.AccountID, Size: c.Size}
		if err := content.Add(tx); err != nil {
			return err
		}
		c.Content = content.ID
		for n := range Pieces(c.Size) {
			if err := AddPiece(tx, content.ID, n, made[n*PieceSize:min((n+1)*PieceSize, c.Size)]); err != nil {
				return err
			}
		}
	}
	return copyTable.Add(tx, c)
}

func (c *imageCopy) remove(tx *db.Tx, now int64) error {
	err := tx.Do("DELETE FROM image_copy WHERE id = ?", c.ID)
	if c.Content != c.Source {
		err = errors.Join(err, release(tx, c.Content, now))
	}
	return err
}

// releaseCopies ends the use of all copies of a file that was deleted, or has other content.
func releaseCopies(tx *db.Tx, file enlist.FileID, now int64) error {
	all, err := copyTable.All(tx, "WHERE file_id = ? ORDER BY id", int64(file))
	for i := range all {
		err = errors.Join(err, all[i].remove(tx, now))
	}
	return err
}

// staleBatch is the number of rows that a transaction of RemoveStaleCopies removes.
const staleBatch = 100

// RemoveStaleCopies removes the copies of which the file is gone or has other content: a version 1.0.0, which does not know
// copies, has deleted or overwritten it during an upgrade.
func (s *Service) RemoveStaleCopies(ctx context.Context) error {
	for {
		n, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (int, error) {
			stale, err := copyTable.All(tx, `WHERE NOT EXISTS (SELECT 1 FROM file WHERE file.id = image_copy.file_id
				AND file.content_id = image_copy.source_id) ORDER BY id`+db.Limited, int64(staleBatch))
			for i := range stale {
				err = errors.Join(err, stale[i].remove(tx, now))
			}
			return len(stale), err
		})
		if err != nil || n < staleBatch {
			return err
		}
	}
}
