package lists_test

import (
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests that a store returns Accounts, keys, Lists and Fields with the content that was stored.

func TestListsAreReturnedAsStored(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewStore, []apptest.Rule[apptest.Store]{
		{Name: "a List is returned with the content that was stored, and its ID is never used again", Test: listRecords},
		{Name: "a Field is returned with the content that was stored", Test: fields},
	})
}

func listRecords(o apptest.Store) {
	t, s := o.T, o.Engine
	l := enlist.List{AccountID: 7, CreatorKeyID: 2, CreatorName: "n", Name: "News", CreationTime: 3,
		LastModifiedTime: 4, OnRegister: "a@example.com", OnUpdate: "b@example.com", OnUnsubscribe: "c@example.com",
		DisallowDuplicates: true, SendToDuplicates: true, CountryCode: 44, VirtualNumber: "1", SMSStopWords: "stop",
		SMSResponseAction: "do_nothing", SMSResponseFields: "2", AddressTypes: "email", GDPR: true, DoubleOptIn: true,
		TrackOpens: true, TrackClicks: true, FromName: "Club", FromAddress: "club@example.com"}
	folder := accounts.Folder{AccountID: 7, Name: "Lists", Type: "list"}
	p := enlist.Preference{Name: "Weekly"}
	apptest.Update(t, s, func(tx *db.Tx) error {
		if err := folder.Add(tx); err != nil {
			return err
		}
		l.FolderID, l.FolderName = folder.ID, folder.Name
		if err := lists.Insert(tx, &l); err != nil {
			return err
		}
		p.ListID = l.ID
		return lists.AddPreference(tx, &p)
	})
	check := func(want []enlist.List) {
		t.Helper()
		apptest.View(t, s, func(tx *db.Tx) error {
			all, err := lists.OfAccount(tx, 7)
			apptest.Same(t, "Lists", all, want)
			return err
		})
	}
	check([]enlist.List{l})
	l.Name, l.GDPR, l.OnRegister = "Other", false, ""
	apptest.Update(t, s, func(tx *db.Tx) error { return lists.Update(tx, &l) })
	check([]enlist.List{l})
	folder.Name, l.FolderName = "Mailings", "Mailings"
	apptest.Update(t, s, func(tx *db.Tx) error { return folder.Update(tx) })
	check([]enlist.List{l})
	apptest.View(t, s, func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, l.ID)
		if err != nil {
			return err
		}
		apptest.Same(t, "List of the schema", schema.List, l)
		apptest.Same(t, "preferences", schema.Preferences, []enlist.Preference{p})
		folders, err := accounts.Folders(tx, 7)
		if err == nil && (len(folders) != 1 || folders[0].ItemCount != 1) {
			t.Errorf("Folders %v, want one with one item", folders)
		}
		return err
	})
	apptest.Update(t, s, func(tx *db.Tx) error { return lists.DeletePreference(tx, l.ID, p.ID) })
	apptest.Update(t, s, func(tx *db.Tx) error { return lists.MarkListDeleted(tx, l.ID) })
	check(nil)
	apptest.Update(t, s, func(tx *db.Tx) error { return app.New(s, time.Now).Contacts.DropList(tx, l.ID) })
	apptest.View(t, s, func(tx *db.Tx) error {
		_, err := lists.Schema(tx, l.ID)
		apptest.WantKind(t, "schema of a deleted List", err, enlist.NoList)
		return nil
	})
	again := enlist.List{AccountID: 7, Name: "New"}
	apptest.Update(t, s, func(tx *db.Tx) error { return lists.Insert(tx, &again) })
	if again.ID <= l.ID {
		t.Errorf("the new List has the ID %d, want more than the ID of the deleted List, %d", again.ID, l.ID)
	}
}

func fields(o apptest.Store) {
	t, s := o.T, o.Engine
	list := apptest.NewSchema(t, s).List.ID
	f := enlist.Field{ListID: list, Name: "Größe", Type: enlist.Dropdown, Mandatory: true, AllowUpdate: true,
		ShowInForm: true, Length: 3, Size: 4, RowSize: "5", DefaultValue: "d", Values: "a,b", Defaults: "a", DontStoreDefault: true,
		AllowedFileTypes: "images", FileFolderID: 6, TimeFormat: "24h", DateValidation: "past", DisplayOrder: 9}
	apptest.Update(t, s, func(tx *db.Tx) error { return lists.AddField(tx, &f) })
	byName := func() *enlist.Field {
		var found *enlist.Field
		apptest.View(t, s, func(tx *db.Tx) error {
			schema, err := lists.Schema(tx, list)
			if err == nil {
				found = schema.FieldNamed("Größe")
			}
			return err
		})
		return found
	}
	apptest.Same(t, "Field", byName(), &f)
	f.Type, f.Mandatory, f.Values, f.DisplayOrder = enlist.Text, false, "", -1
	apptest.Update(t, s, func(tx *db.Tx) error { return lists.UpdateField(tx, &f) })
	apptest.Same(t, "changed Field", byName(), &f)
	apptest.Update(t, s, func(tx *db.Tx) error { return lists.DeleteField(tx, list, f.ID) })
	if byName() != nil {
		t.Error("the deleted Field still exists")
	}
}
