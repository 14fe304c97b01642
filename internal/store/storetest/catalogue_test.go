package storetest

import (
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests that a store returns Accounts, keys, Lists and Fields with the content that was stored.

func accountRecords(t *testing.T, s db.Engine) {
	a := enlist.Account{Name: "Zoë’s Club", TimeZone: "Australia/Sydney", ContactLimit: 5, CreationTime: 7}
	b := enlist.Account{Name: "B", TimeZone: "UTC", ContactLimit: enlist.NoContactLimit}
	update(t, s, func(tx *db.Tx) error {
		if err := accounts.Insert(tx, &a); err != nil {
			return err
		}
		return accounts.Insert(tx, &b)
	})
	if a.ID == 0 || b.ID <= a.ID {
		t.Errorf("the Accounts have the IDs %d and %d, want them above 0 and increasing", a.ID, b.ID)
	}
	b.Name, b.TimeZone, b.ContactLimit = "C", "Europe/Berlin", 0
	update(t, s, func(tx *db.Tx) error { return accounts.Update(tx, &b) })
	view(t, s, func(tx *db.Tx) error {
		all, err := accounts.All(tx)
		same(t, "accounts", all, []enlist.Account{a, b})
		one, oneErr := accounts.ByID(tx, b.ID)
		same(t, "account", one, &b)
		if oneErr != nil {
			t.Error(oneErr)
		}
		_, oneErr = accounts.ByID(tx, b.ID+1)
		wantKind(t, "unknown account", oneErr, enlist.Internal)
		folders, foldersErr := accounts.Folders(tx, a.ID)
		if foldersErr != nil || len(folders) != 3 || folders[0].Type != "list" || folders[1].Type != "message" || folders[2].Type != "file" {
			t.Errorf("a new Account has the Folders %v, error %v; want one of each type", folders, foldersErr)
		}
		return err
	})
}

func keys(t *testing.T, s db.Engine) {
	a := enlist.Key{AccountID: 1, Name: "web site", Prefix: "01234567", Level: enlist.Standard,
		CreationTime: 5, ExpiryTime: 9}
	b := enlist.Key{AccountID: 2, Name: "shop", Level: enlist.Full, Lists: []enlist.ListID{3, 4},
		Rate: enlist.CallRate{Calls: 600, Period: enlist.PerMinute, Burst: 50}}
	update(t, s, func(tx *db.Tx) error {
		if err := accounts.AddKey(tx, &a, enlist.HashKey("a")); err != nil {
			return err
		}
		return accounts.AddKey(tx, &b, enlist.HashKey("b"))
	})
	byHash := func(text string) *enlist.Key {
		var k *enlist.Key
		view(t, s, func(tx *db.Tx) (err error) {
			k, err = accounts.KeyByHash(tx, enlist.HashKey(text))
			return err
		})
		return k
	}
	same(t, "key a", byHash("a"), &a)
	same(t, "key b", byHash("b"), &b)
	update(t, s, func(tx *db.Tx) error {
		wantKind(t, "revoking an unknown key", accounts.RevokeKey(tx, b.ID+1, 50), enlist.InvalidKey)
		return accounts.RevokeKey(tx, b.ID, 50)
	})
	update(t, s, func(tx *db.Tx) error { return accounts.RevokeKey(tx, b.ID, 60) })
	if k := byHash("b"); k.RevokedTime != 50 {
		t.Errorf("the key is revoked at %d, want the time of the first call, 50", k.RevokedTime)
	}
	update(t, s, func(tx *db.Tx) error {
		wantKind(t, "the rate of an unknown key", accounts.SetKeyRate(tx, b.ID+1, a.Rate), enlist.InvalidKey)
		return accounts.SetKeyRate(tx, a.ID, enlist.AnyRate)
	})
	if k := byHash("a"); k.Rate != enlist.AnyRate {
		t.Errorf("the rate of the key is %v, want none", k.Rate)
	}
	update(t, s, func(tx *db.Tx) error { return accounts.TouchKeys(tx, map[enlist.KeyID]int64{a.ID: 70}) })
	update(t, s, func(tx *db.Tx) error { return accounts.TouchKeys(tx, map[enlist.KeyID]int64{a.ID: 60}) })
	a.LastUsedTime, a.Rate, b.RevokedTime = 70, enlist.AnyRate, 50
	view(t, s, func(tx *db.Tx) error {
		all, err := accounts.Keys(tx)
		same(t, "keys", all, []enlist.Key{a, b})
		_, unknown := accounts.KeyByHash(tx, enlist.HashKey("c"))
		wantKind(t, "unknown key", unknown, enlist.InvalidKey)
		return err
	})
}

func listRecords(t *testing.T, s db.Engine) {
	l := enlist.List{AccountID: 7, CreatorKeyID: 2, CreatorName: "n", Name: "News", CreationTime: 3,
		LastModifiedTime: 4, OnRegister: "a@example.com", OnUpdate: "b@example.com", OnUnsubscribe: "c@example.com",
		DisallowDuplicates: true, SendToDuplicates: true, CountryCode: 44, VirtualNumber: "1", SMSStopWords: "stop",
		SMSResponseAction: "do_nothing", SMSResponseFields: "2", AddressTypes: "email", GDPR: true, DoubleOptIn: true,
		TrackOpens: true, TrackClicks: true, FromName: "Club", FromAddress: "club@example.com"}
	folder := accounts.Folder{AccountID: 7, Name: "Lists", Type: "list"}
	p := enlist.Preference{Name: "Weekly"}
	update(t, s, func(tx *db.Tx) error {
		if err := accounts.AddFolder(tx, &folder); err != nil {
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
		view(t, s, func(tx *db.Tx) error {
			all, err := lists.OfAccount(tx, 7)
			same(t, "Lists", all, want)
			return err
		})
	}
	check([]enlist.List{l})
	l.Name, l.GDPR, l.OnRegister = "Other", false, ""
	update(t, s, func(tx *db.Tx) error { return lists.Update(tx, &l) })
	check([]enlist.List{l})
	view(t, s, func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, l.ID)
		if err != nil {
			return err
		}
		same(t, "List of the schema", schema.List, l)
		same(t, "preferences", schema.Preferences, []enlist.Preference{p})
		folders, err := accounts.Folders(tx, 7)
		if err == nil && (len(folders) != 1 || folders[0].ItemCount != 1) {
			t.Errorf("Folders %v, want one with one item", folders)
		}
		return err
	})
	update(t, s, func(tx *db.Tx) error { return lists.DeletePreference(tx, l.ID, p.ID) })
	update(t, s, func(tx *db.Tx) error { return lists.MarkListDeleted(tx, l.ID) })
	check(nil)
	update(t, s, func(tx *db.Tx) error { return contacts.DropList(tx, l.ID) })
	view(t, s, func(tx *db.Tx) error {
		_, err := lists.Schema(tx, l.ID)
		wantKind(t, "schema of a deleted List", err, enlist.NoList)
		return nil
	})
	again := enlist.List{AccountID: 7, Name: "New"}
	update(t, s, func(tx *db.Tx) error { return lists.Insert(tx, &again) })
	if again.ID <= l.ID {
		t.Errorf("the new List has the ID %d, want more than the ID of the deleted List, %d", again.ID, l.ID)
	}
}

func fields(t *testing.T, s db.Engine) {
	list := newSchema(t, s).List.ID
	f := enlist.Field{ListID: list, Name: "Größe", Type: enlist.Dropdown, Mandatory: true, AllowUpdate: true,
		ShowInForm: true, Length: 3, Size: 4, RowSize: "5", DefaultValue: "d", Values: "a,b", Defaults: "a", DontStoreDefault: true,
		AllowedFileTypes: "images", FileFolderID: 6, TimeFormat: "24h", DateValidation: "past", DisplayOrder: 9}
	update(t, s, func(tx *db.Tx) error { return lists.AddField(tx, &f) })
	byName := func() *enlist.Field {
		var found *enlist.Field
		view(t, s, func(tx *db.Tx) error {
			schema, err := lists.Schema(tx, list)
			if err == nil {
				found = schema.FieldNamed("Größe")
			}
			return err
		})
		return found
	}
	same(t, "Field", byName(), &f)
	f.Type, f.Mandatory, f.Values, f.DisplayOrder = enlist.Text, false, "", -1
	update(t, s, func(tx *db.Tx) error { return lists.UpdateField(tx, &f) })
	same(t, "changed Field", byName(), &f)
	update(t, s, func(tx *db.Tx) error { return lists.DeleteField(tx, list, f.ID) })
	if byName() != nil {
		t.Error("the deleted Field still exists")
	}
}
