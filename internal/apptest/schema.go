package apptest

import (
	"errors"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// NewSchema stores an Account, and a List with an email, a mobile and a decimal Field. It
// returns the Schema of the List.
func NewSchema(t *testing.T, s db.Engine) *enlist.Schema {
	t.Helper()
	account := &enlist.Account{Name: "Test", TimeZone: "UTC", ContactLimit: enlist.NoContactLimit}
	list := &enlist.List{Name: "News", DisallowDuplicates: true, CountryCode: enlist.DefaultCountryCode}
	var schema *enlist.Schema
	Update(t, s, func(tx *db.Tx) (err error) {
		if err := accounts.Insert(tx, account); err != nil {
			return err
		}
		list.AccountID = account.ID
		if err := lists.Insert(tx, list); err != nil {
			return err
		}
		for _, f := range []enlist.Field{
			{Name: "Email", Type: enlist.Text, AddressType: enlist.AddressEmail},
			{Name: "Mobile Phone", Type: enlist.Text, AddressType: enlist.AddressMobile},
			{Name: "Amount", Type: enlist.Decimal},
		} {
			f.ListID = list.ID
			if err := lists.AddField(tx, &f); err != nil {
				return err
			}
		}
		schema, err = lists.Schema(tx, list.ID)
		return err
	})
	return schema
}

// NewContact returns a new Contact with an email address, without storing the Contact.
func NewContact(s *enlist.Schema, key string) *enlist.Contact {
	return &enlist.Contact{ListID: s.List.ID, Key: key, IsFirst: true, IsActive: true, SubscribedVia: "api",
		Values: enlist.Values{{Field: s.Email().ID, Text: key}}, Created: 100, Modified: 100}
}

// InsertContact stores a Contact. It fails the test if another Contact is the primary of the address.
func InsertContact(t *testing.T, s db.Engine, c *enlist.Contact) {
	t.Helper()
	Update(t, s, func(tx *db.Tx) error {
		inserted, err := contacts.Insert(tx, c)
		if err == nil && !inserted {
			err = errors.New("another Contact has the address")
		}
		return err
	})
}

// WantCounts checks the counters of a List and of its Account.
func WantCounts(t *testing.T, s db.Engine, schema *enlist.Schema, want int64) {
	t.Helper()
	View(t, s, func(tx *db.Tx) error {
		list, err := tx.ContactCount(schema.List.ID)
		if err != nil {
			return err
		}
		account, err := tx.AccountContacts(schema.List.AccountID)
		if list != want || account != want {
			t.Errorf("the counter of the List is %d and that of the Account %d, want %d", list, account, want)
		}
		return err
	})
}
