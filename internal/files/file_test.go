package files_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file tests files: uploads in pieces, limits, and the removal of content.

// covers: spec files.upload, files.limits, files.name, files.type, files.imageSize, files.used, message.files, decision 64, decision 65
func TestFiles(t *testing.T) {
	apptest.Run(t, apptest.Own, newFileFixture, []apptest.Rule[*fileFixture]{
		{Name: "a file of several pieces is returned byte for byte", Test: largeFile},
		{Name: "base64 may have line breaks", Test: wrappedBase64},
		{Name: "an upload with an Idempotency-Key continues after its last step", Test: uploadContinues},
		{Name: "an upload whose pieces were removed starts again", Test: uploadStartsAgain},
		{Name: "a file with a name that exists gets a number", Test: increment},
		{Name: "overwriting keeps the ID and removes the old content", Test: overwrite},
		{Name: "simultaneous uploads of one name get different names", Test: sameName},
		{Name: "the content of a deleted file is removed in steps", Test: removeContent},
		{Name: "the pieces of an interrupted upload are removed", Test: interruptedUpload},
		{Name: "a file and an Account have a largest size", Test: fileLimits},
		{Name: "a file of another Account is like a file that does not exist", Test: foreignFile},
		{Name: "a Folder counts its files and cannot be deleted with them", Test: folderOfFiles},
		{Name: "only the content decides whether a file is an image", Test: fileTypes},
		{Name: "the record has the size of an image, and who stored the content last", Test: imageSizes},
		{Name: "a file that a Message has cannot be deleted", Test: fileOfMessage},
		{Name: "the files of a Message have limits", Test: messageFileLimits},
		{Name: "new content of a file must suit its Messages", Test: newContentOfMessage},
		{Name: "a mail has the content that a file has when it is sent", Test: mailFiles},
	})
}

// fileFixture is an Account fixture with the Folder for files of the Account.
type fileFixture struct {
	*apptest.Account
	folder enlist.FolderID
}

func newFileFixture(t *testing.T, store db.Engine) *fileFixture {
	f := &fileFixture{Account: apptest.NewAccount(t, store)}
	folders, err := f.App.Accounts.SearchFolders(t.Context(), f.Caller, "file", enlist.Query{})
	f.Must(err)
	f.folder = folders[0].ID
	return f
}

// piecesOfStep is the number of pieces that an upload stores in one Update.
const piecesOfStep = 4

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

func uploadRequest(folder enlist.FolderID, name string, content []byte, action string) files.UploadRequest {
	return files.UploadRequest{Folder: folder, OnDuplicate: action,
		Details: apptest.Details("name", name, "data", base64.StdEncoding.EncodeToString(content))}
}

func (f *fileFixture) upload(name string, content []byte, action string) enlist.FileID {
	f.Helper()
	file, err := f.App.Files.UploadFile(f.Context(), f.Caller, uploadRequest(f.folder, name, content, action))
	f.Must(err)
	return file.ID
}

func (f *fileFixture) file(id enlist.FileID) *files.StoredFile {
	f.Helper()
	file, err := f.App.Files.File(f.Context(), f.Caller, id)
	f.Must(err)
	return file
}

// content reads the content of a file piece by piece.
func (f *fileFixture) content(file *files.StoredFile) []byte {
	f.Helper()
	var all []byte
	for n := int64(0); n*files.PieceSize < file.Size; n++ {
		piece, err := f.App.Files.Piece(f.Context(), file.Content, n)
		f.Must(err)
		all = append(all, piece...)
	}
	return all
}

// wantContent checks the record and the content of a file.
func (f *fileFixture) wantContent(id enlist.FileID, name string, content []byte) *files.StoredFile {
	f.Helper()
	file := f.file(id)
	if file.Name != name || file.Size != int64(len(content)) || !bytes.Equal(f.content(file), content) {
		f.Errorf("the file %d is %+v, want %s with %d bytes that are equal", id, *file, name, len(content))
	}
	return file
}

// piecesOf returns the number of stored pieces of content.
func (f *fileFixture) piecesOf(id enlist.ContentID) (n int) {
	f.Helper()
	f.Must(f.Store.View(f.Context(), func(tx *db.Tx) error {
		for n = 0; ; n++ {
			if _, err := files.Piece(tx, id, int64(n)); err != nil {
				if enlist.KindOf(err) == enlist.NotFound {
					return nil
				}
				return err
			}
		}
	}))
	return n
}

