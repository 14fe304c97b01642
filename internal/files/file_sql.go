package files

import (
	"errors"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores files of an Account: their records, and their content in pieces.

func mapFile(m *db.Mapper, f *StoredFile) {
	m.ID("id", (*int64)(&f.ID))
	m.Fixed("account_id", (*int64)(&f.AccountID))
	m.Fixed("creator_key_id", (*int64)(&f.CreatorKeyID))
	m.Fixed("creator_name", &f.CreatorName)
	m.Fixed("creator_person_id", &f.CreatorUser)
	m.Fixed("creation_time", &f.CreationTime)
	m.Value("last_modified_time", &f.LastModifiedTime)
	m.Fixed("folder_id", (*int64)(&f.FolderID))
	m.Fixed("name", &f.Name)
	m.Value("type", &f.Type)
	m.Value("size", &f.Size)
	m.Value("content_id", (*int64)(&f.Content))
	m.Value("image_width", &f.ImageWidth)
	m.Value("image_height", &f.ImageHeight)
	m.Value("modifier_key_id", (*int64)(&f.ModifierKeyID))
}

func mapContent(m *db.Mapper, c *Content) {
	m.ID("id", (*int64)(&c.ID))
	m.Fixed("account_id", (*int64)(&c.AccountID))
	m.Value("size", &c.Size)
}

var (
	fileTable    = db.NewMapping("file", mapFile)
	contentTable = db.NewMapping("file_content", mapContent)
)

// LockFiles waits until no other transaction adds, changes or removes files of an Account, if this one writes.
func LockFiles(tx *db.Tx, account enlist.AccountID) error {
	return tx.LockToWrite("files of account %d", account)
}

// Files returns an Account's files in the order of their IDs.
func Files(tx *db.Tx, account enlist.AccountID) ([]StoredFile, error) {
	return fileTable.All(tx, "WHERE account_id = ? ORDER BY id", int64(account))
}

// File returns the file with an ID, or ErrNoFile.
func File(tx *db.Tx, id enlist.FileID) (*StoredFile, error) {
	return fileTable.One(tx, enlist.ErrNoFile, "WHERE id = ?", int64(id))
}

// fileByName returns the file of a Folder with exactly this name, or ErrNotFound.
func fileByName(tx *db.Tx, folder enlist.FolderID, name string) (*StoredFile, error) {
	return fileTable.One(tx, enlist.ErrNotFound, "WHERE folder_id = ? AND name = ?", int64(folder), name)
}

// Restore stores a file under its ID. It removes the content of the file with the same ID, and another file with the
// same name: the service from which the file moves in has deleted that one.
func Restore(tx *db.Tx, now int64, file *StoredFile) error {
	old, err := File(tx, file.ID)
	switch {
	case err == nil:
		if err := errors.Join(releaseCopies(tx, old.ID, now), release(tx, old.Content, now)); err != nil {
			return err
		}
	case enlist.IgnoreKind(enlist.NoFile, err) != nil:
		return err
	}
	same, err := fileByName(tx, file.FolderID, file.Name)
	switch {
	case err == nil && same.ID != file.ID:
		if err := errors.Join(deleteFile(tx, same.ID), releaseCopies(tx, same.ID, now), release(tx, same.Content, now)); err != nil {
			return err
		}
	case err != nil && enlist.IgnoreKind(enlist.NotFound, err) != nil:
		return err
	}
	return fileTable.RestoreDefinition(tx, "file", file)
}

func deleteFile(tx *db.Tx, id enlist.FileID) error {
	return tx.Do("DELETE FROM file WHERE id = ?", int64(id))
}

// storedFiles returns the number of an Account's files and the bytes of all content that is of no Import.
func (a *Above) storedFiles(tx *db.Tx, account enlist.AccountID) (files, bytes int64, err error) {
	files, err = tx.Number("SELECT count(*) FROM file WHERE account_id = ?", int64(account))
	if err != nil {
		return 0, 0, err
	}
	ofImports, err := a.OfImports(tx, account)
	if err != nil {
		return 0, 0, err
	}
	is, ids, err := db.OneOfIDs(tx, ofImports)
	if err != nil {
		return 0, 0, err
	}
	bytes, err = tx.Number("SELECT CAST(sum(size) AS BIGINT) FROM file_content WHERE account_id = ? AND NOT id"+is,
		int64(account), ids)
	return files, bytes, err
}

// Add stores the row of new content without pieces.
func (c *Content) Add(tx *db.Tx) error { return contentTable.Add(tx, c) }

// LoadContent returns the row of content, or ErrNotFound.
func LoadContent(tx *db.Tx, id enlist.ContentID) (*Content, error) {
	return contentTable.One(tx, enlist.ErrNotFound, "WHERE id = ?", int64(id))
}

// contentUsed reports whether a file, a copy of an image or an Import has the content.
func (a *Above) contentUsed(tx *db.Tx, c *Content) (bool, error) {
	n, err := tx.Number(`SELECT (SELECT count(*) FROM file WHERE content_id = ?) + (SELECT count(*) FROM image_copy
		WHERE content_id = ?)`, int64(c.ID), int64(c.ID))
	if err != nil || n > 0 {
		return n > 0, err
	}
	ofImports, err := a.OfImports(tx, c.AccountID)
	return slices.Contains(ofImports, c.ID), err
}

// SetContentSize stores the size of content. The size 0 marks it as removed.
func SetContentSize(tx *db.Tx, id enlist.ContentID, size int64) error {
	return tx.Do("UPDATE file_content SET size = ? WHERE id = ?", size, int64(id))
}

// ReleasedContents returns the contents of an Account that no file and no Import has any more.
func ReleasedContents(tx *db.Tx, account enlist.AccountID) ([]enlist.ContentID, error) {
	return db.IDsOf[enlist.ContentID](tx, "SELECT id FROM file_content WHERE account_id = ? AND size = 0 ORDER BY id",
		int64(account))
}

// AddPiece stores a piece of content.
func AddPiece(tx *db.Tx, id enlist.ContentID, number int64, data []byte) error {
	const add = "INSERT INTO file_piece (content_id, number, data) VALUES (?, ?, ?)"
	return tx.Do(add, int64(id), number, data)
}

// Piece returns a piece of content, or ErrNotFound.
func Piece(tx *db.Tx, id enlist.ContentID, number int64) (data []byte, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		data = []byte(row.Text()) // a copy: the engine may use its bytes again
		return nil
	}, "SELECT data FROM file_piece WHERE content_id = ? AND number = ?", int64(id), number)
	if err == nil && data == nil {
		err = enlist.ErrNotFound
	}
	return data, err
}

// DeletePieces removes the pieces with the highest numbers, at most limit, and returns how many it removed.
func DeletePieces(tx *db.Tx, id enlist.ContentID, limit int) (deleted int64, err error) {
	const remove = `DELETE FROM file_piece WHERE content_id = ? AND number IN (
		SELECT number FROM file_piece WHERE content_id = ? ORDER BY number DESC` + db.Limited + ")"
	return tx.Exec(remove, int64(id), int64(id), int64(limit))
}
