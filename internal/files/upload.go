package files

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores uploaded files. The content is stored in pieces, a few in each Update, so that on
// SQLite other callers can write in between. The last Update adds the record of the file or, if a file
// with the name is overwritten, gives it the new content. Until then no call shows the upload.

// What an upload does if its Folder has a file with the same name.
const (
	DuplicateIncrement = "increment" // stores another file, with a number in its name
	DuplicateOverwrite = "overwrite" // replaces the content of the file
)

// UploadRequest is a file to store.
type UploadRequest struct {
	Folder      enlist.FolderID
	Details     []enlist.Detail // name and data; data is base64, with or without line breaks
	OnDuplicate string          // DuplicateIncrement, which "" means too, or DuplicateOverwrite
}

// UploadStep is the number of pieces that one Update stores: 1 MiB.
const UploadStep = 4

// UploadTime is the time in seconds after which the pieces of an upload that has not ended are removed.
const UploadTime = 60 * 60

// uploadProgress is how much of an upload is stored.
type uploadProgress struct {
	Content enlist.ContentID `json:"content"`
	Pieces  int64            `json:"pieces"`
	File    enlist.FileID    `json:"file"`
}

// UploadFile stores a file and returns it with its ID and its URL only. Errors: Denied, NoFolder, and
// InvalidParameters for a name, data or size that is not valid, and if the Account has too many files.
// reference.md: uploadBase64FileData
func (s *Service) UploadFile(ctx context.Context, c *enlist.Caller, r UploadRequest) (*StoredFile, error) {
	if err := requireFiles(c); err != nil {
		return nil, err
	}
	_, err := db.View(ctx, s.db, c, func(tx *db.Tx) (bool, error) {
		return true, CheckFileFolder(tx, c, r.Folder)
	})
	if err != nil {
		return nil, err
	}
	u, err := readUpload(r, s.accounts.Settings().Of(c.Account.ID), &s.above)
	if err != nil {
		return nil, err
	}
	p, err := db.RunInSteps(ctx, s.db, c, db.Steps[uploadProgress]{
		Prepare: func(_ context.Context, p uploadProgress) error {
			_, err := u.next(p.Pieces) // decodes outside the Update
			return err
		},
		Run: func(tx *db.Tx, now int64, p *uploadProgress) (bool, error) { return u.step(tx, c, now, p) },
	})
	if err != nil {
		return nil, err
	}
	return s.withURL(&StoredFile{ID: p.File}), nil
}

// upload is an UploadRequest after it was checked.
type upload struct {
	folder    enlist.FolderID
	name      string
	data      string // base64
	mediaType string
	sha256    string // of the content, in hex
	size      int64
	width     int64 // of an image, in pixels, like height
	height    int64
	overwrite bool
	maxTotal  int64
	above     *Above

	// The decoder of data, and the pieces that it returned last.
	decoder io.Reader
	from    int64 // number of the first of the decoded pieces
	decoded [][]byte
}

// readUpload checks the values of a request. It decodes the data once to find its size and its type.
func readUpload(r UploadRequest, limits *accounts.Settings, above *Above) (*upload, error) {
	u := &upload{folder: r.Folder, overwrite: r.OnDuplicate == DuplicateOverwrite, maxTotal: limits.MaxFiles,
		above: above}
	if _, err := enlist.OneOf("", DuplicateIncrement, DuplicateOverwrite)(r.OnDuplicate); err != nil {
		return nil, enlist.Invalid("duplicate_action", err.Error())
	}
	for i := range r.Details {
		d := &r.Details[i]
		if d.Key != "name" && d.Key != "data" {
			continue
		}
		if d.Value.Kind != enlist.InputText {
			return nil, enlist.Invalid(d.Key, "expected a string")
		}
		if d.Key == "name" {
			u.name = d.Value.Text
		} else {
			u.data = d.Value.Text
		}
	}
	var err error
	u.name, err = ReadFileName(u.name)
	if err != nil {
		return nil, enlist.Invalid("name", err.Error())
	}
	if err := u.measure(limits.MaxFile); err != nil {
		return nil, enlist.Invalid("data", err.Error())
	}
	return u, nil
}

