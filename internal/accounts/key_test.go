package accounts_test

import (
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/enlist"
)

func TestAccountKeys(t *testing.T) {
	apptest.Run(t, apptest.Shared, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "a person of level full makes, edits and revokes the keys of the Account, in the audit log", Test: administerKeys},
		{Name: "no other person may, and a key of another Account does not exist", Test: foreignKeys},
		{Name: "a person who may not send makes only keys of level read", Test: keysWithoutSending},
		{Name: "a person gives no key more calls than the server does, and keeps what the operator gave", Test: keyRates},
	})
}

func administerKeys(f *apptest.Account) {
	c := *f.Caller
	c.Actor = enlist.Actor{User: "maria@example.com", Method: "POST /admin/keys"}
	k, text, err := f.App.Accounts.AddAccountKey(f.Context(), &c, accounts.KeyDetails{Account: 1 << 40, Name: "shop", Level: enlist.Full, Strict: true})
	f.Must(err)
	name, strict := "web shop", false
	f.Must(f.App.Accounts.EditAccountKey(f.Context(), &c, k.ID, accounts.KeyEdit{Name: &name, Strict: &strict, Rate: &enlist.AnyRate}))
	known, err := f.App.Accounts.Authenticate(f.Context(), text)
	f.Must(err)
	f.Must(f.App.Accounts.Recheck(f.Context(), known))
	if known.Key.Name != name || known.Key.IsStrict || known.Key.Rate != enlist.AnyRate || known.Account.ID != c.Account.ID {
		f.Errorf("after the edit the key is %+v", known.Key)
	}
	f.Refused(f.App.Accounts.EditAccountKey(f.Context(), &c, k.ID, accounts.KeyEdit{Name: new(string)}), enlist.InvalidParameters, "1 to 255")
	f.Must(f.App.Accounts.RevokeAccountKey(f.Context(), &c, k.ID))
	all, err := f.App.Accounts.AccountKeys(f.Context(), &c)
	f.Must(err)
	if last := all[len(all)-1]; last.ID != k.ID || last.RevokedTime == 0 {
		f.Errorf("the last key is %+v, want the revoked one", last)
	}
	rows := 0
	for _, r := range f.AuditLog(c.Account.ID) {
		if r.User == "maria@example.com" && r.Object == "Key" {
			rows++
		}
	}
	if rows != 3 {
		f.Errorf("the audit log has %d rows of the person, want 3", rows)
	}
}

func foreignKeys(f *apptest.Account) {
	k, _, err := f.App.Accounts.AddAccountKey(f.Context(), f.Caller, accounts.KeyDetails{Name: "shop", Level: enlist.Read})
	f.Must(err)
	other := f.NewCaller()
	_, read := f.App.Accounts.AccountKey(f.Context(), other, k.ID)
	for _, err := range []error{read, f.App.Accounts.RevokeAccountKey(f.Context(), other, k.ID), f.App.Accounts.EditAccountKey(f.Context(), other, k.ID, accounts.KeyEdit{})} {
		f.Refused(err, enlist.InvalidKey, "")
	}
	reader := *f.Caller
	reader.Key = &enlist.Key{AccountID: f.Caller.Account.ID, Level: enlist.Standard}
	for _, c := range []*enlist.Caller{&reader, f.Restricted(f.AddList())} {
		_, listed := f.App.Accounts.AccountKeys(f.Context(), c)
		_, read := f.App.Accounts.AccountKey(f.Context(), c, k.ID)
		_, _, added := f.App.Accounts.AddAccountKey(f.Context(), c, accounts.KeyDetails{Name: "x", Level: enlist.Read})
		for _, err := range []error{listed, read, added, f.App.Accounts.RevokeAccountKey(f.Context(), c, k.ID),
			f.App.Accounts.EditAccountKey(f.Context(), c, k.ID, accounts.KeyEdit{})} {
			f.Refused(err, enlist.Denied, "")
		}
	}
}

func keysWithoutSending(f *apptest.Account) {
	c := *f.Caller
	c.Key = &enlist.Key{AccountID: c.Account.ID, Role: enlist.OwnerWithoutSend}
	for level, want := range map[enlist.Level]bool{enlist.Read: true, enlist.Standard: false, enlist.Full: false} {
		_, _, err := f.App.Accounts.AddAccountKey(f.Context(), &c, accounts.KeyDetails{Name: "x", Level: level})
		if (err == nil) != want {
			f.Errorf("a key of level %s: %v", level, err)
		}
	}
}

func keyRates(f *apptest.Account) {
	f.Must(f.App.Accounts.ChangeSettings(f.Context(), f.Caller.Account.ID, map[string]string{"key-rate": "600/minute,burst=50"}))
	f.Must(f.App.Accounts.ReadSettings(f.Context()))
	k, _, err := f.App.Accounts.AddAccountKey(f.Context(), f.Caller, accounts.KeyDetails{Name: "shop", Level: enlist.Read})
	f.Must(err)
	for text, want := range map[string]bool{"default": true, "10/second,burst=50": true, "1/second": true, "none": false, "11/second,burst=50": false,
		"600/minute,burst=51": false} {
		rate, err := enlist.ParseCallRate(text)
		f.Must(err)
		_, _, added := f.App.Accounts.AddAccountKey(f.Context(), f.Caller, accounts.KeyDetails{Name: "x", Level: enlist.Read, Rate: rate})
		edited := f.App.Accounts.EditAccountKey(f.Context(), f.Caller, k.ID, accounts.KeyEdit{Rate: &rate})
		for _, err := range []error{added, edited} {
			if (err == nil) != want {
				f.Errorf("the rate %s: %v", text, err)
			}
			if !want {
				f.Refused(err, enlist.InvalidParameters, "rate: this server allows a key at most 600/minute,burst=50")
			}
		}
	}
	f.Must(f.App.Accounts.EditKey(f.Context(), k.ID, accounts.KeyEdit{Rate: &enlist.AnyRate}))
	f.Must(f.App.Accounts.EditAccountKey(f.Context(), f.Caller, k.ID, accounts.KeyEdit{Rate: &enlist.AnyRate}))
}
