package app_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
)

// Two servers start at the same time on a new database. One of them adds the first key, and
// both accept this key.
func TestBootstrapAddsOneKeyWhenTwoServersStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "enlist.db")
	var services [2]*app.App
	for i := range services {
		store, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		services[i] = app.New(store, time.Now)
	}
	var results [2]*app.Bootstrapped
	var wg sync.WaitGroup
	for i, s := range services {
		wg.Go(func() {
			var err error
			if results[i], err = s.Bootstrap(t.Context(), ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if (results[0] == nil) == (results[1] == nil) {
		t.Fatalf("Bootstrap returned %v and %v, want exactly one nil", results[0], results[1])
	}
	first := results[0]
	if first == nil {
		first = results[1]
	}
	for _, s := range services {
		c, err := s.Accounts.Authenticate(t.Context(), first.Key)
		if err != nil || c.Account.ID != first.Account || c.Key.Level != enlist.Full {
			t.Fatalf("the first key gives the caller %+v, error %v; want level Full in Account %d", c, err, first.Account)
		}
		lists, err := s.Lists.SearchLists(t.Context(), c, enlist.Query{})
		if err != nil || len(lists) != 1 || lists[0].ID != first.List {
			t.Fatalf("the Account has the Lists %+v, error %v; want only List %d", lists, err, first.List)
		}
	}
}

// The first Account has the time zone of the setting, or else of the server, and the first List the country of the setting,
// or else that of addList.
func TestBootstrapUsesTheDeclaredPlace(t *testing.T) {
	for _, c := range []struct {
		name     string
		declared []accounts.Declared
		zone     string
		country  int64
	}{
		{"declared", []accounts.Declared{{Name: "timezone", Value: "Europe/Berlin"}, {Name: "country-code", Value: "49"}}, "Europe/Berlin", 49},
		{"of the server", nil, "Asia/Tokyo", enlist.DefaultCountryCode},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "enlist.db"), sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			s := app.New(store, time.Now)
			s.Accounts.SetServerZone("Asia/Tokyo")
			s.Accounts.Declare(c.declared)
			first, err := new(app.Bootstrapped), s.ReadSettings(t.Context())
			if err == nil {
				first, err = s.Bootstrap(t.Context(), "")
			}
			if err != nil {
				t.Fatal(err)
			}
			caller, err := s.Accounts.Authenticate(t.Context(), first.Key)
			if err != nil || caller.Account.TimeZone != c.zone {
				t.Errorf("the first Account is %+v, error %v; want the zone %s", caller.Account, err, c.zone)
			}
			list, err := s.Lists.List(t.Context(), caller, first.List)
			if err != nil || list.CountryCode != c.country {
				t.Errorf("the first List is %+v, error %v; want the country %d", list, err, c.country)
			}
			added, err := s.Accounts.AddAccount(t.Context(), accounts.AccountDetails{Name: "Second", ContactLimit: enlist.NoContactLimit})
			if err != nil || added.TimeZone != c.zone {
				t.Errorf("the next Account is %+v, error %v; want the zone %s", added, err, c.zone)
			}
		})
	}
}
