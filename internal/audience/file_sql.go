package audience

import (
	"fmt"

	"enlist/internal/enlist"
)

// This file stores files of an Account: their records, and their content in pieces.

func mapFile(m *mapper, f *StoredFile) {
	m.id("id", (*int64)(&f.ID))
	m.fixed("account_id", (*int64)(&f.AccountID))
	m.fixed("creator_key_id", (*int64)(&f.CreatorKeyID))
	m.fixed("creator_name", &f.CreatorName)
	m.fixed("creation_time", &f.CreationTime)
	m.value("last_modified_time", &f.LastModifiedTime)
	m.fixed("folder_id", (*int64)(&f.FolderID))
	m.fixed("name", &f.Name)
	m.value("type", &f.Type)
	m.value("size", &f.Size)
	m.value("content_id", (*int64)(&f.Content))
}

func mapContent(m *mapper, c *Content) {
	m.id("id", (*int64)(&c.ID))
	m.fixed("account_id", (*int64)(&c.AccountID))
	m.value("size", &c.Size)
}

var (
	fileTable    = newMapping("file", mapFile)
	contentTable = newMapping("file_content", mapContent)
)

// LockFiles waits until no other transaction adds, changes or removes files of an Account.
func (t *Tx) LockFiles(account enlist.AccountID) error {
	return t.Lock(Exclusive, fmt.Sprintf("files of account %d", account))
}

// Files returns an Account's files in the order of their IDs.
func (t *Tx) Files(account enlist.AccountID) ([]StoredFile, error) {
	return fileTable.all(t, "WHERE account_id = ? ORDER BY id", int64(account))
}

// File returns the file with an ID, or ErrNoFile.
func (t *Tx) File(id enlist.FileID) (*StoredFile, error) {
	return fileTable.one(t, enlist.ErrNoFile, "WHERE id = ?", int64(id))
}

// FileByName returns the file of a Folder with exactly this name, or ErrNotFound.
func (t *Tx) FileByName(folder enlist.FolderID, name string) (*StoredFile, error) {
	return fileTable.one(t, enlist.ErrNotFound, "WHERE folder_id = ? AND name = ?", int64(folder), name)
}

// AddFile stores a new file.
func (t *Tx) AddFile(f *StoredFile) error { return fileTable.add(t, f) }

// UpdateFile stores the columns that change when a file is overwritten.
func (t *Tx) UpdateFile(f *StoredFile) error { return fileTable.save(t, f) }

// DeleteFile removes the record of a file.
func (t *Tx) DeleteFile(id enlist.FileID) error {
	return t.Do("DELETE FROM file WHERE id = ?", int64(id))
}

// StoredFiles returns the number of an Account's files and the bytes of all content that is of no Import.
func (t *Tx) StoredFiles(account enlist.AccountID) (files, bytes int64, err error) {
	files, err = t.number("SELECT count(*) FROM file WHERE account_id = ?", int64(account))
	if err == nil {
		const sum = `SELECT CAST(sum(size) AS BIGINT) FROM file_content c WHERE account_id = ?
			AND NOT EXISTS (SELECT 1 FROM import WHERE content_id = c.id)`
		bytes, err = t.number(sum, int64(account))
	}
	return files, bytes, err
}

// AddContent stores the row of new content without pieces.
func (t *Tx) AddContent(c *Content) error { return contentTable.add(t, c) }

// Content returns the row of content, or ErrNotFound.
func (t *Tx) Content(id enlist.ContentID) (*Content, error) {
	return contentTable.one(t, enlist.ErrNotFound, "WHERE id = ?", int64(id))
}

// ContentUsed reports whether a file or an Import has the content.
func (t *Tx) ContentUsed(id enlist.ContentID) (bool, error) {
	n, err := t.number(`SELECT (SELECT count(*) FROM file WHERE content_id = ?1)
		+ (SELECT count(*) FROM import WHERE content_id = ?1)`, int64(id))
	return n > 0, err
}

// ReleaseContent marks content as removed.
func (t *Tx) ReleaseContent(id enlist.ContentID) error {
	return t.Do("UPDATE file_content SET size = 0 WHERE id = ?", int64(id))
}

// DeleteContent removes the row of content.
func (t *Tx) DeleteContent(id enlist.ContentID) error {
	return t.Do("DELETE FROM file_content WHERE id = ?", int64(id))
}

// AddPiece stores a piece of content.
func (t *Tx) AddPiece(id enlist.ContentID, number int64, data []byte) error {
	const add = "INSERT INTO file_piece (content_id, number, data) VALUES (?, ?, ?)"
	return t.Do(add, int64(id), number, data)
}

// Piece returns a piece of content, or ErrNotFound.
func (t *Tx) Piece(id enlist.ContentID, number int64) (data []byte, err error) {
	err = t.each(func(row *Cursor) error {
		data = []byte(row.Text()) // a copy: the engine may use its bytes again
		return nil
	}, "SELECT data FROM file_piece WHERE content_id = ? AND number = ?", int64(id), number)
	if err == nil && data == nil {
		err = enlist.ErrNotFound
	}
	return data, err
}

// DeletePieces removes the pieces with the highest numbers, at most limit, and returns how many it removed.
func (t *Tx) DeletePieces(id enlist.ContentID, limit int) (deleted int64, err error) {
	const remove = `DELETE FROM file_piece WHERE content_id = ? AND number IN (
		SELECT number FROM file_piece WHERE content_id = ? ORDER BY number DESC` + limited + ")"
	return t.Exec(remove, int64(id), int64(id), int64(limit))
}
