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

// SearchIndexes tests the indexes that searches get by themselves: how they come and
// go, and that answers are right meanwhile.
func SearchIndexes(t *testing.T, e Engine) {
	for name, test := range map[string]func(*testing.T, Engine){
		"life":          indexLife,
		"not for":       indexNotFor,
		"by the day":    indexByTheDay,
		"failure":       indexFailure,
		"room":          indexRoom,
		"many Lists":    indexesOfManyLists,
		"put right":     indexesPutRight,
		"definitions":   indexesOfDefinitions,
		"by hand":       indexesByHand,
		"right answers": rightAnswers,
	} {
		t.Run(name, func(t *testing.T) { test(t, e) })
	}
}

// library is an office whose clock a test sets, and may have go on with each look.
type library struct {
	*office
	engine Engine
	list   audience.ListID

	mu   sync.Mutex
	step time.Duration
}

// newLibrary has a List of Contacts with a City, an Amount and a Note, and rules by
// which it is large.
func newLibrary(t *testing.T, e Engine) *library {
	l := &library{office: newOffice(t, e.Open), engine: e}
	l.begin(l.store)
	l.list = l.addList()
	l.addField(l.list, "name", "City", "type", "text")
	l.addField(l.list, "name", "Amount", "type", "decimal")
	l.addField(l.list, "name", "Note", "type", "comment")
	for i := range 12 {
		n := strconv.Itoa(i)
		l.subscribe(l.list, "Email", "c"+n+"@example.com", "City", "city"+strconv.Itoa(i%3), "Amount", i, "Note", "n"+n)
	}
	return l
}

// begin begins anew with a store, as a process that starts.
func (l *library) begin(store audience.Store) {
	l.service = audience.NewService(store, l.look)
	rules := audience.DefaultIndexRules()
	rules.Contacts = 10
	l.service.SetIndexRules(rules)
}

// look looks at the clock.
func (l *library) look() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(l.step)
	return l.now
}