// measure decodes the data and sets the size, the type, the hash and the size of an image. most is the largest size in
// bytes.
func (u *upload) measure(most int64) error {
	var head prefix
	sum := sha256.New()
	decoder := base64.NewDecoder(base64.StdEncoding, strings.NewReader(u.data))
	size, err := io.Copy(io.MultiWriter(&head, sum), io.LimitReader(decoder, most+1))
	switch {
	case size > most:
		return enlist.Expected(fmt.Sprintf("a file of at most %d bytes", most))
	case err != nil || size == 0:
		return enlist.Expected("the content of a file in base64, which must not be empty")
	}
	u.size, u.mediaType, u.sha256 = size, TypeOf(u.name, head), hex.EncodeToString(sum.Sum(nil))
	u.width, u.height = imageSize(u.mediaType, base64.NewDecoder(base64.StdEncoding, strings.NewReader(u.data)))
	return nil
}

// prefix is a Writer that keeps the bytes that decide the type of a file.
type prefix []byte

// Write implements io.Writer.
func (p *prefix) Write(b []byte) (int, error) {
	*p = append(*p, b[:min(len(b), SniffLength-len(*p))]...)
	return len(b), nil
}

// next returns the pieces of one step, beginning with a number. Steps need the pieces in order, so next
// decodes the data from its start only if another process has stored the pieces before.
func (u *upload) next(from int64) ([][]byte, error) {
	if u.decoded != nil && u.from == from {
		return u.decoded, nil
	}
	if u.decoder == nil || from != u.from+int64(len(u.decoded)) {
		u.decoder = base64.NewDecoder(base64.StdEncoding, strings.NewReader(u.data))
		if _, err := io.CopyN(io.Discard, u.decoder, min(from*PieceSize, u.size)); err != nil {
			return nil, fmt.Errorf("decode the file: %w", err)
		}
	}
	u.from, u.decoded = from, nil
	for n := from; n < min(from+UploadStep, Pieces(u.size)); n++ {
		piece := make([]byte, min(PieceSize, u.size-n*PieceSize))
		if _, err := io.ReadFull(u.decoder, piece); err != nil {
			return nil, fmt.Errorf("decode the file: %w", err)
		}
		u.decoded = append(u.decoded, piece)
	}
	return u.decoded, nil
}

// step stores the next pieces. After the last piece it stores the file.
func (u *upload) step(tx *db.Tx, c *enlist.Caller, now int64, p *uploadProgress) (done bool, err error) {
	if err := LockFiles(tx, c.Account.ID); err != nil {
		return false, err
	}
	if p.Content != 0 { // a call that is repeated hours later may find its pieces removed
		content, err := LoadContent(tx, p.Content)
		if enlist.IgnoreKind(enlist.NotFound, err) != nil {
			return false, err
		}
		if err != nil || content.Size == 0 {
			*p = uploadProgress{}
		}
	}
	if p.Content == 0 {
		if err := u.begin(tx, c, now, p); err != nil {
			return false, err
		}
	}
	parts, err := u.next(p.Pieces)
	if err != nil {
		return false, err
	}
	for _, data := range parts {
		if err := AddPiece(tx, p.Content, p.Pieces, data); err != nil {
			return false, err
		}
		p.Pieces++
	}
	if p.Pieces < Pieces(u.size) {
		return false, nil
	}
	p.File, err = u.finish(tx, c, now, p.Content)
	return true, err
}

