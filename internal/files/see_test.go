package files_test

import (
	"encoding/base64"
	"slices"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// covers: spec auth.restricted, decision 171
func TestFilesOfAWriter(t *testing.T) {
	apptest.Run(t, apptest.Own, newFileFixture, []apptest.Rule[*fileFixture]{
		{Name: "a user of some Lists sees the own files and those of Messages that the user sees", Test: filesSeen},
		{Name: "a user of some Lists replaces and deletes only the own files", Test: filesChanged},
	})
}

// userOf returns the Caller of a user of some Lists.
func (f *fileFixture) userOf(user int64, lists ...enlist.ListID) *enlist.Caller {
	c := *f.Caller
	c.User, c.Key = user, &enlist.Key{Name: "Li", AccountID: c.Account.ID, Role: enlist.Writer, Lists: lists}
	return &c
}

// stored stores a file for a caller.
func (f *fileFixture) stored(c *enlist.Caller, name, text, onDuplicate string) (enlist.FileID, error) {
	file, err := f.App.Files.UploadFile(f.Context(), c, files.UploadRequest{Folder: f.folder, OnDuplicate: onDuplicate,
		Details: apptest.Details("name", name, "data", base64.StdEncoding.EncodeToString([]byte(text)))})
	if err != nil {
		return 0, err
	}
	return file.ID, nil
}

// seen returns the files that a caller sees, and compares them with those that the caller gets one by one.
func (f *fileFixture) seen(c *enlist.Caller) (ids []enlist.FileID) {
	f.Helper()
	all, err := f.App.Files.SearchFiles(f.Context(), c, enlist.Query{})
	f.Must(err)
	for i := range all {
		ids = append(ids, all[i].ID)
	}
	every, err := f.App.Files.SearchFiles(f.Context(), f.Caller, enlist.Query{})
	f.Must(err)
	for i := range every {
		_, err := f.App.Files.File(f.Context(), c, every[i].ID)
		if (err == nil) != slices.Contains(ids, every[i].ID) || err != nil && enlist.KindOf(err) != enlist.NoFile {
			f.Errorf("the search has the files %v, and the file %d is answered with %v", ids, every[i].ID, err)
		}
	}
	return ids
}

func filesSeen(f *fileFixture) {
	list := f.AddList()
	user, other := f.userOf(7, list), f.userOf(8, list)
	old, err := f.stored(f.Caller, "old.txt", "x", "")
	f.Must(err)
	mine, err := f.stored(user, "mine.txt", "x", "")
	f.Must(err)
	_, err = f.stored(other, "other.txt", "x", "")
	f.Must(err)
	if got := f.seen(user); !slices.Equal(got, []enlist.FileID{mine}) {
		f.Errorf("the user sees %v, want the own file %d", got, mine)
	}
	_, err = f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "Template", "subject", "x", "text_content", "x", "is_template", true, "attachments", int(old)))
	f.Must(err)
	if got := f.seen(user); !slices.Equal(got, []enlist.FileID{old, mine}) {
		f.Errorf("the user sees %v, want also the file %d of a template", got, old)
	}
	if got := f.seen(f.Caller); len(got) != 3 {
		f.Errorf("the Account has the files %v", got)
	}
	_, err = f.App.Messages.AddMessage(f.Context(), user, apptest.Details("name", "Mine", "subject", "x", "text_content", "x", "attachments", int(mine)))
	f.Must(err)
	_, err = f.App.Messages.AddMessage(f.Context(), other, apptest.Details("name", "Theirs", "subject", "x", "text_content", "x", "attachments", int(mine)))
	if enlist.KindOf(err) != enlist.NoFile {
		f.Errorf("a file of others goes into a Message: %v", err)
	}
}

func filesChanged(f *fileFixture) {
	list := f.AddList()
	user, other, all := f.userOf(7, list), f.userOf(8, list), f.userOf(9)
	all.Key.Lists = nil
	id, err := f.stored(other, "a.txt", "x", "")
	f.Must(err)
	if _, err := f.stored(user, "a.txt", "taken", files.DuplicateOverwrite); enlist.KindOf(err) != enlist.Denied {
		f.Errorf("a user replaces the file of another one: %v", err)
	}
	if err := f.App.Files.DeleteFile(f.Context(), user, id); enlist.KindOf(err) != enlist.NoFile {
		f.Errorf("a user deletes a file that the user does not see: %v", err)
	}
	_, err = f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "Template", "subject", "x", "text_content", "x", "is_template", true, "attachments", int(id)))
	f.Must(err)
	if err := f.App.Files.DeleteFile(f.Context(), user, id); enlist.KindOf(err) != enlist.Denied {
		f.Errorf("a user deletes a file of another one that the user sees: %v", err)
	}
	for _, c := range []*enlist.Caller{other, all} {
		if same, err := f.stored(c, "a.txt", "new", files.DuplicateOverwrite); err != nil || same != id {
			f.Errorf("the user %d replaces the file: %d, %v", c.User, same, err)
		}
	}
	reader := f.userOf(8, list)
	reader.Key.Role = enlist.Reader
	if _, err := f.stored(reader, "a.txt", "new", files.DuplicateOverwrite); enlist.KindOf(err) != enlist.Denied {
		f.Errorf("a writer who is a reader now replaces the file: %v", err)
	}
}
