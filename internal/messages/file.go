package messages

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file has the files of a Message: its attachments and its inline images. A Message refers to files by
// their IDs, and a mail gets the content that the file has when the mail is sent. decisions.md: 65

// MessageFile is a file that the mails of a Message contain.
type MessageFile struct {
	File    enlist.FileID
	Name    string
	Type    string // media type
	Size    int64
	Content enlist.ContentID
	Inline  bool // an image that the HTML refers to as cid:NAME
}

// Limits of the files of a Message.
const (
	maxAttached     = 10 << 20 // sum of the sizes, in bytes: 14 MB in a mail, and some servers refuse 20 MB
	maxMessageFiles = 50
)

// fileIDs returns an Attribute for IDs of files. A reply shows them as text, separated by commas.
func fileIDs(name string, at func(*Message) *string) enlist.Attribute[Message] {
	return enlist.TextKey(name, at, func(text string) (string, error) {
		var ids []string
		for _, item := range enlist.SplitTrimmed(text) {
			id, ok := enlist.ParseInteger(item)
			if !ok || id <= 0 {
				return "", enlist.Expected("IDs of files; " + enlist.Quoted(item) + " is no ID")
			}
			if spelling := strconv.FormatInt(id, 10); !slices.Contains(ids, spelling) {
				ids = append(ids, spelling)
			}
		}
		return strings.Join(ids, ","), nil
	})
}

// splitIDs returns the IDs in a text that fileIDs has read.
func splitIDs(text string) (ids []enlist.FileID) {
	for _, item := range enlist.SplitTrimmed(text) {
		id, _ := enlist.ParseInteger(item) // fileIDs wrote a number
		ids = append(ids, enlist.FileID(id))
	}
	return ids
}

// uses reports whether a Message has a file.
func (m *Message) uses(id enlist.FileID) bool {
	return slices.Contains(splitIDs(m.Attachments), id) || slices.Contains(splitIDs(m.InlineImages), id)
}

// LoadFiles returns the files of a Message: the inline images and then the attachments.
func (m *Message) LoadFiles(tx *db.Tx) (all []MessageFile, err error) {
	for _, list := range []struct {
		key, ids string
		inline   bool
	}{{"inline_images", m.InlineImages, true}, {"attachments", m.Attachments, false}} {
		for _, id := range splitIDs(list.ids) {
			f, err := files.LoadFile(tx, m.AccountID, id)
			if enlist.IgnoreKind(enlist.NoFile, err) != nil {
				return nil, err
			}
			if err != nil {
				return nil, &enlist.Error{Kind: enlist.NoFile, Field: list.key,
					Detail: fmt.Sprintf("the Account has no file with the ID %d", id)}
			}
			all = append(all, MessageFile{File: f.ID, Name: f.Name, Type: f.Type, Size: f.Size, Content: f.Content,
				Inline: list.inline})
		}
	}
	return all, nil
}

// CheckFiles refuses files that the mails of a Message cannot contain.
func (m *Message) CheckFiles(tx *db.Tx) error {
	if n := strings.Count(m.Attachments+","+m.InlineImages, ",") + 1; n > maxMessageFiles {
		return enlist.Invalid("attachments", fmt.Sprintf("a Message has at most %d files", maxMessageFiles))
	}
	all, err := m.LoadFiles(tx)
	if err != nil {
		return err
	}
	return checkMessageFiles(all)
}

// checkMessageFiles checks the files of one Message together.
func checkMessageFiles(all []MessageFile) error {
	size, names := int64(0), make(map[string]bool)
	for i := range all {
		f := &all[i]
		size += f.Size
		if !f.Inline {
			continue
		}
		switch {
		case !files.ImageTypes[f.Type]:
			return enlist.Invalid("inline_images", enlist.Quoted(f.Name)+" is no PNG, JPEG, GIF or WebP image")
		case strings.ContainsFunc(f.Name, notInContentID):
			return enlist.Invalid("inline_images", "the name "+enlist.Quoted(f.Name)+
				" has characters other than ASCII letters, digits and . _ - @, so cid: cannot refer to it")
		case names[f.Name]:
			return enlist.Invalid("inline_images", "two images have the name "+enlist.Quoted(f.Name))
		}
		names[f.Name] = true
	}
	if size > maxAttached {
		return enlist.Invalid("attachments", fmt.Sprintf("the files have %d bytes together; an email has at most %d",
			size, maxAttached))
	}
	return nil
}

// notInContentID reports whether a character must not be in the Content-ID of an image. Mail programs find
// the image only if the Content-ID and the link in the HTML have the same characters.
func notInContentID(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-@", r))
}

// CheckFileUnused refuses to delete a file that a Message, a saved block or the theme has.
func CheckFileUnused(tx *db.Tx, f *files.StoredFile) error {
	all, err := Messages(tx, f.AccountID)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].uses(f.ID) {
			return enlist.Invalid("file_id", fmt.Sprintf("the Message %d has the file; remove it from the Message first",
				all[i].ID))
		}
	}
	return checkImageUnused(tx, f, "file_id")
}

// checkImageUnused refuses a change of a file that blocks, also saved ones, or the theme show. key is what the error names.
func checkImageUnused(tx *db.Tx, f *files.StoredFile, key string) error {
	message, err := blocksWithFile(tx, f.AccountID, f.ID)
	if err != nil {
		return err
	}
	if message != 0 {
		return enlist.Invalid(key, fmt.Sprintf("the Message %d shows the file; remove it from the Message first",
			message))
	}
	saved, err := savedWithFile(tx, f)
	if err != nil {
		return err
	}
	if saved != "" {
		return enlist.Invalid(key, "the saved block "+enlist.Quoted(saved)+" shows the file: delete the saved block first")
	}
	theme, err := accounts.Theme(tx, f.AccountID)
	if err == nil && DecodeTheme(theme).Logo == f.ID {
		err = enlist.Invalid(key, "the file is the logo of the theme: choose another one first")
	}
	return err
}

// CheckNewContent refuses new content of a file if the files of a Message would then break a rule, or if an image of
// blocks or of the theme would be none.
func CheckNewContent(tx *db.Tx, f *files.StoredFile) error {
	if !files.ImageTypes[f.Type] {
		if err := checkImageUnused(tx, f, "data"); err != nil {
			return err
		}
	}
	all, err := Messages(tx, f.AccountID)
	if err != nil {
		return err
	}
	for i := range all {
		m := &all[i]
		if !m.uses(f.ID) {
			continue
		}
		files, err := m.LoadFiles(tx)
		if err == nil {
			err = checkMessageFiles(files)
		}
		if e, ok := errors.AsType[*enlist.Error](err); ok {
			return enlist.Invalid("data", fmt.Sprintf("the Message %d has the file: %s", m.ID, e.Detail))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