// begin checks the limits of the Account and adds the content. An upload of several steps may never
// end, so a job removes its pieces then.
func (u *upload) begin(tx *db.Tx, c *enlist.Caller, now int64, p *uploadProgress) error {
	if err := CheckFileFolder(tx, c, u.folder); err != nil {
		return err
	}
	files, bytes, err := u.above.storedFiles(tx, c.Account.ID)
	switch {
	case err != nil:
		return err
	case files >= maxFiles:
		return enlist.Invalid("file_details", fmt.Sprintf("the Account has %d files, which is the limit; delete some first", files))
	case bytes+u.size > u.maxTotal:
		return enlist.Invalid("data", fmt.Sprintf("the files of the Account have %d bytes, and the limit is %d; "+
			"delete some first", bytes, u.maxTotal))
	}
	content := Content{AccountID: c.Account.ID, Size: u.size}
	if err := content.Add(tx); err != nil {
		return err
	}
	p.Content = content.ID
	if Pieces(u.size) > UploadStep {
		return tx.Enqueue(RemoveContent{Content: content.ID, Due: now + UploadTime})
	}
	return nil
}

// finish adds the record of the file, or overwrites the file with the same name.
func (u *upload) finish(tx *db.Tx, c *enlist.Caller, now int64, content enlist.ContentID) (enlist.FileID, error) {
	if err := CheckFileFolder(tx, c, u.folder); err != nil {
		return 0, err
	}
	name := u.name
	same, err := fileByName(tx, u.folder, name)
	switch {
	case err == nil && u.overwrite:
		if err := same.requireWriter(c); err != nil {
			return 0, err
		}
		old, before := same.Content, same.auditValues()
		same.Content, same.Size, same.Type, same.LastModifiedTime = content, u.size, u.mediaType, now
		same.ImageWidth, same.ImageHeight, same.ModifierKeyID = u.width, u.height, c.Key.ID
		if err := fileTable.Save(tx, same); err != nil {
			return 0, err
		}
		return same.ID, errors.Join(u.above.NewContent(tx, same), releaseCopies(tx, same.ID, now), release(tx, old, now),
			u.audit(tx, c, now, before, same))
	case err == nil:
		name, err = freeName(tx, u.folder, name)
	}
	if enlist.IgnoreKind(enlist.NotFound, err) != nil {
		return 0, err
	}
	f := &StoredFile{AccountID: c.Account.ID, CreatorKeyID: c.Key.ID, CreatorName: c.Key.Name, CreatorUser: c.User, CreationTime: now,
		LastModifiedTime: now, FolderID: u.folder, Name: name, Type: u.mediaType, Size: u.size, Content: content,
		ImageWidth: u.width, ImageHeight: u.height, ModifierKeyID: c.Key.ID}
	if err := fileTable.Add(tx, f); err != nil {
		return 0, err
	}
	return f.ID, u.audit(tx, c, now, nil, f)
}

// audit adds a row to the audit log, with the hash of the new content.
func (u *upload) audit(tx *db.Tx, c *enlist.Caller, now int64, before accounts.AuditValues, f *StoredFile) error {
	after := f.auditValues()
	after["sha256"] = u.sha256
	return accounts.Audit(tx, c, now, f.audited(), before, after)
}

// freeName returns a name with a number, such as photo_1.jpg, that no file of the Folder has. It first
// doubles the number and then halves the interval, so that it needs few look-ups.
func freeName(tx *db.Tx, folder enlist.FolderID, name string) (string, error) {
	isTaken := func(n int64) (bool, error) {
		_, err := fileByName(tx, folder, numberedName(name, n))
		return err == nil, enlist.IgnoreKind(enlist.NotFound, err)
	}
	taken, free := int64(0), int64(1)
	for {
		is, err := isTaken(free)
		if err != nil {
			return "", err
		}
		if !is {
			break
		}
		taken, free = free, 2*free
	}
	for free-taken > 1 {
		middle := (taken + free) / 2
		is, err := isTaken(middle)
		if err != nil {
			return "", err
		}
		if is {
			taken = middle
		} else {
			free = middle
		}
	}
	return numberedName(name, free), nil
}

// numberedName puts a number before the extension of a name. It cuts a name that would become too long.
func numberedName(name string, n int64) string {
	extension := path.Ext(name)
	stem, suffix := strings.TrimSuffix(name, extension), "_"+strconv.FormatInt(n, 10)+extension
	if most := enlist.MaxName - utf8.RuneCountInString(suffix); utf8.RuneCountInString(stem) > most {
		stem = string([]rune(stem)[:max(most, 0)])
	}
	return stem + suffix
}
