package search_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
	"enlist/internal/search/advisor"
)

// This file tests the index advisor's limits on the number of indexes, and its repairs after a crash. It
// also tests what the advisor does after a change of a Field or List, and after a command of an operator.
// advisor_index_test.go has the other tests of the advisor.

const day = 24 * time.Hour

// The advisor drops an index to build another only if a limit is reached, and only if no search used the index for
// a day.
func replacedIndex(l *listWithThreeFields) {
	for _, rules := range []advisor.Rules{rulesOfTest(2, 16), rulesOfTest(64, 2)} {
		l.advise(rules)
		leastRecentlyUsedIsReplaced(l)
		l.removeIndexes()
	}
	l.advise(rulesOfTest(0, 16))
	l.countSlowly(apptest.Criterion("Amount", "exactly", 1))
	apptest.Same(l.T, "with a limit of 0", l.indexes(), states{})
}

// leastRecentlyUsedIsReplaced tests a List for which only two indexes are allowed.
func leastRecentlyUsedIsReplaced(l *listWithThreeFields) {
	city, amount, active := apptest.Criterion("City", "exactly", "a"), apptest.Criterion("Amount", "exactly", 1), apptest.Criterion("is_active", "exactly", true)
	full := states{"City": indexReady, "Amount": indexReady}
	use := func(c *enlist.Criteria) {
		l.Helper()
		l.countIn(0, c)
		l.Must(l.advisor.WriteUse(l.Context()))
	}
	l.countSlowly(city)
	l.countSlowly(amount)
	l.countSlowly(active)
	apptest.Same(l.T, "beside two new indexes", l.indexes(), full)
	l.advance(day)
	use(city)
	use(amount)
	l.advance(23 * time.Hour)
	l.countSlowly(active)
	apptest.Same(l.T, "beside two indexes that were used a day ago", l.indexes(), full)

	use(city)
	l.advance(time.Hour)
	l.countSlowly(active)
	apptest.Same(l.T, "beside an unused index", l.indexes(), states{"City": indexReady, "is_active": indexReady})

	// The advisor never drops a manual index to build another.
	for _, key := range []string{"City", "is_active"} {
		_, err := l.advisor.Create(l.Context(), l.list, key, false)
		l.Must(err)
	}
	l.advance(8 * day)
	l.countSlowly(amount)
	apptest.Same(l.T, "beside two manual indexes", l.indexes(), states{"City": indexReady, "is_active": indexReady})
}

// There are 50 Lists, and the searches of each List need three indexes.
func indexesOfManyLists(l *listWithThreeFields) {
	rules := rulesOfTest(3, 2)
	rules.Contacts = 0
	l.advise(rules)
	for i := range 50 {
		l.list = l.AddList()
		l.Subscribe(l.list, "Email", "a"+strconv.Itoa(i)+"@example.com")
		for _, key := range []string{"is_active", "last_open_time", "webform_id"} {
			l.countSlowly(apptest.Criterion(key, "exactly", "1"))
		}
	}
	all, err := l.advisor.Reports(l.Context())
	l.Must(err)
	partitions, lists := make(map[int64]int), make(map[enlist.ListID]int)
	for _, x := range all {
		partitions[x.Place]++
		lists[x.ListID]++
	}
	if n := slices.Max(slices.Collect(maps.Values(partitions))); n != 3 {
		l.Errorf("a partition has %d indexes, want 3", n)
	}
	if n := slices.Max(slices.Collect(maps.Values(lists))); n != 2 {
		l.Errorf("a List has %d indexes, want 2", n)
	}
	if len(l.built()) != len(all) {
		l.Errorf("%d of %d indexes are built", len(l.built()), len(all))
	}
}

