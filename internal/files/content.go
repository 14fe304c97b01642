package files

import (
	"context"
	"errors"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the content of files: how it is read and removed, and the links that serve it.

// Content is the bytes of a file, without the bytes themselves. The bytes never change, so the ID of
// the content is also its version.
type Content struct {
	ID        enlist.ContentID
	AccountID enlist.AccountID
	Size      int64 // in bytes; 0: the content is being removed
}

// PieceSize is the size of every piece of content but the last one, in bytes.
const PieceSize = 256 << 10

// Pieces returns the number of pieces of content with a size.
func Pieces(size int64) int64 { return (size + PieceSize - 1) / PieceSize }

// FileOfLink returns the file of a link. Its error is ErrNoFile if the file was deleted.
func (s *Service) FileOfLink(ctx context.Context, id enlist.FileID) (*StoredFile, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*StoredFile, error) { return File(tx, id) })
}

// Piece returns a piece of content. The first piece has the number 0. The error is of kind NotFound if
// the content was removed.
func (s *Service) Piece(ctx context.Context, id enlist.ContentID, number int64) ([]byte, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) ([]byte, error) { return Piece(tx, id, number) })
}

// removalDelay is the time in seconds for which content stays after its file was deleted or overwritten.
// Clients that are reading the content, and mails that are being composed, need it until then.
const removalDelay = 10 * 60

// release ends the use of content by a file. A job removes the content.
func release(tx *db.Tx, id enlist.ContentID, now int64) error {
	return errors.Join(SetContentSize(tx, id, 0), tx.Enqueue(RemoveContent{Content: id, Due: now + removalDelay}))
}

// removalStep is the number of pieces that one Update removes: 2 MiB.
const removalStep = 8

// RemoveContent does one step of the job that removes content. It keeps content that a file has.
func (s *Service) RemoveContent(ctx context.Context, e RemoveContent) (done bool, err error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (bool, error) {
		content, err := LoadContent(tx, e.Content)
		if err != nil {
			return true, enlist.IgnoreKind(enlist.NotFound, err)
		}
		if err := LockFiles(tx, content.AccountID); err != nil {
			return false, err
		}
		used, err := s.above.contentUsed(tx, content)
		if err != nil || used {
			return used, err
		}
		if err := SetContentSize(tx, e.Content, 0); err != nil {
			return false, err
		}
		n, err := DeletePieces(tx, e.Content, removalStep)
		if err != nil || n == removalStep {
			return false, err
		}
		return true, tx.Do("DELETE FROM file_content WHERE id = ?", int64(e.Content))
	})
}
