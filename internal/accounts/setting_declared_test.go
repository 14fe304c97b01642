package accounts_test

import (
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
)

// A declared setting wins over the stored one in its process, and is not stored: another process has the stored value. A
// value that an Account has of its own wins over both. A change of it is refused.
//
// covers: decision 147
func TestDeclaredSettingsWinOverStoredOnes(t *testing.T) {
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		store := e.Own(t)
		open := func(declared ...accounts.Declared) *accounts.Service {
			s := accounts.New(&db.DB{Engine: store, Now: time.Now}, nil)
			s.Declare(declared)
			if err := s.ReadSettings(t.Context()); err != nil {
				t.Fatal(err)
			}
			return s
		}
		plain := open()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(plain.ChangeSettings(t.Context(), 0, map[string]string{"mail-rate": "5", "max-file": "2MiB"}))
		account, err := plain.AddAccount(t.Context(), accounts.AccountDetails{Name: "Own", ContactLimit: enlist.NoContactLimit})
		must(err)
		must(plain.ChangeSettings(t.Context(), account.ID, map[string]string{"max-file": "1MiB"}))
		s := open(accounts.Declared{Name: "mail-rate", Value: "20", Where: "variable ENLIST_MAIL_RATE"},
			accounts.Declared{Name: "max-file", Value: "3MiB", Where: "a.toml:2"})
		if got := s.Settings(); got.MailRate != 20 || got.MaxFile != 3<<20 || got.Of(account.ID).MaxFile != 1<<20 {
			t.Errorf("with declared values the settings are %+v, and of the Account %+v", got, got.Of(account.ID))
		}
		err = s.ChangeSettings(t.Context(), 0, map[string]string{"mail-rate": "7"})
		if enlist.KindOf(err) != enlist.InvalidParameters {
			t.Errorf("a change of a declared setting: %v", err)
		}
		must(s.ChangeSettings(t.Context(), account.ID, map[string]string{"max-file": "2MiB"}))
		if got := open().Settings(); got.MailRate != 5 || got.MaxFile != 2<<20 {
			t.Errorf("another process has %+v, want the stored values", got)
		}
	})
}
