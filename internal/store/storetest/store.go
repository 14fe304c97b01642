// Package storetest has the test suites that the stores of both engines must pass. It
// uses stores only through audience.Store, so both engines are held to the same behaviour.
package storetest

import (
	"errors"
	"testing"

	"enlist/internal/audience"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Engine opens stores of one kind.
type Engine struct {
	// Open returns a new, empty store, which is closed when the test ends.
	Open func(t *testing.T) audience.Store
	// Jobs counts the jobs of a kind that wait in a store's queue.
	Jobs func(t *testing.T, s audience.Store, kind string) int
}

// Run tests an engine. Its suites share one list of subtests, named by the rules that they show.
func Run(t *testing.T, e Engine) {
	for _, c := range []struct {
		rule string
		test func(*testing.T, audience.Store)
	}{
		{"an Account is read as it was stored", accounts},
		{"a key is found by its hash until it is revoked", keys},
		{"a List is read as it was stored, and its ID never returns", lists},
		{"a Field is read as it was stored", fields},
		{"a Contact is found by ID, address and mobile number", contacts},
		{"one Contact of an address is its primary", sameAddress},
		{"Contacts are removed in batches, and their IDs never return", removal},
		{"values of a deleted Field are removed in batches", fieldValueDeletion},
		{"the ledger returns a Contact's rows, newest first", ledger},
		{"the Unsubscriber List is read by Account and List", unsubscribers},
		{"a repeated call within a day gets the saved result", retries},
		{"a function that fails leaves nothing behind", failedUpdate},
	} {
		t.Run(c.rule, func(t *testing.T) { c.test(t, e.Open(t)) })
	}
	for _, c := range []struct {
		rule string
		test func(*testing.T, Engine)
	}{
		{"bounces", bounces},
		{"events", events},
		{"webhooks", webhooks},
		{"concurrent clients create one Contact for each address", clients},
		{"concurrent clients fill an Account to its limit exactly", contactLimit},
		{"unsubscribing an address unsubscribes all its Contacts once", manyOfOneAddress},
		{"concurrent copies of a call are executed once", sameRetry},
		{"a function that runs twice has the effects of one run", rerunFunctions},
	} {
		t.Run(c.rule, func(t *testing.T) { c.test(t, e) })
	}
}

// accountRule is a test, named by the rule that it shows.
type accountRule struct {
	rule string
	test func(*accountFixture)
}

// runRules runs each test on a new store.
func runRules(t *testing.T, open func(t *testing.T) audience.Store, rules []accountRule) {
	for _, r := range rules {
		t.Run(r.rule, func(t *testing.T) { r.test(newAccountFixture(t, open)) })
	}
}

// update runs fn in an Update and fails the test on an error.
func update(t *testing.T, s audience.Store, fn func(audience.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// view runs fn in a View and fails the test on an error.
func view(t *testing.T, s audience.Store, fn func(audience.Tx) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// same fails the test if got differs from want.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(audience.Schema{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantKind fails the test unless err is of a kind.
func wantKind(t *testing.T, what string, err error, kind audience.Kind) {
	t.Helper()
	if err == nil || audience.KindOf(err) != kind {
		t.Errorf("%s: error %v, want one of kind %d", what, err, kind)
	}
}

// newSchema stores an Account and a List with an email, a mobile and a decimal Field.
func newSchema(t *testing.T, s audience.Store) *audience.Schema {
	t.Helper()
	account := &audience.Account{Name: "Test", TimeZone: "UTC", ContactLimit: audience.NoContactLimit}
	list := &audience.List{Name: "News", DisallowDuplicates: true, CountryCode: audience.DefaultCountryCode}
	var schema *audience.Schema
	update(t, s, func(tx audience.Tx) (err error) {
		if err := tx.AddAccount(account); err != nil {
			return err
		}
		list.AccountID = account.ID
		if err := tx.AddList(list); err != nil {
			return err
		}
		for _, f := range []audience.Field{
			{Name: "Email", Type: audience.Text, AddressType: audience.AddressEmail},
			{Name: "Mobile Phone", Type: audience.Text, AddressType: audience.AddressMobile},
			{Name: "Amount", Type: audience.Decimal},
		} {
			f.ListID = list.ID
			if err := tx.AddField(&f); err != nil {
				return err
			}
		}
		schema, err = tx.Schema(list.ID)
		return err
	})
	return schema
}

// contact returns a Contact with an email address. It is not stored.
func contact(s *audience.Schema, key string) *audience.Contact {
	return &audience.Contact{ListID: s.List.ID, Key: key, IsFirst: true, IsActive: true, SubscribedVia: "api",
		Values: audience.Values{{Field: s.Email().ID, Text: key}}, Created: 100, Modified: 100}
}

// insert stores a Contact and fails the test if its address is taken.
func insert(t *testing.T, s audience.Store, c *audience.Contact) {
	t.Helper()
	update(t, s, func(tx audience.Tx) error {
		inserted, err := tx.InsertContact(c)
		if err == nil && !inserted {
			err = errors.New("the address is taken")
		}
		return err
	})
}