func largeFile(f *fileFixture) {
	for _, size := range []int{1, files.PieceSize - 1, files.PieceSize, files.PieceSize + 1,
		piecesOfStep * files.PieceSize, 2*piecesOfStep*files.PieceSize + 7} {
		content := randomBytes(size)
		name := fmt.Sprintf("file of %d.bin", size)
		file := f.wantContent(f.upload(name, content, ""), name, content)
		if file.CreationTime != f.Now.Unix() || file.CreatorName != "test key" || file.FolderID != f.folder || file.Type != "application/octet-stream" {
			f.Errorf("the record is %+v", *file)
		}
	}
	found, err := f.App.Files.SearchFiles(f.Context(), f.Caller, enlist.Query{Limit: 2, SortBy: "size", Descending: true})
	f.Must(err)
	if len(found) != 2 || found[0].Size < found[1].Size || !strings.HasPrefix(found[0].URL, "/f/6/") {
		f.Errorf("the largest files are %+v", found)
	}
}

func wrappedBase64(f *fileFixture) {
	content := randomBytes(3000)
	var wrapped strings.Builder
	for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString(content)), 76) {
		wrapped.WriteString(string(line) + "\r\n")
	}
	file, err := f.App.Files.UploadFile(f.Context(), f.Caller, files.UploadRequest{Folder: f.folder,
		Details: apptest.Details("name", " a.txt ", "data", wrapped.String())})
	f.Must(err)
	f.wantContent(file.ID, "a.txt", content)
}

// stoppingStore refuses Updates after some have run.
type stoppingStore struct {
	db.Engine
	left int
}

var errStopped = errors.New("the process stopped")

func (s *stoppingStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	if s.left == 0 {
		return errStopped
	}
	s.left--
	return s.Engine.Update(ctx, fn)
}

// stopUpload starts an upload that stops after some Updates.
func (f *fileFixture) stopUpload(c *enlist.Caller, r files.UploadRequest, updates int) {
	f.Helper()
	stopping := app.New(&stoppingStore{f.Store, updates}, f.Clock)
	if _, err := stopping.Files.UploadFile(f.Context(), c, r); !errors.Is(err, errStopped) {
		f.Fatalf("the upload ended with the error %v, want %v", err, errStopped)
	}
}

// firstContent is the ID of the first content of a database.
const firstContent = enlist.ContentID(1)

func uploadContinues(f *fileFixture) {
	content := randomBytes(3*piecesOfStep*files.PieceSize - 5)
	r, caller := uploadRequest(f.folder, "a.bin", content, ""), f.Retrying("upload")
	f.stopUpload(caller, r, 2)
	if n := f.piecesOf(firstContent); n != 2*piecesOfStep {
		f.Fatalf("after two steps there are %d pieces, want %d", n, 2*piecesOfStep)
	}
	for range 2 { // the second call returns the result of the first one
		file, err := f.App.Files.UploadFile(f.Context(), caller, r)
		f.Must(err)
		stored := f.wantContent(file.ID, "a.bin", content)
		if stored.Content != firstContent || stored.ID != 1 {
			f.Errorf("the repeated call stored %+v, want the content of the first call", *stored)
		}
	}
}

func uploadStartsAgain(f *fileFixture) {
	content := randomBytes(2*piecesOfStep*files.PieceSize + 1)
	r, caller := uploadRequest(f.folder, "a.bin", content, ""), f.Retrying("upload")
	f.stopUpload(caller, r, 1)
	f.removeContent(firstContent, 1) // the removal has begun
	file, err := f.App.Files.UploadFile(f.Context(), caller, r)
	f.Must(err)
	if stored := f.wantContent(file.ID, "a.bin", content); stored.Content == firstContent {
		f.Error("the upload used content that is being removed")
	}
}

func increment(f *fileFixture) {
	want := []string{"photo.tar.gz", "photo.tar_1.gz", "photo.tar_2.gz", "photo.tar_3.gz", "photo.tar_4.gz", "photo.tar_5.gz"}
	for i, name := range want {
		action := ""
		if i%2 == 1 {
			action = files.DuplicateIncrement
		}
		content := []byte{byte(i)}
		f.wantContent(f.upload("photo.tar.gz", content, action), name, content)
	}
	long := strings.Repeat("ä", 251) + ".txt"
	f.upload(long, []byte("a"), "")
	f.wantContent(f.upload(long, []byte("b"), ""), strings.Repeat("ä", 249)+"_1.txt", []byte("b"))
	f.upload("none", []byte("a"), "")
	f.wantContent(f.upload("none", []byte("b"), ""), "none_1", []byte("b"))
	id, err := f.App.Files.FindFile(f.Context(), f.Caller, "photo.tar_2.gz", f.folder)
	f.Must(err)
	if id != 3 {
		f.Errorf("FindFile returned %d, want 3", id)
	}
}

