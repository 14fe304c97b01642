package accounts_test

import (
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

func TestAccountsAreReturnedAsStored(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewStore, []apptest.Rule[apptest.Store]{
		{Name: "an Account is returned with the content that was stored", Test: accountRecords},
		{Name: "a key is found by its hash until it is revoked", Test: keys},
	})
}

func accountRecords(o apptest.Store) {
	t, s := o.T, o.Engine
	a := enlist.Account{Name: "Zoë’s Club", TimeZone: "Australia/Sydney", ContactLimit: 5, CreationTime: 7}
	b := enlist.Account{Name: "B", TimeZone: "UTC", ContactLimit: enlist.NoContactLimit}
	apptest.Update(t, s, func(tx *db.Tx) error {
		if err := accounts.Insert(tx, &a); err != nil {
			return err
		}
		return accounts.Insert(tx, &b)
	})
	if a.ID == 0 || b.ID <= a.ID {
		t.Errorf("the Accounts have the IDs %d and %d, want them above 0 and increasing", a.ID, b.ID)
	}
	b.Name, b.TimeZone, b.ContactLimit = "C", "Europe/Berlin", 0
	apptest.Update(t, s, func(tx *db.Tx) error { return accounts.Update(tx, &b) })
	apptest.View(t, s, func(tx *db.Tx) error {
		all, err := accounts.All(tx)
		apptest.Same(t, "accounts", all, []enlist.Account{a, b})
		one, oneErr := accounts.ByID(tx, b.ID)
		apptest.Same(t, "account", one, &b)
		if oneErr != nil {
			t.Error(oneErr)
		}
		_, oneErr = accounts.ByID(tx, b.ID+1)
		apptest.WantKind(t, "unknown account", oneErr, enlist.Internal)
		folders, foldersErr := accounts.Folders(tx, a.ID)
		if foldersErr != nil || len(folders) != 3 || folders[0].Type != "list" || folders[1].Type != "message" || folders[2].Type != "file" {
			t.Errorf("a new Account has the Folders %v, error %v; want one of each type", folders, foldersErr)
		}
		return err
	})
}

func keys(o apptest.Store) {
	t, s := o.T, o.Engine
	a := enlist.Key{AccountID: 1, Name: "web site", Prefix: "01234567", Level: enlist.Standard,
		CreationTime: 5, ExpiryTime: 9}
	b := enlist.Key{AccountID: 2, Name: "shop", Level: enlist.Full, Lists: []enlist.ListID{3, 4},
		Rate: enlist.CallRate{Calls: 600, Period: enlist.PerMinute, Burst: 50}}
	apptest.Update(t, s, func(tx *db.Tx) error {
		if err := accounts.AddKey(tx, &a, enlist.HashKey("a")); err != nil {
			return err
		}
		return accounts.AddKey(tx, &b, enlist.HashKey("b"))
	})
	byHash := func(text string) *enlist.Key {
		var k *enlist.Key
		apptest.View(t, s, func(tx *db.Tx) (err error) {
			k, err = accounts.KeyByHash(tx, enlist.HashKey(text))
			return err
		})
		return k
	}
	apptest.Same(t, "key a", byHash("a"), &a)
	apptest.Same(t, "key b", byHash("b"), &b)
	apptest.Update(t, s, func(tx *db.Tx) error {
		apptest.WantKind(t, "revoking an unknown key", accounts.RevokeKey(tx, b.ID+1, 50), enlist.InvalidKey)
		return accounts.RevokeKey(tx, b.ID, 50)
	})
	apptest.Update(t, s, func(tx *db.Tx) error { return accounts.RevokeKey(tx, b.ID, 60) })
	if k := byHash("b"); k.RevokedTime != 50 {
		t.Errorf("the key is revoked at %d, want the time of the first call, 50", k.RevokedTime)
	}
	apptest.Update(t, s, func(tx *db.Tx) error {
		unknown := a
		unknown.ID, a.Rate, a.Name, a.IsStrict = b.ID+1, enlist.AnyRate, "renamed", !a.IsStrict
		apptest.WantKind(t, "an edit of an unknown key", accounts.UpdateKey(tx, &unknown), enlist.InvalidKey)
		return accounts.UpdateKey(tx, &a)
	})
	apptest.Same(t, "the key after its edit", byHash("a"), &a)
	apptest.Update(t, s, func(tx *db.Tx) error { return accounts.TouchKeys(tx, map[enlist.KeyID]int64{a.ID: 70}) })
	apptest.Update(t, s, func(tx *db.Tx) error { return accounts.TouchKeys(tx, map[enlist.KeyID]int64{a.ID: 60}) })
	a.LastUsedTime, b.RevokedTime = 70, 50
	apptest.View(t, s, func(tx *db.Tx) error {
		all, err := accounts.Keys(tx, 0)
		apptest.Same(t, "keys", all, []enlist.Key{a, b})
		_, unknown := accounts.KeyByHash(tx, enlist.HashKey("c"))
		apptest.WantKind(t, "unknown key", unknown, enlist.InvalidKey)
		return err
	})
}
