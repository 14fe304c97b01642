package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// BenchmarkSubscribe measures Service.Subscribe without the HTTP server and JSON. At least 32 goroutines
// call Subscribe. Each call durably stores 10 Field values and a ledger row.
func BenchmarkSubscribe(b *testing.B) {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(b.TempDir(), "enlist.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	caller, list, fields := benchList(b, store)
	service := app.New(store, time.Now)
	var n atomic.Int64
	b.SetParallelism(32)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := n.Add(1)
			details := []enlist.Detail{text("Email", fmt.Sprintf("%d@example.com", uint32(i*2654435761)))}
			for _, f := range fields {
				details = append(details, text(f, "a value of some length"))
			}
			if _, err := service.Contacts.Subscribe(ctx, caller, contacts.SubscribeRequest{List: list, Details: details}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// text returns the value of a Field as a client sends it.
func text(key, value string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputText, Text: value}}
}

// benchList stores an Account and a List with 10 Fields. It returns the names of all Fields except Email.
func benchList(tb testing.TB, store db.Engine) (*enlist.Caller, enlist.ListID, []string) {
	tb.Helper()
	account := &enlist.Account{Name: "Test", TimeZone: "UTC", ContactLimit: enlist.NoContactLimit}
	key := &enlist.Key{Name: "test", Level: enlist.Full}
	list := &enlist.List{Name: "News", DisallowDuplicates: true, CountryCode: 61}
	var names []string
	err := store.Update(context.Background(), func(tx *db.Tx) error {
		if err := accounts.Insert(tx, account); err != nil {
			return err
		}
		key.AccountID, list.AccountID = account.ID, account.ID
		if err := accounts.AddKey(tx, key, enlist.HashKey(enlist.NewKeyText())); err != nil {
			return err
		}
		if err := lists.Insert(tx, list); err != nil {
			return err
		}
		if err := lists.AddField(tx, &enlist.Field{ListID: list.ID, Name: "Email", Type: enlist.Text, AddressType: enlist.AddressEmail, Length: 254}); err != nil {
			return err
		}
		for i := range 9 {
			name := fmt.Sprintf("Field %d", i+1)
			names = append(names, name)
			if err := lists.AddField(tx, &enlist.Field{ListID: list.ID, Name: name, Type: enlist.Text}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return &enlist.Caller{Account: account, Key: key}, list.ID, names
}
