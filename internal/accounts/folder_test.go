package accounts_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"

	"github.com/google/go-cmp/cmp"
)

// This file tests the calls about Folders.

// covers: spec folder.first
func TestFolders(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "Folders are found by their type", Test: folders},
	})
}

func TestFoldersOfAllAccounts(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a Folder for files is deleted without reading the Account's Lists", Test: deleteFileFolder},
	})
}

func folders(o *apptest.Account) {
	o.AddList()
	found, err := o.App.Accounts.SearchFolders(o.Context(), o.Caller, "list", enlist.Query{})
	o.Must(err)
	if len(found) != 1 || found[0].Type != accounts.FolderOfLists || found[0].ItemCount != 1 {
		o.Fatalf("the Folders are %+v, want one with one List", found)
	}
	f, err := o.App.Accounts.Folder(o.Context(), o.Caller, found[0].ID)
	o.Must(err)
	if diff := cmp.Diff(found[0], *f); diff != "" {
		o.Errorf("the Folder (-search +get):\n%s", diff)
	}
	if files, err := o.App.Accounts.SearchFolders(o.Context(), o.Caller, "file", enlist.Query{}); err != nil || len(files) != 1 {
		o.Errorf("the Folders for files are %v, error %v; want one", files, err)
	}
	_, err = o.App.Accounts.SearchFolders(o.Context(), o.Caller, "lists", enlist.Query{})
	o.Refused(err, enlist.InvalidParameters, "list, message, file")
	_, err = o.App.Accounts.Folder(o.Context(), o.NewCaller(), f.ID)
	o.Refused(err, enlist.NoFolder, "")
	_, err = o.App.Accounts.Folder(o.Context(), o.Restricted(1), f.ID)
	o.Refused(err, enlist.Denied, "")
	_, err = o.App.Accounts.SearchFolders(o.Context(), o.Restricted(1), "list", enlist.Query{})
	o.Refused(err, enlist.Denied, "")
}

// deleteFileFolder deletes a Folder in which the Field of a deleted List stored its files. An Update that
// read every List of the Account would keep other callers waiting.
func deleteFileFolder(o *apptest.Account) {
	first, second := o.AddFileFolder("Photos"), o.AddFileFolder("Letters")
	list := o.AddList()
	o.AddField(list, "name", "Photo", "type", "file", "file_folder_id", int(first))
	o.AddField(list, "name", "Letter", "type", "file", "file_folder_id", int(second))
	o.App = app.New(noSchemaStore{o.Store}, o.Clock)
	o.Refused(o.App.Accounts.DeleteFolder(o.Context(), o.Caller, first), enlist.FolderNeeded, `the Field "Photo"`)
	o.App = app.New(o.Store, o.Clock)
	o.Must(o.App.Contacts.DeleteList(o.Context(), o.Caller, list))
	o.App = app.New(noSchemaStore{o.Store}, o.Clock)
	o.Must(o.App.Accounts.DeleteFolder(o.Context(), o.Caller, first))
	o.Must(o.App.Accounts.DeleteFolder(o.Context(), o.Caller, second))
	o.App = app.New(o.Store, o.Clock)
	files, err := o.App.Accounts.SearchFolders(o.Context(), o.Caller, "file", enlist.Query{})
	o.Must(err)
	o.Refused(o.App.Accounts.DeleteFolder(o.Context(), o.Caller, files[0].ID), enlist.FolderNeeded, "last Folder of this type")
}

// noSchemaStore is a store whose Updates cannot read Lists.
type noSchemaStore struct{ db.Engine }

func (s noSchemaStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	return s.Engine.Update(ctx, apptest.Watch{Statement: func(query string, _ []any) error {
		if strings.Contains(query, "contact_count") {
			return errors.New("the Update read a List")
		}
		return nil
	}}.Run(fn))
}
