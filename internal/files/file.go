package files

import (
	"context"
	"errors"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the record of a file, its keys, and the calls that find and delete files.
// upload.go stores files, content.go has their content, and see.go says who sees them. decisions.md: 64

// StoredFile is a file of an Account, without its content.
type StoredFile struct {
	ID               enlist.FileID
	AccountID        enlist.AccountID
	CreatorKeyID     enlist.KeyID
	CreatorName      string
	CreatorUser      int64 // ID of the user who uploaded it; 0: a key, the operator, or a version that did not store it
	CreationTime     int64
	LastModifiedTime int64 // when the content was stored last
	FolderID         enlist.FolderID
	Name             string // unique in its Folder
	Type             string // media type, such as image/png
	Size             int64  // in bytes
	Content          enlist.ContentID
	ImageWidth       int64 // in pixels, like ImageHeight; 0: no image whose size is known
	ImageHeight      int64
	ModifierKeyID    enlist.KeyID // the key that stored the content last
	URL              string       // of the link that serves the file; the Service sets it, and no Store has it
}

// FileAttributes are the keys of a File record, in the order of a reply.
var FileAttributes = []enlist.Attribute[StoredFile]{
	fileNumber("id", func(f *StoredFile) enlist.FileID { return f.ID }),
	fileNumber("folder_id", func(f *StoredFile) enlist.FolderID { return f.FolderID }),
	fileText("basename", func(f *StoredFile) string { return strings.TrimSuffix(f.Name, path.Ext(f.Name)) }),
	fileText("extension", func(f *StoredFile) string { return path.Ext(f.Name) }),
	fileNumber("size", func(f *StoredFile) int64 { return f.Size }),
	fileNumber("creation_time", func(f *StoredFile) int64 { return f.CreationTime }),
	fileNumber("image_width", func(f *StoredFile) int64 { return f.ImageWidth }),
	fileNumber("image_height", func(f *StoredFile) int64 { return f.ImageHeight }),
	fileText("mime_type", func(f *StoredFile) string { return f.Type }),
	fileNumber("last_modified_time", func(f *StoredFile) int64 { return f.LastModifiedTime }),
	fileNumber("last_modified_user_id", func(f *StoredFile) enlist.KeyID { return f.ModifierKeyID }),
	fileText("name", func(f *StoredFile) string { return f.Name }),
	fileText("url", func(f *StoredFile) string { return f.URL }),
}

// fileNumber returns a key with an integer. Criteria may test every key of a file, and callers can set none.
func fileNumber[N ~int64](name string, at func(*StoredFile) N) enlist.Attribute[StoredFile] {
	return enlist.Searchable(enlist.ReadOnlyInt(name, at))
}

func fileText(name string, at func(*StoredFile) string) enlist.Attribute[StoredFile] {
	return enlist.Searchable(enlist.ReadOnlyText(name, at))
}

// FileSettings are what the links of files need.
type FileSettings struct {
	PublicURL string
	Key       enlist.LinkKey
}

// maxFiles is the largest number of files of an Account. A search reads all of their records.
const maxFiles = 10_000

// SetFileSettings replaces the settings. Call it before the calls that read files.
func (s *Service) SetFileSettings(f FileSettings) { s.files = f }

// Above has what packages above this one do.
type Above struct {
	Unused     func(*db.Tx, *StoredFile) error // refuses to delete a file that a Message has
	NewContent func(*db.Tx, *StoredFile) error // refuses content with which a Message would break a rule

	// Shown returns the files that Messages which the caller sees, or the theme, show: all, or whether only is one of them.
	Shown func(tx *db.Tx, c *enlist.Caller, only enlist.FileID) (map[enlist.FileID]bool, error)

	OfImports func(*db.Tx, enlist.AccountID) ([]enlist.ContentID, error) // the contents of an Account's Imports
}

func (s *Service) withURL(f *StoredFile) *StoredFile {
	f.URL = s.files.PublicURL + s.files.Key.FilePath(f.ID)
	return f
}

// ReadFileName reads the name of a file. Mail programs and browsers store files under their names, so a
// name has no path and no characters that hide its end.
func ReadFileName(text string) (string, error) {
	name := strings.TrimSpace(text)
	hidden := func(r rune) bool { return unicode.IsControl(r) || r == '/' || r == '\\' || changesDirection(r) }
	if name == "" || name == "." || name == ".." || utf8.RuneCountInString(name) > enlist.MaxName ||
		strings.ContainsFunc(name, hidden) {
		return "", enlist.Expected("a file name of 1 to 255 characters without a path and without control characters")
	}
	return name, nil
}

// changesDirection reports whether a character changes the direction of the text after it.
func changesDirection(r rune) bool {
	return '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// SearchFiles returns the Account's files that the caller sees and that match. Errors: Denied, InvalidSearch.
func (s *Service) SearchFiles(ctx context.Context, c *enlist.Caller, q enlist.Query) ([]StoredFile, error) {
	if err := requireFiles(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]StoredFile, error) {
		files, err := s.seenFiles(tx, c)
		if err != nil {
			return nil, err
		}
		for i := range files {
			s.withURL(&files[i])
		}
		return enlist.SearchRecords(FileAttributes, files, q)
	})
}