// A killed process leaves a row without a complete index. An operator can drop an index in the database. The next Tend
// builds it in both cases.
func reconciledIndexes(l *listWithThreeFields) {
	l.countSlowly(apptest.Criterion("City", "exactly", "a"))
	city := l.index("City")

	l.Must(l.Store.DropIndex(l.Context(), city.ID))
	if x := l.index("City"); !x.Missing {
		l.Errorf("the dropped index is %+v, want Missing", x)
	}
	l.tend()
	apptest.Same(l.T, "built again", l.built(), []enlist.SearchIndexID{city.ID})

	l.Must(l.Store.DropIndex(l.Context(), city.ID))
	x := city.SearchIndex
	x.State = enlist.IndexWaiting
	apptest.Update(l.T, l.Store, func(tx *db.Tx) error { return search.UpdateIndex(tx, &x) })
	l.tend()
	apptest.Same(l.T, "built after a crash", l.built(), []enlist.SearchIndexID{city.ID})
	apptest.Same(l.T, "built after a crash", l.indexes(), states{"City": indexReady})

	// The database has an index that has no row in search_index.
	amount := &enlist.SearchKey{Field: l.schema().FieldNamed("Amount"), Type: enlist.KeyNumber, Searchable: true}
	if _, err := l.Store.BuildIndex(l.Context(), 4711, l.list, amount); err != nil {
		l.Fatal(err)
	}
	apptest.Same(l.T, "with an unknown index", l.built(), []enlist.SearchIndexID{city.ID, 4711})
	l.tend()
	apptest.Same(l.T, "without the unknown index", l.built(), []enlist.SearchIndexID{city.ID})
}

// schema reads the List's Schema.
func (l *listWithThreeFields) schema() (schema *enlist.Schema) {
	l.Helper()
	apptest.View(l.T, l.Store, func(tx *db.Tx) (err error) {
		schema, err = lists.Schema(tx, l.list)
		return err
	})
	return schema
}

// An index is dropped when its Field changes its type or is deleted, and when its List is deleted.
func indexesOfDefinitions(l *listWithThreeFields) {
	city := l.Field(l.list, l.schema().FieldNamed("City").ID)
	for _, key := range []string{"City", "Amount", "is_active"} {
		if _, err := l.advisor.Create(l.Context(), l.list, key, false); err != nil {
			l.Fatal(err)
		}
	}
	amount := l.index("Amount")

	// The values of the new type have another order, so the advisor builds the index again.
	field := l.schema().FieldNamed("Amount").ID
	if _, err := l.App.Lists.EditField(l.Context(), l.Caller, l.list, field, apptest.Details("type", "text")); err != nil {
		l.Fatal(err)
	}
	apptest.Same(l.T, "another type", l.indexes(), states{
		"City": indexReady, "Amount": enlist.IndexWaiting, "is_active": indexReady})
	l.tend()
	if again := l.index("Amount"); again.ID == amount.ID || again.State != indexReady || !again.Manual {
		l.Errorf("the new index is %+v, want a new ID, ready and manual", again)
	}
	if n := l.Count(l.list, "Amount", "less_than", "2"); n != 4 { // as texts: 0, 1, 10 and 11
		l.Errorf("%d Contacts have an Amount less than the text 2, want 4", n)
	}

	l.Must(l.App.Lists.DeleteField(l.Context(), l.Caller, l.list, city.ID))
	l.tend()
	apptest.Same(l.T, "after a Field was deleted", l.indexes(), states{"Amount": indexReady, "is_active": indexReady})
	l.Must(l.App.Contacts.DeleteList(l.Context(), l.Caller, l.list))
	l.tend()
	apptest.Same(l.T, "after the List was deleted", l.indexes(), states{})
	apptest.Same(l.T, "dropped", l.built(), noIndexes)
}

// The advisor does not drop a manual index that no search uses.
func manualIndexes(l *listWithThreeFields) {
	city := l.schema().FieldNamed("City")
	for _, key := range []string{"City", "field_" + strconv.FormatInt(int64(city.ID), 10)} {
		x, err := l.advisor.Create(l.Context(), l.list, key, false)
		if err != nil || x.State != indexReady || !x.Manual || x.ID != l.index("City").ID {
			l.Errorf("Create %s: index %+v, error %v; want the ready, manual index of City", key, x, err)
		}
	}
	for _, key := range []string{"Note", "id", "creation_time", "nothing", ""} {
		_, err := l.advisor.Create(l.Context(), l.list, key, false)
		l.Refused(err, enlist.InvalidParameters, "expected a Field")
	}
	_, err := l.advisor.Create(l.Context(), 4711, "City", false)
	l.Refused(err, enlist.NoList, "")
	l.advance(100 * day)
	l.tend()
	apptest.Same(l.T, "after 100 days", l.indexes(), states{"City": indexReady})
	l.Must(l.advisor.Remove(l.Context(), l.index("City").ID))
	apptest.Same(l.T, "removed", l.built(), noIndexes)
	l.Refused(l.advisor.Remove(l.Context(), 4711), enlist.InvalidParameters, "no index")
}

