package storetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"enlist/internal/audience"
)

const day = 24 * time.Hour

// use has searches use an index on a day, each saving so many milliseconds.
func (l *library) use(id audience.SearchIndexID, uses, saved int64) {
	l.Helper()
	update(l.T, l.store, func(tx audience.Tx) error {
		return tx.RecordIndexUse(map[audience.SearchIndexID]audience.IndexUse{id: {Uses: uses, SavedMS: saved}}, l.look().Unix())
	})
}

// Who saved least makes room, and not at once, and not for who saves as much.
func indexRoom(t *testing.T, e Engine) {
	l := newLibrary(t, e)
	rules := audience.DefaultIndexRules()
	rules.Contacts, rules.Most = 10, 2
	l.service.SetIndexRules(rules)
	city, amount, active := triple("City", "exactly", "a"), triple("Amount", "exactly", 1), triple("is_active", "exactly", true)
	l.slowly(city)
	l.slowly(amount)
	for _, key := range []string{"City", "Amount"} {
		l.build(l.index(key).ID)
	}
	l.slowly(active)
	l.later(time.Hour)
	l.use(l.index("City").ID, 10, 2000)
	l.use(l.index("Amount").ID, 2, 150)
	l.slowly(active)
	same(t, "the first day", l.indexes(), map[string]audience.IndexState{"City": audience.IndexReady, "Amount": audience.IndexReady})

	l.later(day)
	l.slowly(active) // 200 ms, less than twice what Amount saved on an average day: 75 ms
	same(t, "who saved least", l.indexes(), map[string]audience.IndexState{
		"City": audience.IndexReady, "Amount": audience.IndexDropping, "is_active": audience.IndexWaiting})
	l.wantJobs("drop_index", 1)
	l.must(l.service.DropIndex(t.Context(), audience.DropIndex{Index: l.index("Amount").ID}))
	l.build(l.index("is_active").ID)

	// Needed alike, they do not take turns.
	for range 5 {
		l.later(day)
		for _, key := range []string{"City", "is_active"} {
			l.use(l.index(key).ID, 10, 2000)
		}
		for range 10 {
			l.slowly(amount)
		}
		same(t, "who stays", l.indexes(), map[string]audience.IndexState{"City": audience.IndexReady, "is_active": audience.IndexReady})
	}

	// One that was made by hand makes room for nobody.
	if _, err := l.service.AddSearchIndex(t.Context(), l.list, "City"); err != nil {
		t.Fatal(err)
	}
	l.later(8 * day)
	l.use(l.index("is_active").ID, 10, 1_000_000)
	l.slowly(amount)
	same(t, "by hand", l.indexes(), map[string]audience.IndexState{"City": audience.IndexReady, "is_active": audience.IndexReady})

	rules.Most = 0
	l.service.SetIndexRules(rules)
	l.later(8 * day)
	l.slowly(amount)
	same(t, "none", l.indexes(), map[string]audience.IndexState{"City": audience.IndexReady, "is_active": audience.IndexReady})
}

// No place gets more than its number, whatever is searched.
func indexesOfManyLists(t *testing.T, e Engine) {
	l := newLibrary(t, e)
	rules := audience.DefaultIndexRules()
	rules.Contacts, rules.Most = 0, 4
	l.service.SetIndexRules(rules)
	l.takes(200 * time.Millisecond)
	for i := range 200 {
		list := l.addList()
		l.subscribe(list, "Email", "a"+strconv.Itoa(i)+"@example.com")
		for _, key := range []string{"is_active", "double_opt_in", "last_open_time", "webform_id", "subscribed_via"} {
			l.takes(200 * time.Millisecond)
			l.count(list, key, "exactly", "1")
			l.takes(0)
		}
		l.later(2 * time.Minute)
		l.must(l.service.ScheduleIndexBuilds(t.Context()))
	}
	all, err := l.service.SearchIndexes(t.Context())
	l.must(err)
	places := make(map[int64]int64)
	for _, x := range all {
		places[x.Place]++
		l.build(x.ID)
	}
	for place, n := range places {
		if n != int64(rules.Most) {
			t.Errorf("%d indexes in place %d", n, place)
		}
	}
	if len(l.built()) != len(all) || len(all) < rules.Most {
		t.Errorf("%d indexes, %d built", len(all), len(l.built()))
	}
}