// File returns one file. Errors: Denied, and NoFile, also for one that the caller does not see.
func (s *Service) File(ctx context.Context, c *enlist.Caller, id enlist.FileID) (*StoredFile, error) {
	if err := requireFiles(c); err != nil {
		return nil, err
	}
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*StoredFile, error) {
		f, err := s.loadSeen(tx, c, id)
		if err != nil {
			return nil, err
		}
		return s.withURL(f), nil
	})
}

// LoadFile returns one file of an Account. For a file of another Account it returns the same error as
// for an unknown file. reference.md: auth.restricted
func LoadFile(tx *db.Tx, account enlist.AccountID, id enlist.FileID) (*StoredFile, error) {
	f, err := File(tx, id)
	if err == nil && f.AccountID != account {
		err = enlist.ErrNoFile
	}
	return f, err
}

// FindFile returns the ID of the file with exactly this name in a Folder, or 0 if there is none.
// Errors: Denied, NoFolder.
func (s *Service) FindFile(ctx context.Context, c *enlist.Caller, name string,
	folder enlist.FolderID) (enlist.FileID, error) {
	return db.ViewUnrestricted(ctx, s.db, c, func(tx *db.Tx) (enlist.FileID, error) {
		if err := CheckFileFolder(tx, c, folder); err != nil {
			return 0, err
		}
		f, err := fileByName(tx, folder, strings.TrimSpace(name))
		if err != nil {
			return 0, enlist.IgnoreKind(enlist.NotFound, err)
		}
		return f.ID, nil
	})
}

// CheckFileFolder refuses an ID if the Account has no Folder for files with this ID.
func CheckFileFolder(tx *db.Tx, c *enlist.Caller, id enlist.FolderID) error {
	f, _, err := accounts.LoadFolder(tx, c, id)
	if err == nil && f.Type != accounts.FolderOfFiles {
		err = enlist.Refuse(enlist.NoFolder, "the Account has no Folder for files with this ID")
	}
	return err
}

// DeleteFile removes a file. Its link stops working at once, and a job removes the content. Errors:
// Denied, NoFile, and InvalidParameters if a Message has it.
func (s *Service) DeleteFile(ctx context.Context, c *enlist.Caller, id enlist.FileID) error {
	if err := requireFiles(c); err != nil {
		return err
	}
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		if err := LockFiles(tx, c.Account.ID); err != nil {
			return err
		}
		f, err := s.loadSeen(tx, c, id)
		if err == nil {
			err = f.requireWriter(c)
		}
		if err != nil {
			return err
		}
		if err := s.above.Unused(tx, f); err != nil {
			return err
		}
		return errors.Join(deleteFile(tx, id), releaseCopies(tx, id, now), release(tx, f.Content, now),
			accounts.Audit(tx, c, now, f.audited(), f.auditValues(), nil))
	})
}

func (f *StoredFile) audited() accounts.AuditObject {
	return accounts.AuditObject{Kind: "File", ID: int64(f.ID), List: 0}
}

func (f *StoredFile) auditValues() accounts.AuditValues {
	return accounts.AuditValues{"folder_id": int64(f.FolderID), "name": f.Name, "type": f.Type, "size": f.Size}
}
