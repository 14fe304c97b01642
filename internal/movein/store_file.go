package movein

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file stores files that move in from another service. Their content is stored in pieces, like an upload.

// storeFile stores a file under its ID with the content and the size that open returns: the size of the record is not
// always in bytes. It does nothing if the file is stored already with the same name, size and time of the last change;
// a record without a size is compared without it.
// The limits of uploads are not applied. moved is false if the file is left out, also if open returns a refusal
// (Refuse).
func (by *Mover) storeFile(ctx context.Context, record Record, open func() (io.ReadCloser, int64, error)) (
	moved bool, err error) {
	m := fileMove{Mover: by, record: record}
	var stored bool
	err = by.step(ctx, func(w *writing) (err error) {
		stored, err = m.read(w)
		return err
	})
	if err != nil || m.file.Name == "" {
		return false, err
	}
	r := reader{record: record, about: Problem{Record: "file", ID: record.ID()}, problems: new([]Problem)}
	if !stored {
		content, size, err := open()
		if err == nil {
			m.file.Size = size
			err = errors.Join(m.store(ctx, content), content.Close())
		}
		if err != nil {
			err = r.refuseError("", err)
			by.refused(*r.problems)
			return false, err
		}
	}
	// Mails of this service do not show all files as images that the other service calls images.
	if strings.HasPrefix(record.Text("content_type"), "image/") && !m.file.IsShown() {
		r.refuse("content_type", "mails show only PNG, JPEG, GIF and WebP as images; the file has moved as a download")
	}
	by.refused(*r.problems)
	return true, nil
}

// fileMove stores one file.
type fileMove struct {
	*Mover
	record Record
	file   files.StoredFile
}

// read reads the record, and finds the Folder. The name of a file that is left out is empty. isStored says that an
// earlier move has stored the same file.
func (m *fileMove) read(w *writing) (isStored bool, err error) {
	tx, r := w.tx, w.reader("file", m.record)
	// Only earlier versions of this service have the creator.
	modifier := enlist.KeyID(r.int("last_modified_user_id"))
	m.file = files.StoredFile{ID: enlist.FileID(m.record.ID()), AccountID: m.Caller.Account.ID,
		CreatorKeyID: cmp.Or(enlist.KeyID(r.int("creator_user_id")), modifier), CreatorName: r.line("creator_name"),
		ModifierKeyID: modifier, CreationTime: r.int("creation_time"), LastModifiedTime: r.int("last_modified_time"),
		FolderID: enlist.FolderID(r.int("folder_id"))}
	name, err := files.ReadFileName(m.record.Text("name"))
	if err != nil {
		return false, r.refuseError("name", enlist.Invalid("name", err.Error()))
	}
	m.file.Name = name
	if err := files.CheckFileFolder(tx, m.Caller, m.file.FolderID); err != nil {
		if m.file.FolderID == 0 {
			err = enlist.IgnoreKind(enlist.NoFolder, err)
		}
		if err != nil && r.refuseError("folder_id", err) != nil {
			return false, err
		}
		m.file.FolderID, err = firstFileFolder(tx, m.Caller)
		if err != nil {
			return false, err
		}
	}
	old, err := files.File(tx, m.file.ID)
	if err != nil {
		return false, enlist.IgnoreKind(enlist.NoFile, err)
	}
	// A file can change twice within a second. If the other service rounds sizes, each run reads the file again.
	same := old.LastModifiedTime == m.file.LastModifiedTime && old.Name == m.file.Name &&
		(m.record.value("size").Omitted() || old.Size == r.int("size"))
	m.file.Type = old.Type
	return same, nil
}

// firstFileFolder returns the oldest Folder for files. Each Account has one.
func firstFileFolder(tx *db.Tx, c *enlist.Caller) (enlist.FolderID, error) {
	folders, err := accounts.Folders(tx, c.Account.ID)
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(folders, func(f accounts.Folder) bool { return f.Type == accounts.FolderOfFiles })
	if i < 0 {
		return 0, errors.New("the Account has no Folder for files")
	}
	return folders[i].ID, nil
}

// store stores the content in steps, and then the file. A job removes the content of a move that was stopped.
func (m *fileMove) store(ctx context.Context, content io.Reader) error {
	stored, number := files.Content{AccountID: m.Caller.Account.ID, Size: m.file.Size}, int64(0)
	for done := false; !done; {
		var parts [][]byte
		for len(parts) < files.UploadStep && number+int64(len(parts)) < files.Pieces(m.file.Size) {
			piece := make([]byte, min(files.PieceSize, m.file.Size-(number+int64(len(parts)))*files.PieceSize))
			if _, err := io.ReadFull(content, piece); err != nil {
				return fmt.Errorf("file %d: read the content, which should have %d bytes: %w", m.file.ID, m.file.Size,
					err)
			}
			parts = append(parts, piece)
		}
		if number == 0 && len(parts) > 0 {
			m.file.Type = files.TypeOf(m.file.Name, parts[0][:min(len(parts[0]), files.SniffLength)])
			m.file.ReadImageSize(bytes.NewReader(bytes.Join(parts, nil)))
		}
		done = number+int64(len(parts)) == files.Pieces(m.file.Size)
		if done {
			if n, _ := io.ReadFull(content, make([]byte, 1)); n > 0 {
				return fmt.Errorf("file %d: its content has more than %d bytes", m.file.ID, m.file.Size)
			}
		}
		next, err := db.Update(ctx, m.Service.DB, m.Caller, func(tx *db.Tx, now int64) (files.Content, error) {
			return m.storePieces(tx, now, stored, number, parts, done)
		})
		if err != nil {
			return err
		}
		stored, number = next, number+int64(len(parts))
	}
	return nil
}

// storePieces stores some pieces of the content, and with the last ones the file.
func (m *fileMove) storePieces(tx *db.Tx, now int64, content files.Content, number int64, parts [][]byte,
	last bool) (files.Content, error) {
	if err := files.LockFiles(tx, content.AccountID); err != nil {
		return content, err
	}
	if content.ID == 0 {
		if err := content.Add(tx); err != nil {
			return content, err
		}
		if err := tx.Enqueue(files.RemoveContent{Content: content.ID, Due: now + files.UploadTime}); err != nil {
			return content, err
		}
	}
	for i, data := range parts {
		if err := files.AddPiece(tx, content.ID, number+int64(i), data); err != nil {
			return content, err
		}
	}
	if !last {
		return content, nil
	}
	stored, err := files.LoadContent(tx, content.ID)
	if err != nil || stored.Size != content.Size {
		return content, errors.Join(err, fmt.Errorf("file %d: reading it took more than %d minutes", m.file.ID,
			files.UploadTime/60))
	}
	file := m.file
	file.Content = content.ID
	return content, files.Restore(tx, now, &file)
}