// What a process leaves behind that was killed, or a person who was at the database.
func indexesPutRight(t *testing.T, e Engine) {
	l := newLibrary(t, e)
	l.slowly(triple("City", "exactly", "a"))
	city := l.index("City")
	l.build(city.ID)
	tend := func() {
		t.Helper()
		l.later(10 * time.Minute)
		l.must(l.service.ReconcileIndexes(t.Context()))
	}
	tend()
	l.wantJobs("build_index", 1) // the first

	l.must(l.store.DropIndex(t.Context(), city.ID))
	if x := l.index("City"); !x.Missing {
		t.Errorf("index %+v", x)
	}
	tend()
	same(t, "missing", l.indexes(), map[string]audience.IndexState{"City": audience.IndexWaiting})
	l.wantJobs("build_index", 2)

	// Its job is lost, and then it dies in the middle.
	tend()
	l.wantJobs("build_index", 3)
	x := city.SearchIndex
	x.State = audience.IndexBuilding
	update(t, l.store, func(tx audience.Tx) error { return tx.UpdateSearchIndex(&x) })
	tend()
	l.wantJobs("build_index", 4)
	l.build(city.ID)
	same(t, "again", l.built(), []audience.SearchIndexID{city.ID})

	// One of which nobody knows.
	amount := &audience.SearchKey{Field: l.schema().FieldNamed("Amount"), Type: audience.KeyNumber, Searchable: true}
	if _, err := l.store.BuildIndex(t.Context(), 4711, l.list, amount); err != nil {
		t.Fatal(err)
	}
	same(t, "with a stray", l.built(), []audience.SearchIndexID{city.ID, 4711})
	tend()
	same(t, "without", l.built(), []audience.SearchIndexID{city.ID})

	// Its dropping is lost.
	x = l.index("City").SearchIndex
	x.State = audience.IndexDropping
	update(t, l.store, func(tx audience.Tx) error { return tx.UpdateSearchIndex(&x) })
	tend()
	l.wantJobs("drop_index", 1)
	l.must(l.service.DropIndex(t.Context(), audience.DropIndex{Index: city.ID}))
	same(t, "dropped", l.built(), []audience.SearchIndexID(nil))
}

// schema reads the List's Schema.
func (l *library) schema() (schema *audience.Schema) {
	l.Helper()
	view(l.T, l.store, func(tx audience.Tx) (err error) {
		schema, err = tx.Schema(l.list)
		return err
	})
	return schema
}

// Indexes go with what they are about.
func indexesOfDefinitions(t *testing.T, e Engine) {
	l := newLibrary(t, e)
	city := l.field(l.list, l.schema().FieldNamed("City").ID)
	for _, key := range []string{"City", "Amount", "is_active"} {
		if _, err := l.service.AddSearchIndex(t.Context(), l.list, key); err != nil {
			t.Fatal(err)
		}
	}
	amount := l.index("Amount")

	// Of another type it is ordered otherwise; the index comes back.
	if _, err := l.service.EditField(t.Context(), l.caller, l.list, l.schema().FieldNamed("Amount").ID, details("type", "text")); err != nil {
		t.Fatal(err)
	}
	same(t, "another type", l.indexes(), map[string]audience.IndexState{
		"City": audience.IndexReady, "Amount": audience.IndexDropping, "is_active": audience.IndexReady})
	l.must(l.service.DropIndex(t.Context(), audience.DropIndex{Index: amount.ID, Again: true}))
	if again := l.index("Amount"); again.ID == amount.ID || again.State != audience.IndexWaiting || !again.Manual {
		t.Errorf("index %+v", again)
	}
	l.build(l.index("Amount").ID)
	if n := l.count(l.list, "Amount", "less_than", "2"); n != 4 { // as texts: 0, 1, 10 and 11
		t.Errorf("counts %d", n)
	}

	l.must(l.service.DeleteField(t.Context(), l.caller, l.list, city.ID))
	l.wantJobs("drop_index", 2)
	l.must(l.service.DeleteList(t.Context(), l.caller, l.list))
	l.wantJobs("drop_index", 4)
	all, err := l.service.SearchIndexes(t.Context())
	l.must(err)
	for _, x := range all {
		if x.State != audience.IndexDropping {
			t.Errorf("index %+v", x)
		}
		l.must(l.service.DropIndex(t.Context(), audience.DropIndex{Index: x.ID}))
	}
	same(t, "dropped", l.built(), []audience.SearchIndexID(nil))
}