func (l *library) later(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// takes is how long whatever is timed takes from now on.
func (l *library) takes(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step = d
}

// triple is a test of criteria.
func triple(key, operator string, value any) *audience.Criteria {
	return &audience.Criteria{Key: key, Operator: operator, Value: input(value)}
}

// slowly counts what matches, which takes long, and has what it lacked ordered.
func (l *library) slowly(c *audience.Criteria) (n int64) {
	l.Helper()
	l.takes(200 * time.Millisecond)
	n, err := l.service.CountContacts(l.Context(), l.caller, l.list, c)
	l.takes(0)
	l.must(err)
	l.must(l.service.ScheduleIndexBuilds(l.Context()))
	return n
}

// indexes are the states of all indexes by their keys' names.
func (l *library) indexes() map[string]audience.IndexState {
	l.Helper()
	all, err := l.service.SearchIndexes(l.Context())
	l.must(err)
	states := make(map[string]audience.IndexState)
	for _, x := range all {
		states[x.KeyName] = x.State
	}
	return states
}

// index returns the index of a key.
func (l *library) index(name string) audience.IndexReport {
	l.Helper()
	all, err := l.service.SearchIndexes(l.Context())
	l.must(err)
	i := slices.IndexFunc(all, func(x audience.IndexReport) bool { return x.KeyName == name })
	if i < 0 {
		l.Fatalf("no index of %s", name)
	}
	return all[i]
}

// built are the IDs of the indexes that the database has.
func (l *library) built() (ids []audience.SearchIndexID) {
	l.Helper()
	built, err := l.store.BuiltIndexes(l.Context())
	l.must(err)
	for _, b := range built {
		if !b.Good {
			l.Errorf("index %d is not good", b.ID)
		}
		ids = append(ids, b.ID)
	}
	return ids
}

func (l *library) build(id audience.SearchIndexID) {
	l.Helper()
	l.must(l.service.BuildIndex(l.Context(), audience.BuildIndex{Index: id}))
}

func (l *library) wantJobs(kind string, want int) {
	l.Helper()
	if n := l.engine.Jobs(l.T, l.store, kind); n != want {
		l.Errorf("%d jobs of kind %s wait, want %d", n, kind, want)
	}
}

func indexLife(t *testing.T, e Engine) {
	l := newLibrary(t, e)
	city := triple("City", "exactly", "city1")
	n := l.slowly(city)
	same(t, "ordered", l.indexes(), map[string]audience.IndexState{"City": audience.IndexWaiting})
	l.wantJobs("build_index", 1)
	l.later(time.Hour)
	l.slowly(city)
	l.wantJobs("build_index", 1) // not twice

	x := l.index("City")
	l.build(x.ID)
	same(t, "built", l.built(), []audience.SearchIndexID{x.ID})
	view(t, l.store, func(tx audience.Tx) error {
		schema, err := tx.Schema(l.list)
		if err == nil && (len(schema.SearchIndexes) != 1 || schema.SearchIndexes[0].Key != x.Key || schema.SearchIndexes[0].ScanMS != 200) {
			t.Errorf("the Schema has %+v", schema.SearchIndexes)
		}
		return err
	})
	if got := l.count(l.list, "City", "exactly", "city1"); got != n {
		t.Errorf("counts %d with the index, %d without", got, n)
	}
	l.must(l.service.WriteIndexUse(t.Context()))
	if x = l.index("City"); x.State != audience.IndexReady || x.Uses != 1 || x.SavedMS != 200 || x.LastUsed != l.now.Unix() || x.Bytes <= 0 || x.Built == 0 {
		t.Errorf("index %+v", x)
	}

	// After 30 days without a search.
	l.later(29 * 24 * time.Hour)
	l.must(l.service.ReconcileIndexes(t.Context()))
	if x = l.index("City"); x.State != audience.IndexReady || x.Uses != 0 {
		t.Errorf("index %+v", x)
	}
	l.later(2 * 24 * time.Hour)
	l.must(l.service.ReconcileIndexes(t.Context()))
	l.wantJobs("drop_index", 1)
	l.must(l.service.DropIndex(t.Context(), audience.DropIndex{Index: x.ID}))
	same(t, "dropped", l.built(), []audience.SearchIndexID(nil))
	same(t, "dropped", l.indexes(), map[string]audience.IndexState{})
	l.must(l.service.DropIndex(t.Context(), audience.DropIndex{Index: x.ID})) // again does no harm
	l.build(x.ID)
	if got := l.count(l.list, "City", "exactly", "city1"); got != n {
		t.Errorf("counts %d without the index, %d before", got, n)
	}
}

// What has an index anyway, what cannot have one, and what none helps.
func indexNotFor(t *testing.T, e Engine) {
	l := newLibrary(t, e)
	for _, c := range []*audience.Criteria{
		triple("id", "greater_than", 5), triple("creation_time", "less_than", 5), triple("last_modified_time", "exactly", 5),
		triple("Email", "exactly", "c1@example.com"), triple("Mobile Phone", "in", []any{"+61400000000"}),
		triple("Note", "exactly", "n1"), triple("City", "contains", "y1"), triple("City", "not", "city1"),
		{Any: []audience.Criteria{*triple("City", "exactly", "city1"), *triple("Note", "exactly", "n1")}}, // looks at all for the Note
		nil,
	} {
		l.later(time.Hour)
		l.slowly(c)
	}
	same(t, "for want of none", l.indexes(), map[string]audience.IndexState{})
	l.later(time.Hour)
	l.slowly(&audience.Criteria{All: []audience.Criteria{*triple("City", "starts_with", "city1"), *triple("Note", "exactly", "n1")}})
	same(t, "one of two", l.indexes(), map[string]audience.IndexState{"City": audience.IndexWaiting})
	rules := audience.DefaultIndexRules()
	rules.Contacts, rules.Walks = 10, true
	l.service.SetIndexRules(rules)
	l.slowly(triple("Note", "contains", "n1"))
	l.slowly(triple("Amount", "ends_with", "1"))
	same(t, "to be walked", l.indexes(), map[string]audience.IndexState{"City": audience.IndexWaiting, "Amount": audience.IndexWaiting})
	l.must(l.service.RemoveSearchIndex(t.Context(), l.index("Amount").ID))

	l.takes(200 * time.Millisecond)
	err := l.service.SearchContacts(t.Context(), l.caller, l.list, audience.Query{SortBy: "is_active", Limit: 2}, nil, discard{})
	l.takes(0)
	l.must(err)
	l.must(l.service.ScheduleIndexBuilds(t.Context()))
	l.build(l.index("is_active").ID)
	same(t, "of a sort", l.indexes(), map[string]audience.IndexState{"City": audience.IndexWaiting, "is_active": audience.IndexReady})

	small := l.addList()
	l.subscribe(small, "Email", "a@example.com")
	l.takes(200 * time.Millisecond)
	l.count(small, "is_active", "exactly", "true")
	l.takes(0)
	l.must(l.service.ScheduleIndexBuilds(t.Context()))
	if n := len(l.indexes()); n != 2 {
		t.Errorf("%d indexes", n)
	}
}

// discard takes what a search finds.
type discard struct{}

func (discard) Begin([]audience.Column, bool) error { return nil }
func (discard) Contact(*audience.Contact) error     { return nil }

// Many searches of a List that are not slow themselves.
func indexByTheDay(t *testing.T, e Engine) {
	l := newLibrary(t, e)
	search := func(n int) {
		l.takes(50 * time.Millisecond)
		for range n {
			l.count(l.list, "Amount", "greater_than", "3")
		}
		l.takes(0)
		l.must(l.service.ScheduleIndexBuilds(t.Context()))
	}
	search(150)
	l.later(24 * time.Hour)
	search(150) // another day begins with nothing
	same(t, "not enough", l.indexes(), map[string]audience.IndexState{})
	search(100)
	same(t, "enough", l.indexes(), map[string]audience.IndexState{"Amount": audience.IndexWaiting})
}

// brokenBuilder cannot make indexes.
type brokenBuilder struct {
	audience.Store
	err error
}

// BuildIndex implements audience.Store.
func (b *brokenBuilder) BuildIndex(_ context.Context, _ audience.SearchIndexID, _ audience.ListID, _ *audience.SearchKey) (int64, error) {
	return 0, b.err
}

func indexFailure(t *testing.T, e Engine) {
	l := newLibrary(t, e)
	l.begin(&brokenBuilder{l.store, errors.New("the disk is full")})
	amount := triple("Amount", "exactly", 3)
	l.slowly(amount)
	l.build(l.index("Amount").ID)
	if x := l.index("Amount"); x.State != audience.IndexFailed || x.Error != "the disk is full" {
		t.Errorf("index %+v", x)
	}
	number := &audience.SearchKey{Field: l.schema().FieldNamed("Amount"), Type: audience.KeyNumber, Searchable: true}
	if _, err := l.store.BuildIndex(t.Context(), l.index("Amount").ID, l.list, number); err != nil { // half of it, say
		t.Fatal(err)
	}
	l.later(23 * time.Hour)
	l.slowly(amount)
	l.must(l.service.ReconcileIndexes(t.Context()))
	same(t, "what a failure leaves", l.built(), []audience.SearchIndexID(nil))
	l.wantJobs("build_index", 1)
	l.later(2 * time.Hour)
	l.slowly(amount)
	l.wantJobs("build_index", 2)

	l.begin(&brokenBuilder{l.store, audience.ErrIndexBusy})
	if err := l.service.BuildIndex(t.Context(), audience.BuildIndex{Index: l.index("Amount").ID}); !errors.Is(err, audience.ErrIndexBusy) {
		t.Errorf("error %v", err)
	}
	l.begin(l.store)
	l.build(l.index("Amount").ID)
	same(t, "at last", l.indexes(), map[string]audience.IndexState{"Amount": audience.IndexReady})
}