func overwrite(f *fileFixture) {
	first, second := randomBytes(files.PieceSize+1), []byte("\x89PNG\r\n\x1a\nsmall")
	id := f.upload("a.png", first, files.DuplicateOverwrite)
	old := f.file(id)
	f.Now = f.Now.Add(time.Hour)
	if again := f.upload("a.png", second, files.DuplicateOverwrite); again != id {
		f.Errorf("the file got the ID %d, want %d", again, id)
	}
	now := f.wantContent(id, "a.png", second)
	if now.Content == old.Content || now.CreationTime != old.CreationTime || now.LastModifiedTime != f.Now.Unix() ||
		now.Type != "image/png" || now.URL != old.URL {
		f.Errorf("the file is %+v after it was overwritten; it was %+v", *now, *old)
	}
	f.removeContent(old.Content, 1)
	f.wantContent(id, "a.png", second)
	if n := f.piecesOf(old.Content); n != 0 {
		f.Errorf("%d pieces of the old content are left, want none", n)
	}
}

func sameName(f *fileFixture) {
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			r := uploadRequest(f.folder, "same.txt", []byte{byte(i)}, "")
			if _, err := f.App.Files.UploadFile(f.Context(), f.Caller, r); err != nil {
				f.Error(err)
			}
		})
	}
	group.Wait()
	found, err := f.App.Files.SearchFiles(f.Context(), f.Caller, enlist.Query{})
	f.Must(err)
	names := make(map[string]bool)
	for _, file := range found {
		names[file.Name] = true
	}
	if len(found) != 8 || len(names) != 8 {
		f.Errorf("%d files with %d names were stored, want 8 of each", len(found), len(names))
	}
}

// removeContent runs steps of the job that removes content.
func (f *fileFixture) removeContent(id enlist.ContentID, steps int) (done bool) {
	f.Helper()
	for range steps {
		var err error
		done, err = f.App.Files.RemoveContent(f.Context(), files.RemoveContent{Content: id})
		f.Must(err)
	}
	return done
}

func removeContent(f *fileFixture) {
	const pieces = 17 // a step removes 8 pieces
	kept := randomBytes(10)
	other := f.upload("kept.bin", kept, "")
	file := f.file(f.upload("a.bin", randomBytes(pieces*files.PieceSize), ""))
	if !f.removeContent(file.Content, 1) || f.piecesOf(file.Content) != pieces {
		f.Error("the job removed content that a file has")
	}
	f.Must(f.App.Files.DeleteFile(f.Context(), f.Caller, file.ID))
	_, err := f.App.Files.File(f.Context(), f.Caller, file.ID)
	f.Refused(err, enlist.NoFile, "no file with this ID")
	f.Refused(f.App.Files.DeleteFile(f.Context(), f.Caller, file.ID), enlist.NoFile, "no file with this ID")
	if _, err := f.App.Files.FileOfLink(f.Context(), file.ID); !errors.Is(err, enlist.ErrNoFile) {
		f.Errorf("the link of a deleted file returned the error %v", err)
	}
	for step, want := range []int{9, 1, 0} {
		if done := f.removeContent(file.Content, 1); done != (want == 0) || f.piecesOf(file.Content) != want {
			f.Errorf("after step %d, %d pieces are left and done is %v; want %d", step, f.piecesOf(file.Content), done, want)
		}
	}
	if !f.removeContent(file.Content, 1) {
		f.Error("a job that runs again is not done")
	}
	f.wantContent(other, "kept.bin", kept)
}

func interruptedUpload(f *fileFixture) {
	content := randomBytes(2 * piecesOfStep * files.PieceSize)
	f.stopUpload(f.Caller, uploadRequest(f.folder, "a.bin", content, ""), 1)
	if n := f.piecesOf(firstContent); n != piecesOfStep {
		f.Fatalf("there are %d pieces, want %d", n, piecesOfStep)
	}
	if found, err := f.App.Files.SearchFiles(f.Context(), f.Caller, enlist.Query{}); err != nil || len(found) != 0 {
		f.Errorf("an upload that has not ended is found: %+v, %v", found, err)
	}
	if !f.removeContent(firstContent, 1) || f.piecesOf(firstContent) != 0 {
		f.Error("the pieces are not removed")
	}
}

