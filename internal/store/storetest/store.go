// Package storetest has the tests that the stores of both engines must pass. They use stores
// only through db.Store, so the two engines must have the same behaviour. suites_test.go runs them. The suite
// Search is not in a test file, because the tests of package search run it too.
package storetest

import (
	"errors"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// accountRule is a test and the rule that it tests. The rule is the name of the subtest.
type accountRule struct {
	rule string
	test func(*accountFixture)
}

// runRules runs each test with a new Account, in parallel.
func runRules(t *testing.T, open func(t *testing.T) db.Engine, rules []accountRule) {
	for _, r := range rules {
		t.Run(r.rule, func(t *testing.T) {
			t.Parallel()
			r.test(newAccountFixture(t, open))
		})
	}
}

// update runs fn in an Update and fails the test on an error.
func update(t *testing.T, s db.Engine, fn func(*db.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// view runs fn in a View and fails the test on an error.
func view(t *testing.T, s db.Engine, fn func(*db.Tx) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// same fails the test if got differs from want.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(enlist.Schema{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantKind fails the test if err does not have the given Kind.
func wantKind(t *testing.T, what string, err error, kind enlist.Kind) {
	t.Helper()
	if err == nil || enlist.KindOf(err) != kind {
		t.Errorf("%s: error %v, want the Kind %d", what, err, kind)
	}
}

// newSchema stores an Account, and a List with an email, a mobile and a decimal Field. It
// returns the Schema of the List.
func newSchema(t *testing.T, s db.Engine) *enlist.Schema {
	t.Helper()
	account := &enlist.Account{Name: "Test", TimeZone: "UTC", ContactLimit: enlist.NoContactLimit}
	list := &enlist.List{Name: "News", DisallowDuplicates: true, CountryCode: enlist.DefaultCountryCode}
	var schema *enlist.Schema
	update(t, s, func(tx *db.Tx) (err error) {
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

// contact returns a new Contact with an email address, without storing the Contact.
func contact(s *enlist.Schema, key string) *enlist.ByID {
	return &enlist.ByID{ListID: s.List.ID, Key: key, IsFirst: true, IsActive: true, SubscribedVia: "api",
		Values: enlist.Values{{Field: s.Email().ID, Text: key}}, Created: 100, Modified: 100}
}

// insert stores a Contact. It fails the test if another Contact is the primary of the address.
func insert(t *testing.T, s db.Engine, c *enlist.ByID) {
	t.Helper()
	update(t, s, func(tx *db.Tx) error {
		inserted, err := contacts.Insert(tx, c)
		if err == nil && !inserted {
			err = errors.New("another Contact has the address")
		}
		return err
	})
}
