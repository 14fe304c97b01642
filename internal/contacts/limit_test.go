package contacts_test

import (
	"context"
	"strings"
	"testing"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
)

// This file tests calls at the Contact limit while another call deletes a Contact. On SQLite no other call runs meanwhile.

// A call deletes the only Contact of an Account with the limit 1 after another call has counted it, and before that call
// looks for the Contact with its address. Then that call adds a Contact.
//
// covers: spec limit.contacts
func TestContactLimitAfterADeletion(t *testing.T) {
	for _, c := range []struct {
		method string
		call   func(*apptest.Account, *app.App, enlist.ListID) (enlist.ContactID, error)
	}{
		{"subscribeContact", func(o *apptest.Account, s *app.App, list enlist.ListID) (enlist.ContactID, error) {
			return s.Contacts.Subscribe(o.Context(), o.Caller, contacts.SubscribeRequest{List: list,
				Details: apptest.Details("Email", "b@example.com")}) // it looks for its own Contact also before it counts
		}},
		{"addContacts", func(o *apptest.Account, s *app.App, list enlist.ListID) (enlist.ContactID, error) {
			ids, err := s.Contacts.AddContacts(o.Context(), o.Caller, contacts.AddRequest{List: list,
				Contacts: [][]enlist.Detail{apptest.Details("Email", "a@example.com")}})
			return append(ids, 0)[0], err
		}},
	} {
		t.Run(c.method, func(t *testing.T) {
			o := apptest.NewAccount(t, dbtest.Postgres.Shared(t))
			list := o.AddList()
			o.Limit(1)
			first := o.Subscribe(list, "Email", "a@example.com")
			counted, deleted := false, false
			between := func(query string, _ []any) error {
				if counted = counted || strings.Contains(query, "contact_delta"); !counted || deleted || !strings.Contains(query, "dedupe_key") {
					return nil
				}
				deleted = true
				_, err := o.App.Contacts.DeleteContacts(o.Context(), o.Caller, contacts.DeleteRequest{List: list,
					Contacts: []enlist.ContactID{first}})
				return err
			}
			second, err := c.call(o, app.New(watchedStore{o.Store, apptest.Watch{Statement: between}}, o.Clock), list)
			if err != nil || second == 0 || second == first || !deleted {
				t.Errorf("the call returned Contact %d, error %v; want a new Contact", second, err)
			}
		})
	}
}

// watchedStore is a Store that shows the statements of its Updates.
type watchedStore struct {
	db.Engine
	watch apptest.Watch
}

func (s watchedStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	return s.Engine.Update(ctx, s.watch.Run(fn))
}