func fileLimits(f *fileFixture) {
	f.Must(f.App.Accounts.ChangeSettings(f.Context(), f.Caller.Account.ID, map[string]string{"max-file": "100", "max-files": "250"}))
	f.Must(f.App.ReadSettings(f.Context()))
	upload := func(name string, size int, action string) error {
		_, err := f.App.Files.UploadFile(f.Context(), f.Caller, uploadRequest(f.folder, name, randomBytes(size), action))
		return err
	}
	f.Refused(upload("a", 101, ""), enlist.InvalidParameters, "at most 100 bytes")
	f.Must(upload("a", 100, ""))
	f.Must(upload("b", 100, ""))
	f.Refused(upload("c", 51, ""), enlist.InvalidParameters, "have 200 bytes, and the limit is 250")
	f.Must(upload("c", 50, ""))
	id, err := f.App.Files.FindFile(f.Context(), f.Caller, "a", f.folder)
	f.Must(err)
	f.Must(f.App.Files.DeleteFile(f.Context(), f.Caller, id))
	f.Must(upload("b", 100, files.DuplicateOverwrite))
	f.Must(upload("d", 100, "")) // the overwritten content does not count any more
	_, err = f.App.Files.UploadFile(f.Context(), f.Caller, files.UploadRequest{Folder: f.folder, Details: apptest.Details("name", "e", "data", "QUJD"), OnDuplicate: "skip"})
	f.Refused(err, enlist.InvalidParameters, "one of increment, overwrite")
}

func foreignFile(f *fileFixture) {
	id, other := f.upload("a.txt", []byte("a"), ""), f.NewCaller()
	_, err := f.App.Files.File(f.Context(), other, id)
	f.Refused(err, enlist.NoFile, "no file with this ID")
	f.Refused(f.App.Files.DeleteFile(f.Context(), other, id), enlist.NoFile, "no file with this ID")
	_, err = f.App.Files.UploadFile(f.Context(), other, uploadRequest(f.folder, "a.txt", []byte("b"), files.DuplicateOverwrite))
	f.Refused(err, enlist.NoFolder, "")
	_, err = f.App.Files.FindFile(f.Context(), other, "a.txt", f.folder)
	f.Refused(err, enlist.NoFolder, "")
	if found, err := f.App.Files.SearchFiles(f.Context(), other, enlist.Query{}); err != nil || len(found) != 0 {
		f.Errorf("another Account finds %+v, %v", found, err)
	}
	f.wantContent(id, "a.txt", []byte("a"))
	restricted := f.Restricted(1)
	_, err = f.App.Files.SearchFiles(f.Context(), restricted, enlist.Query{})
	f.Refused(err, enlist.Denied, "")
	f.Refused(f.App.Files.DeleteFile(f.Context(), restricted, id), enlist.Denied, "")
	_, err = f.App.Files.UploadFile(f.Context(), restricted, uploadRequest(f.folder, "b.txt", []byte("b"), ""))
	f.Refused(err, enlist.Denied, "")
}

func folderOfFiles(f *fileFixture) {
	second := f.AddFileFolder("Photos")
	f.folder = second
	id := f.upload("a.txt", []byte("a"), "")
	f.Refused(f.App.Accounts.DeleteFolder(f.Context(), f.Caller, second), enlist.FolderNeeded, "not empty")
	folder, err := f.App.Accounts.Folder(f.Context(), f.Caller, second)
	f.Must(err)
	if folder.ItemCount != 1 {
		f.Errorf("the Folder has %d items, want 1", folder.ItemCount)
	}
	f.Must(f.App.Files.DeleteFile(f.Context(), f.Caller, id))
	f.Must(f.App.Accounts.DeleteFolder(f.Context(), f.Caller, second))
	_, err = f.App.Files.UploadFile(f.Context(), f.Caller, uploadRequest(second, "a.txt", []byte("a"), ""))
	f.Refused(err, enlist.NoFolder, "")
}

func (f *fileFixture) addMessage(pairs ...any) enlist.MessageID {
	f.Helper()
	id, err := f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details(append([]any{"name", "News", "subject", "News", "text_content", "Hello"}, pairs...)...))
	f.Must(err)
	return id
}
