package storetest

import (
	"context"
	"errors"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/enlist"

	"github.com/google/go-cmp/cmp"
)

// This file tests the calls about Folders.

func folders(o *accountFixture) {
	o.addList()
	found, err := o.service.Accounts.SearchFolders(o.Context(), o.caller, "list", enlist.Query{})
	o.must(err)
	if len(found) != 1 || found[0].Type != accounts.FolderOfLists || found[0].ItemCount != 1 {
		o.Fatalf("the Folders are %+v, want one with one List", found)
	}
	f, err := o.service.Accounts.Folder(o.Context(), o.caller, found[0].ID)
	o.must(err)
	if diff := cmp.Diff(found[0], *f); diff != "" {
		o.Errorf("the Folder (-search +get):\n%s", diff)
	}
	if files, err := o.service.Accounts.SearchFolders(o.Context(), o.caller, "file", enlist.Query{}); err != nil || len(files) != 1 {
		o.Errorf("the Folders for files are %v, error %v; want one", files, err)
	}
	_, err = o.service.Accounts.SearchFolders(o.Context(), o.caller, "lists", enlist.Query{})
	o.refused(err, enlist.InvalidParameters, "list, message, file")
	_, err = o.service.Accounts.Folder(o.Context(), o.newCaller(), f.ID)
	o.refused(err, enlist.NoFolder, "")
	_, err = o.service.Accounts.Folder(o.Context(), o.restricted(1), f.ID)
	o.refused(err, enlist.Denied, "")
	_, err = o.service.Accounts.SearchFolders(o.Context(), o.restricted(1), "list", enlist.Query{})
	o.refused(err, enlist.Denied, "")
}

// deleteFileFolder deletes a Folder in which the Field of a deleted List stored its files. An Update that
// read every List of the Account would keep other callers waiting.
func deleteFileFolder(o *accountFixture) {
	first, second := o.addFileFolder("Photos"), o.addFileFolder("Letters")
	list := o.addList()
	o.addField(list, "name", "Photo", "type", "file", "file_folder_id", int(first))
	o.addField(list, "name", "Letter", "type", "file", "file_folder_id", int(second))
	o.service = app.New(noSchemaStore{o.store}, o.clock)
	o.refused(o.service.Accounts.DeleteFolder(o.Context(), o.caller, first), enlist.FolderNeeded, `the Field "Photo"`)
	o.service = app.New(o.store, o.clock)
	o.must(o.service.Contacts.DeleteList(o.Context(), o.caller, list))
	o.service = app.New(noSchemaStore{o.store}, o.clock)
	o.must(o.service.Accounts.DeleteFolder(o.Context(), o.caller, first))
	o.must(o.service.Accounts.DeleteFolder(o.Context(), o.caller, second))
	o.service = app.New(o.store, o.clock)
	files, err := o.service.Accounts.SearchFolders(o.Context(), o.caller, "file", enlist.Query{})
	o.must(err)
	o.refused(o.service.Accounts.DeleteFolder(o.Context(), o.caller, files[0].ID), enlist.FolderNeeded, "last Folder of this type")
}

// missingFolders starts a service on a database whose Accounts were added by an older version, which
// gave them only a Folder for Lists.
func missingFolders(o *accountFixture) {
	other := o.newCaller()
	message, err := o.service.Accounts.AddFolder(o.Context(), other, details("name", "Letters", "type", "message"))
	o.must(err)
	o.update(func(tx *db.Tx) error {
		for _, c := range []*enlist.Caller{o.caller, other} {
			all, err := accounts.Folders(tx, c.Account.ID)
			if err != nil {
				return err
			}
			for _, f := range all {
				if f.Type != accounts.FolderOfLists && f.ID != message {
					if err := accounts.DeleteFolder(tx, f.ID); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	for range 2 {
		if first, err := o.service.Bootstrap(o.Context(), ""); first != nil || err != nil {
			o.Fatalf("Bootstrap returned %v, error %v; want nil, because the database has a key", first, err)
		}
	}
	for _, account := range []struct {
		caller *enlist.Caller
		want   []string
	}{{o.caller, []string{"list Lists", "message Messages", "file Files"}}, {other, []string{"list Lists", "message Letters", "file Files"}}} {
		var got []string
		for _, folderType := range []string{"list", "message", "file"} {
			found, err := o.service.Accounts.SearchFolders(o.Context(), account.caller, folderType, enlist.Query{})
			o.must(err)
			for _, f := range found {
				got = append(got, f.Type+" "+f.Name)
			}
		}
		if diff := cmp.Diff(account.want, got); diff != "" {
			o.Errorf("the Folders after the start (-want +got):\n%s", diff)
		}
	}
}

func (o *accountFixture) addFileFolder(name string) enlist.FolderID {
	o.Helper()
	id, err := o.service.Accounts.AddFolder(o.Context(), o.caller, details("name", name, "type", "file"))
	o.must(err)
	return id
}

// noSchemaStore is a store whose Updates cannot read Lists.
type noSchemaStore struct{ db.Engine }

func (s noSchemaStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	return s.Engine.Update(ctx, Watch{Statement: func(query string, _ []any) error {
		if strings.Contains(query, "contact_count") {
			return errors.New("the Update read a List")
		}
		return nil
	}}.Run(fn))
}