// What somebody makes stays.
func indexesByHand(t *testing.T, e Engine) {
	l := newLibrary(t, e)
	city := l.schema().FieldNamed("City")
	for _, key := range []string{"City", "field_" + strconv.FormatInt(int64(city.ID), 10)} {
		x, err := l.service.AddSearchIndex(t.Context(), l.list, key)
		if err != nil || x.State != audience.IndexReady || !x.Manual || x.ID != l.index("City").ID {
			t.Errorf("%s: index %+v, error %v", key, x, err)
		}
	}
	for _, key := range []string{"Note", "id", "creation_time", "nothing", ""} {
		_, err := l.service.AddSearchIndex(t.Context(), l.list, key)
		l.refused(err, audience.InvalidParameters, "was expected")
	}
	_, err := l.service.AddSearchIndex(t.Context(), 4711, "City")
	l.refused(err, audience.NoList, "")
	l.later(100 * day)
	l.must(l.service.ReconcileIndexes(t.Context()))
	same(t, "after long", l.indexes(), map[string]audience.IndexState{"City": audience.IndexReady})
	l.must(l.service.RemoveSearchIndex(t.Context(), l.index("City").ID))
	same(t, "removed", l.built(), []audience.SearchIndexID(nil))
	l.refused(l.service.RemoveSearchIndex(t.Context(), 4711), audience.InvalidParameters, "no index")
}

// While indexes come and go, and Contacts swap their values, whoever searches sees
// what holds before and after every change: four of each City, in order.
func rightAnswers(t *testing.T, e Engine) {
	l := newLibrary(t, e)
	ids, city := l.ids(), l.schema().FieldNamed("City").ID
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	wg.Go(func() { l.swap(ctx, ids, city) })
	for range 2 {
		wg.Go(func() { l.checkCities(ctx, city) })
	}
	for range 8 {
		for _, key := range []string{"City", "Amount", "is_active"} {
			if _, err := l.service.AddSearchIndex(t.Context(), l.list, key); err != nil {
				t.Error(err)
			}
		}
		for _, key := range []string{"City", "Amount", "is_active"} {
			if err := l.service.RemoveSearchIndex(t.Context(), l.index(key).ID); err != nil {
				t.Error(err)
			}
		}
	}
}

func (l *library) ids() (ids []audience.ContactID) {
	l.Helper()
	l.must(l.store.Search(l.Context(), func(tx audience.Tx) error {
		schema, err := tx.Schema(l.list)
		if err != nil {
			return err
		}
		return tx.SearchContacts(&audience.Search{Schema: schema}, func(c *audience.Contact) error {
			ids = append(ids, c.ID)
			return nil
		})
	}))
	return ids
}

// swap has Contacts swap their Cities until ctx ends.
func (l *library) swap(ctx context.Context, ids []audience.ContactID, city audience.FieldID) {
	for i := 0; ctx.Err() == nil; i++ {
		one, other := ids[i%len(ids)], ids[(i+1)%len(ids)]
		err := l.store.Update(ctx, func(tx audience.Tx) error {
			a, err := tx.Contact(l.list, min(one, other))
			if err != nil {
				return err
			}
			b, err := tx.Contact(l.list, max(one, other))
			if err != nil {
				return err
			}
			was := a.Values.Get(city)
			a.Values, b.Values = a.Values.Set(city, b.Values.Get(city)), b.Values.Set(city, was)
			return errors.Join(tx.UpdateContact(a), tx.UpdateContact(b))
		})
		if err != nil && ctx.Err() == nil {
			l.Error(err)
			return
		}
	}
}

// checkCities searches by City until ctx ends.
func (l *library) checkCities(ctx context.Context, city audience.FieldID) {
	want := []string{"city2", "city2", "city2", "city2", "city1", "city1", "city1", "city1", "city0", "city0", "city0", "city0"}
	found := cities{city: city}
	for ctx.Err() == nil {
		n, err := l.service.CountContacts(ctx, l.caller, l.list, triple("City", "exactly", "city1"))
		if err == nil && n != 4 {
			l.Errorf("counts %d", n)
		}
		if err == nil {
			q := audience.Query{Criteria: triple("City", "starts_with", "city"), SortBy: "City", Descending: true, Limit: 20}
			err = l.service.SearchContacts(ctx, l.caller, l.list, q, nil, &found)
		}
		if err == nil && !slices.Equal(found.all, want) {
			l.Errorf("found %q", found.all)
		}
		if err != nil && ctx.Err() == nil {
			l.Error(err)
			return
		}
	}
}

// cities are the Cities of the Contacts that a search finds.
type cities struct {
	city audience.FieldID
	all  []string
}

func (c *cities) Begin([]audience.Column, bool) error { c.all = nil; return nil }
func (c *cities) Contact(found *audience.Contact) error {
	c.all = append(c.all, found.Values.Get(c.city))
	return nil
}
