package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/enlist"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// This file compares searches of a store with a simple model, on random data. searchdata.go draws
// the List and its Contacts. searchcriteria.go draws the criteria. searchmodel.go is the model.

// Search tests searches of a store.
func Search(t *testing.T, open func(t *testing.T) db.Engine) {
	t.Run("random searches find the same Contacts as a simple model", func(t *testing.T) {
		t.Parallel()
		randomSearches(t, open(t))
	})
	runRules(t, open, []accountRule{
		{"a search finds only Contacts of Lists that the key may read", searchAccess},
		{"texts are sorted in the same order on every engine", orderOfTexts},
		{"a long reply is sent as a stream", longSearches},
		{"a long ledger is read in parts and sent as a stream", longLedgers},
		{"long replies about the Unsubscriber List and about mails are sent as a stream", longReplies},
		{"the Unsubscriber List finds a mobile number by the text that the Contact has", lookUpMobile},
		{"by default, entries of the Unsubscriber List are returned in the order in which they were stored", searchUnsubscribers},
	})
}

// randomSearches tests that a store finds the same Contacts in the same order as the model, for
// random Fields, values, criteria, sorts, pages and projections. reference.md: Search; reference.md:
// searchContacts.rule.1; decisions.md: 32
func randomSearches(t *testing.T, store db.Engine) {
	service := app.New(store, time.Now)
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

	w := &collecting{long: rapid.Bool().Draw(t, "long")}
	ctx := context.Background()
	if err := service.Contacts.SearchContacts(ctx, caller, l.id, q, returned, w); err != nil {
		t.Fatalf("search %s: error %v", show(q), err)
	}
	want := []map[string]string{}
	for _, id := range l.find(q, q.SortBy) {
		i := slices.IndexFunc(l.records, func(r record) bool { return r.id == id })
		want = append(want, l.projection(l.records[i], returned))
	}
	if diff := cmp.Diff(want, w.rows); diff != "" {
		t.Fatalf("%s returned %q: (-want +got)\n%s", show(q), returned, diff)
	}
	count, err := service.Contacts.CountContacts(ctx, caller, l.id, q.Criteria)
	if err != nil {
		t.Fatalf("count %s: error %v", show(q), err)
	}
	all := enlist.Query{Criteria: q.Criteria}
	if want := int64(len(l.find(all, ""))); count != want {
		t.Fatalf("count %s: got %d, want %d", show(all), count, want)
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

// collecting is a ContactWriter that collects the rows.
type collecting struct {
	// If long is true and the reply is not a stream, Contact returns ErrReplyTooLong at the
	// second row.
	long      bool
	streaming bool
	columns   []enlist.Column
	rows      []map[string]string
}

func (w *collecting) Begin(columns []enlist.Column, streaming bool) error {
	w.columns, w.streaming, w.rows = slices.Clone(columns), streaming, []map[string]string{}
	return nil
}

func (w *collecting) Contact(c *enlist.ByID) error {
	row := make(map[string]string, len(w.columns))
	for _, column := range w.columns {
		if column.Field != nil {
			row[column.Name] = strings.Clone(c.Values.Get(column.Field.ID))
			continue
		}
		switch cell := column.System.Get(c); cell.Kind {
		case enlist.KeyText:
			row[column.Name] = cell.Text
		default:
			row[column.Name] = fmt.Sprint(cell.Int)
		}
	}
	if len(row) != len(w.columns) {
		return fmt.Errorf("two columns have the same name: %v", w.columns)
	}
	w.rows = append(w.rows, row)
	if w.long && !w.streaming && len(w.rows) > 1 {
		return enlist.ErrReplyTooLong
	}
	return nil
}

// show formats a query for the message of a failed test.
func show(q enlist.Query) string {
	criteria := "all Contacts"
	if q.Criteria != nil {
		criteria = showCriteria(q.Criteria)
	}
	return fmt.Sprintf("%s sort %q descending %v limit %d offset %d", criteria, q.SortBy, q.Descending, q.Limit, q.Offset)
}

func showCriteria(c *enlist.Criteria) string {
	connector, parts := " AND ", c.All
	switch {
	case c.Any != nil:
		connector, parts = " OR ", c.Any
	case c.All == nil:
		return fmt.Sprintf("%q %s %+q", c.Key, c.Operator, c.Value)
	}
	texts := make([]string, len(parts))
	for i := range parts {
		texts[i] = showCriteria(&parts[i])
	}
	return "(" + strings.Join(texts, connector) + ")"
}
