package sqlite

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
)

// This file tests how SQLite builds and drops SearchIndexes. It also tests searches after an operator
// has dropped a SearchIndex.

// When a process stops, it cancels the build of an index. SQLite rolls the transaction back, so the file
// contains no part of the index, and a later build succeeds.
func TestCancelledBuildLeavesNoIndex(t *testing.T) {
	s := open(t)
	ctx, stop := context.WithCancel(t.Context())
	key := &enlist.SearchKey{Name: "is_active", Type: enlist.KeyBool}
	stop()
	if _, err := s.BuildIndex(ctx, 7, 1, key); !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled build returns the error %v, want context.Canceled", err)
	}
	if built, err := s.BuiltIndexes(t.Context()); err != nil || len(built) > 0 {
		t.Errorf("BuiltIndexes returns %v and the error %v, want no index and no error", built, err)
	}
	if _, err := s.BuildIndex(t.Context(), 7, 1, key); err != nil {
		t.Error(err)
	}
	var store string
	if err := s.db.QueryRowContext(t.Context(), "PRAGMA temp_store").Scan(&store); err != nil || store != "2" {
		t.Errorf("temp_store is %s after the build, want 2 (MEMORY); error %v", store, err)
	}
}

// An operator drops an index while prepared statements name this index. Searches then find the same
// Contacts without the index, and an Update that searches is committed.
func TestSearchesWorkAfterAnOperatorDropsAnIndex(t *testing.T) {
	s := open(t)
	list := enlist.List{AccountID: 1, Name: "News"}
	update := func(fn func(tx *db.Tx) error) {
		t.Helper()
		if err := s.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx *db.Tx) error { return lists.Insert(tx, &list) })
	for i := range 20 {
		c := enlist.Contact{ListID: list.ID, Key: strconv.Itoa(i), IsFirst: true, SubscribedVia: "via" + strconv.Itoa(i%4)}
		update(func(tx *db.Tx) error { _, err := contacts.Insert(tx, &c); return err })
	}
	key := &enlist.SearchKey{Name: "subscribed_via", Type: enlist.KeyText}
	x := enlist.SearchIndex{ListID: list.ID, Key: key.Name, State: enlist.IndexWaiting}
	update(func(tx *db.Tx) error { _, err := search.AddIndex(tx, &x); return err })
	if _, err := s.BuildIndex(t.Context(), x.ID, list.ID, key); err != nil {
		t.Fatal(err)
	}
	x.State = enlist.IndexReady
	update(func(tx *db.Tx) error { return search.UpdateIndex(tx, &x) })

	where := &enlist.Condition{Key: key, Operator: enlist.Exactly, Operands: []enlist.Operand{{Text: "via1"}}}
	look := func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list.ID)
		if err != nil {
			return err
		}
		if len(schema.SearchIndexes) != 1 {
			t.Errorf("the schema has %d SearchIndexes, want 1", len(schema.SearchIndexes))
		}
		found := 0
		query := &enlist.Search{Schema: schema, Where: where, Sort: key, Limit: 10}
		err = search.Contacts(tx, query, func(*enlist.Contact) error { found++; return nil })
		n, counted := search.Count(tx, &enlist.Search{Schema: schema, Where: where})
		if err = errors.Join(err, counted); err != nil || found != 5 || n != 5 {
			t.Errorf("the search finds %d Contacts and the count is %d, want 5 and 5; error %v", found, n, err)
		}
		return err
	}
	for range 2 {
		if err := s.View(t.Context(), look); err != nil {
			t.Fatal(err)
		}
		update(look)
		if err := s.DropIndex(t.Context(), x.ID); err != nil {
			t.Fatal(err)
		}
	}
}
