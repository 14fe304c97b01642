// Package searchtest compares searches of a store with a simple model, on random data. The tests of several packages
// use it: each engine, each access path and each locale must give the results of the model.
package searchtest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/search"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// data.go draws the List and its Contacts. criteria.go draws the criteria. model.go is the model.

// Search runs randomSearches and orderOfTexts on the stores that open returns. If observe is not nil, it gets each search.
func Search(t *testing.T, open func(t *testing.T) db.Engine, observe search.Observer) {
	t.Run("random searches find the same Contacts as a simple model", func(t *testing.T) {
		t.Parallel()
		randomSearches(apptest.NewStore(t, open(t)), observe)
	})
	t.Run("texts are sorted in the same order on every engine", func(t *testing.T) {
		t.Parallel()
		o := apptest.NewAccount(t, open(t))
		if observe != nil {
			o.App.Contacts.Observe(observe)
		}
		orderOfTexts(o)
	})
}

// randomSearches tests that a store finds the same Contacts in the same order as the model, for
// random Fields, values, criteria, sorts, pages and projections. reference.md: Search; reference.md:
// searchContacts.rule.1; decisions.md: 32
func randomSearches(o apptest.Store, observe search.Observer) {
	t, store := o.T, o.Engine
	service := app.New(store, time.Now)
	if observe != nil {
		service.Contacts.Observe(observe)
	}
	account := &enlist.Account{Name: "Search", TimeZone: "UTC", ContactLimit: enlist.NoContactLimit}
	if err := store.Update(t.Context(), func(tx *db.Tx) error { return accounts.Insert(tx, account) }); err != nil {
		t.Fatal(err)
	}
	caller := &enlist.Caller{Account: account, Key: &enlist.Key{ID: 1, AccountID: account.ID, Level: enlist.Standard}}
	rapid.Check(t, func(t *rapid.T) {
		l := makeList(t, store, account.ID)
		defer l.dropIndexes(t, store, l.makeIndexes(t, store))
		for range 12 {
			l.search(t, service, caller)
		}
	})
}

// search runs one random query. It compares the Contacts and their number with those of the
// model.
func (l *list) search(t *rapid.T, service *app.App, caller *enlist.Caller) {
	q := enlist.Query{
		Limit:      rapid.Int64Range(0, int64(len(l.records))+2).Draw(t, "limit"),
		Offset:     rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, int64(len(l.records))+2)).Draw(t, "offset"),
		Descending: rapid.Bool().Draw(t, "descending"),
	}
	if rapid.IntRange(0, 5).Draw(t, "criteria") > 0 {
		c := l.criteria(t, 3)
		q.Criteria = &c
	}
	if rapid.Bool().Draw(t, "sorted") {
		q.SortBy = rapid.SampledFrom(l.names).Draw(t, "sort")
	}
	keys := append([]string{"all", "No such Field"}, l.names...)
	returned := rapid.SliceOfN(rapid.SampledFrom(keys), 0, 5).Draw(t, "returned")

	w := &apptest.ContactRows{Long: rapid.Bool().Draw(t, "long")}
	ctx := context.Background()
	if err := service.Contacts.SearchContacts(ctx, caller, l.id, q, returned, w); err != nil {
		t.Fatalf("search %s: error %v", apptest.Show(q), err)
	}
	want := []map[string]string{}
	for _, id := range l.find(q, q.SortBy) {
		i := slices.IndexFunc(l.records, func(r record) bool { return r.id == id })
		want = append(want, l.projection(l.records[i], returned))
	}
	if diff := cmp.Diff(want, w.Rows); diff != "" {
		t.Fatalf("%s returned %q: (-want +got)\n%s", apptest.Show(q), returned, diff)
	}
	count, err := service.Contacts.CountContacts(ctx, caller, l.id, q.Criteria)
	if err != nil {
		t.Fatalf("count %s: error %v", apptest.Show(q), err)
	}
	all := enlist.Query{Criteria: q.Criteria}
	matches := l.find(all, "")
	if want := int64(len(matches)); count != want {
		t.Fatalf("count %s: got %d, want %d", apptest.Show(all), count, want)
	}
	if q.Criteria != nil {
		l.showBlock(t, service, caller, q.Criteria, matches)
	}
}

// projection returns the values that a search must return for a record. reference.md: searchContacts.rule.1
func (l *list) projection(r record, returned []string) map[string]string {
	row := make(map[string]string)
	if len(returned) == 0 || slices.Contains(returned, "all") {
		for name, value := range r.values {
			if !strings.HasPrefix(name, "field_") && !slices.Contains(batchKeys, name) {
				row[name] = value
			}
		}
	}
	for _, name := range returned {
		if value, ok := r.values[name]; ok {
			row[name] = value
		}
	}
	return row
}

// showBlock tests that a block with criteria is shown to the Contacts that a search finds. decisions.md: 165
func (l *list) showBlock(t *rapid.T, service *app.App, caller *enlist.Caller, criteria *enlist.Criteria, matches []int64) {
	m := &messages.Message{EmailType: messages.EmailBlocks, Blocks: messages.EncodeBlocks([]messages.Block{
		{Type: messages.BlockText, Text: "a", ShowIf: &messages.Condition{Criteria: criteria}}})}
	if !m.HasConditions() {
		t.Fatalf("the blocks are %s, want a condition", m.Blocks)
	}
	err := l.engine.View(context.Background(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, l.id)
		if err != nil {
			return err
		}
		var ids []enlist.ContactID
		for _, r := range l.records {
			ids = append(ids, enlist.ContactID(r.id))
		}
		showing, err := messages.ShowTo(tx, schema, time.Now().Unix(), m, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if is := showing.For(id).Blocks != ""; is != slices.Contains(matches, int64(id)) {
				t.Fatalf("the Contact %d sees a block with the criteria %s: %t", id, criteria.JSON(), is)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
