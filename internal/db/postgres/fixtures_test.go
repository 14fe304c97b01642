package postgres

import (
	"context"
	"errors"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file has the fixture that most tests of the package use.

// listFixture has a store with one List, and a caller who may change that List.
type listFixture struct {
	*testing.T
	store   *Store
	service *app.App
	caller  *enlist.Caller
	list    enlist.ListID
	schema  *enlist.Schema
}

func newListFixture(t *testing.T, s *Store) *listFixture {
	t.Helper()
	d := &listFixture{T: t, store: s, service: app.New(s, time.Now)}
	first, err := d.service.Bootstrap(t.Context(), "")
	d.must(err)
	d.list = first.List
	d.caller, err = d.service.Accounts.Operator(t.Context(), first.Account)
	d.must(err)
	d.must(s.View(t.Context(), func(tx *db.Tx) error { d.schema, err = lists.Schema(tx, d.list); return err }))
	return d
}

func (d *listFixture) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// subscribe subscribes an address. If key is not empty, it is the Idempotency-Key of the call.
func (d *listFixture) subscribe(ctx context.Context, email, key string) (enlist.ContactID, error) {
	caller := *d.caller
	if key != "" {
		caller.Retry = &enlist.Retry{Header: key}
	}
	return d.service.Contacts.Subscribe(ctx, &caller, contacts.SubscribeRequest{List: d.list, Details: []enlist.Detail{
		{Key: "Email", Value: enlist.Input{Kind: enlist.InputText, Text: email}},
	}})
}

// insert stores a Contact directly, without the Service.
func (d *listFixture) insert(tx *db.Tx, email string) (enlist.ContactID, error) {
	c := enlist.Contact{ListID: d.list, Key: email, IsFirst: true, IsActive: true, SubscribedVia: "api"}
	inserted, err := contacts.Insert(tx, &c)
	if err == nil && !inserted {
		err = errors.New("another Contact has the address")
	}
	return c.ID, err
}

// wantCount checks the number of Contacts in three places: the counters of the List and
// of the Account, and the rows.
func (d *listFixture) wantCount(want int64) {
	d.Helper()
	d.must(d.store.View(d.Context(), func(tx *db.Tx) error {
		list, err := tx.ContactCount(d.list)
		if err != nil {
			return err
		}
		account, err := tx.AccountContacts(d.caller.Account.ID)
		rows := int64(0)
		if err == nil {
			err = search.Contacts(tx, &enlist.Search{Schema: d.schema}, func(*enlist.Contact) error { rows++; return nil })
		}
		if list != want || account != want || rows != want {
			d.Errorf("the counter of the List is %d, the counter of the Account %d, and there are %d rows; want %d", list, account, rows, want)
		}
		return err
	}))
}