// While the test swaps the Cities of Contacts, it also builds and drops indexes. Before and after each
// swap, each City has four Contacts. So each search must find four Contacts of a City, in order.
func searchesDuringBuilds(l *listWithThreeFields) {
	ids, city := l.ids(), l.schema().FieldNamed("City").ID
	ctx, stop := context.WithCancel(l.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	wg.Go(func() { l.swap(ctx, ids, city) })
	for range 2 {
		wg.Go(func() { l.checkCities(ctx, city) })
	}
	for range 8 {
		for _, key := range []string{"City", "Amount", "is_active"} {
			if _, err := l.advisor.Create(l.Context(), l.list, key, false); err != nil {
				l.Error(err)
			}
		}
		for _, key := range []string{"City", "Amount", "is_active"} {
			if err := l.advisor.Remove(l.Context(), l.index(key).ID); err != nil {
				l.Error(err)
			}
		}
	}
}

func (l *listWithThreeFields) ids() (ids []enlist.ContactID) {
	l.Helper()
	l.Must(l.Store.Search(l.Context(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, l.list)
		if err != nil {
			return err
		}
		return search.Contacts(tx, &enlist.Search{Schema: schema}, func(c *enlist.Contact) error {
			ids = append(ids, c.ID)
			return nil
		})
	}))
	return ids
}

// swap exchanges the Cities of two Contacts, then of the next two Contacts, until ctx ends.
func (l *listWithThreeFields) swap(ctx context.Context, ids []enlist.ContactID, city enlist.FieldID) {
	for i := 0; ctx.Err() == nil; i++ {
		one, other := ids[i%len(ids)], ids[(i+1)%len(ids)]
		err := l.Store.Update(ctx, func(tx *db.Tx) error {
			a, err := contacts.ByID(tx, l.list, min(one, other))
			if err != nil {
				return err
			}
			b, err := contacts.ByID(tx, l.list, max(one, other))
			if err != nil {
				return err
			}
			was := a.Values.Get(city)
			a.Values, b.Values = a.Values.Set(city, b.Values.Get(city)), b.Values.Set(city, was)
			return errors.Join(contacts.Update(tx, a), contacts.Update(tx, b))
		})
		if err != nil && ctx.Err() == nil {
			l.Error(err)
			return
		}
	}
}

// checkCities searches by City until ctx ends.
func (l *listWithThreeFields) checkCities(ctx context.Context, city enlist.FieldID) {
	want := slices.Concat(slices.Repeat([]string{"city2"}, 4), slices.Repeat([]string{"city1"}, 4),
		slices.Repeat([]string{"city0"}, 4))
	found := cities{city: city}
	for ctx.Err() == nil {
		n, err := l.App.Contacts.CountContacts(ctx, l.Caller, l.list, apptest.Criterion("City", "exactly", "city1"))
		if err == nil && n != 4 {
			l.Errorf("%d Contacts have the City city1, want 4", n)
		}
		if err == nil {
			q := enlist.Query{Criteria: apptest.Criterion("City", "starts_with", "city"), SortBy: "City", Descending: true, Limit: 20}
			err = l.App.Contacts.SearchContacts(ctx, l.Caller, l.list, q, nil, &found)
		}
		if err == nil && !slices.Equal(found.all, want) {
			l.Errorf("the search found the Cities %q, want %q", found.all, want)
		}
		if err != nil && ctx.Err() == nil {
			l.Error(err)
			return
		}
	}
}

// cities is a ContactWriter that collects the City of each Contact.
type cities struct {
	city enlist.FieldID
	all  []string
}

func (c *cities) Begin([]enlist.Column, bool) error { c.all = nil; return nil }

func (c *cities) Contact(found *enlist.Contact) error {
	c.all = append(c.all, found.Values.Get(c.city))
	return nil
}
