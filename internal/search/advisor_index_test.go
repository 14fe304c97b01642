package search_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search/advisor"
)

// This file tests the index advisor on a real store. It tests when the advisor schedules, builds and drops
// the indexes that searches need, and when it repeats a failed build. advisor_room_test.go tests limits, repairs
// and the commands of an operator.

// The tests show which indexes the advisor builds and drops.
//
// covers: decision 56
func TestSearchIndexes(t *testing.T) {
	apptest.Run(t, apptest.Slow, newListWithThreeFields, []apptest.Rule[*listWithThreeFields]{
		{Name: "an index is built when searches need it and dropped after 30 days without a search", Test: indexLife},
		{Name: "no index is built for searches that an index would not make faster", Test: searchesThatNoIndexHelps},
		{Name: "a test that reads every value gets an index on SQLite", Test: filtersOverIndexes},
		{Name: "an index is built after two slow searches within a day", Test: slowSearches},
		{Name: "searches for parts of texts get an index of their own", Test: indexesOfParts},
		{Name: "a failed build is repeated after a day", Test: failedBuild},
		{Name: "at a limit, the least recently used index is replaced if it was unused for a day", Test: replacedIndex},
		{Name: "no partition and no List gets more indexes than its limit", Test: indexesOfManyLists},
		{Name: "indexes that a crash left unfinished are built or dropped", Test: reconciledIndexes},
		{Name: "an index is dropped when its Field or its List is deleted", Test: indexesOfDefinitions},
		{Name: "a manual index stays until an operator removes it", Test: manualIndexes},
		{Name: "searches are correct while indexes are built and dropped", Test: searchesDuringBuilds},
	})
}

// states has the state of each search index. The map's key is the name of the index's key.
type states = map[string]enlist.IndexState

const indexReady = enlist.IndexReady

var noIndexes []enlist.SearchIndexID

// listWithThreeFields is a List with 12 Contacts. By the rules of its advisor, this is a large List. The
// clock moves only when the test moves it.
type listWithThreeFields struct {
	*apptest.Account
	advisor *advisor.Advisor
	list    enlist.ListID

	mu   sync.Mutex
	step time.Duration // each call of tick moves the clock forward by this time
}

// newListWithThreeFields stores a List with the Fields City, Amount and Note. There are three Cities with
// four Contacts each. All values of Amount and Note differ.
func newListWithThreeFields(t *testing.T, store db.Engine) *listWithThreeFields {
	l := &listWithThreeFields{Account: apptest.NewAccount(t, store)}
	l.restart(l.Store)
	l.list = l.AddList()
	l.AddField(l.list, "name", "City", "type", "text")
	l.AddField(l.list, "name", "Amount", "type", "decimal")
	l.AddField(l.list, "name", "Note", "type", "comment")
	for i := range 12 {
		n := strconv.Itoa(i)
		l.Subscribe(l.list, "Email", "c"+n+"@example.com", "City", "city"+strconv.Itoa(i%3), "Amount", i, "Note", "n"+n)
	}
	return l
}

// restart creates a new service and a new advisor, as a restart of the process does.
func (l *listWithThreeFields) restart(store db.Engine) {
	l.App = app.New(store, l.tick)
	l.adviseOn(store, rulesOfTest(64, 16))
}

// rulesOfTest are rules by which a List with more than 10 Contacts is large.
func rulesOfTest(perPlace, perList int) advisor.Rules {
	return advisor.Rules{PerPlace: func() int { return perPlace }, PerList: perList, Contacts: 10}
}

// advise replaces the advisor by a new advisor with other rules. The new advisor has not seen any search.
func (l *listWithThreeFields) advise(rules advisor.Rules) { l.adviseOn(l.Store, rules) }

func (l *listWithThreeFields) adviseOn(store db.Engine, rules advisor.Rules) {
	l.advisor = advisor.New(store, l.tick, rules)
	l.App.Contacts.Observe(l.advisor.SearchRan)
}

// tick returns the time of the clock, and first moves the clock by step.
func (l *listWithThreeFields) tick() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Now = l.Now.Add(l.step)
	return l.Now
}

// advance moves the clock forward.
func (l *listWithThreeFields) advance(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Now = l.Now.Add(d)
}

// searchesTake sets how long each search takes from now on, as the advisor measures it.
func (l *listWithThreeFields) searchesTake(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step = d
}

// slowSearch is the shortest time of a slow search.
const slowSearch = 20 * time.Millisecond

// countIn counts matches in a search that seems to take a time.
func (l *listWithThreeFields) countIn(took time.Duration, c *enlist.Criteria) (n int64) {
	l.Helper()
	l.searchesTake(took)
	n, err := l.App.Contacts.CountContacts(l.Context(), l.Caller, l.list, c)
	l.searchesTake(0)
	l.Must(err)
	return n
}

// countSlowly counts matches in two slow searches. Then it lets the advisor build the index that would make
// the searches faster, if there is such an index.
func (l *listWithThreeFields) countSlowly(c *enlist.Criteria) (n int64) {
	l.Helper()
	l.countIn(slowSearch, c)
	n = l.countIn(slowSearch, c)
	l.tend()
	return n
}

// indexes returns the states of all indexes.
func (l *listWithThreeFields) indexes() states {
	l.Helper()
	all, err := l.advisor.Reports(l.Context())
	l.Must(err)
	states := make(states)
	for _, x := range all {
		states[x.KeyName] = x.State
	}
	return states
}

// index returns the index of a key.
func (l *listWithThreeFields) index(name string) advisor.Report {
	l.Helper()
	all, err := l.advisor.Reports(l.Context())
	l.Must(err)
	i := slices.IndexFunc(all, func(x advisor.Report) bool { return x.KeyName == name })
	if i < 0 {
		l.Fatalf("the advisor has no index of %s", name)
	}
	return all[i]
}

// built returns the IDs of the indexes in the database, and checks that each index is complete.
func (l *listWithThreeFields) built() (ids []enlist.SearchIndexID) {
	l.Helper()
	built, err := l.Store.BuiltIndexes(l.Context())
	l.Must(err)
	for _, b := range built {
		if !b.Good {
			l.Errorf("index %d is not complete", b.ID)
		}
		ids = append(ids, b.ID)
	}
	return ids
}

// tend lets the advisor build and drop indexes, as a server does every some seconds.
func (l *listWithThreeFields) tend() {
	l.Helper()
	l.Must(l.advisor.AddWanted(l.Context()))
	l.Must(l.advisor.Tend(l.Context()))
}

func indexLife(l *listWithThreeFields) {
	city := apptest.Criterion("City", "exactly", "city1")
	n := l.countSlowly(city)
	apptest.Same(l.T, "after slow searches", l.indexes(), states{"City": indexReady})
	x := l.index("City")
	apptest.Same(l.T, "built", l.built(), []enlist.SearchIndexID{x.ID})
	apptest.View(l.T, l.Store, func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, l.list)
		if err != nil {
			return err
		}
		if of := schema.SearchIndexes; len(of) != 1 || of[0].Key != x.Key {
			l.Errorf("the Schema has the indexes %+v, want one of City", schema.SearchIndexes)
		}
		return nil
	})
	if got := l.Count(l.list, "City", "exactly", "city1"); got != n {
		l.Errorf("the search counted %d Contacts with the index, want %d as without it", got, n)
	}
	l.Must(l.advisor.WriteUse(l.Context()))
	x = l.index("City")
	if x.State != indexReady || x.LastUsed != l.Now.Unix() {
		l.Errorf("index %+v, want it ready and used now", x)
	}
	if x.Bytes <= 0 || x.Built == 0 {
		l.Errorf("index %+v, want its size and the time when it was built", x)
	}

	// The advisor drops the index after 30 days without a search that uses it.
	l.advance(29 * 24 * time.Hour)
	l.tend()
	apptest.Same(l.T, "after 29 days", l.indexes(), states{"City": indexReady})
	l.advance(2 * 24 * time.Hour)
	l.tend()
	apptest.Same(l.T, "dropped", l.indexes(), states{})
	apptest.Same(l.T, "dropped", l.built(), noIndexes)
	if got := l.Count(l.list, "City", "exactly", "city1"); got != n {
		l.Errorf("the search counted %d Contacts after the drop, want %d as before", got, n)
	}
}

// Some keys have an index in every List, and some keys cannot have an index. Some criteria read every
// Contact with or without an index.
func searchesThatNoIndexHelps(l *listWithThreeFields) {
	for _, c := range []*enlist.Criteria{
		apptest.Criterion("id", "greater_than", 5), apptest.Criterion("creation_time", "less_than", 5),
		apptest.Criterion("last_modified_time", "exactly", 5),
		apptest.Criterion("Email", "exactly", "c1@example.com"), apptest.Criterion("Mobile Phone", "in", []any{"+61400000000"}),
		apptest.Criterion("Note", "exactly", "n1"), apptest.Criterion("Note", "contains", "n1"),
		// This search reads every Contact, because Note cannot have an index.
		{Any: []enlist.Criteria{*apptest.Criterion("City", "exactly", "city1"), *apptest.Criterion("Note", "exactly", "n1")}},
		nil,
	} {
		l.advance(time.Hour)
		l.countSlowly(c)
	}
	apptest.Same(l.T, "after searches that no index helps", l.indexes(), states{})
	l.advance(time.Hour)
	l.countSlowly(&enlist.Criteria{All: []enlist.Criteria{
		*apptest.Criterion("City", "starts_with", "city1"), *apptest.Criterion("Note", "exactly", "n1")}})
	apptest.Same(l.T, "after a search with one indexable key of two", l.indexes(), states{"City": indexReady})
	l.Must(l.advisor.Remove(l.Context(), l.index("City").ID))

	l.searchesTake(slowSearch)
	for range 2 {
		sorted := enlist.Query{SortBy: "is_active", Limit: 2}
		l.Must(l.App.Contacts.SearchContacts(l.Context(), l.Caller, l.list, sorted, nil, discard{}))
	}
	l.searchesTake(0)
	l.tend()
	apptest.Same(l.T, "after a sort", l.indexes(), states{"is_active": indexReady})

	small := l.AddList()
	l.Subscribe(small, "Email", "a@example.com")
	large := l.list
	l.list = small
	l.countSlowly(apptest.Criterion("is_active", "exactly", true))
	l.list = large
	if n := len(l.indexes()); n != 1 {
		l.Errorf("there are %d indexes, want 1: none for a small List", n)
	}
}

// discard is a ContactWriter that ignores the Contacts.
type discard struct{}

func (discard) Begin([]enlist.Column, bool) error { return nil }

func (discard) Contact(*enlist.Contact) error { return nil }

// The advisor schedules an index for each key that two slow searches within a day lacked.
func slowSearches(l *listWithThreeFields) {
	city, amount := apptest.Criterion("City", "exactly", "city1"), apptest.Criterion("Amount", "greater_than", 3)
	both := &enlist.Criteria{All: []enlist.Criteria{*city, *amount, *city, *city}}
	for _, c := range []struct {
		name   string
		search func()
		want   states
	}{
		{"many fast searches", func() {
			for range 100 {
				l.countIn(slowSearch-time.Millisecond, city)
			}
		}, states{}},
		{"one slow search, which tests a key three times", func() { l.countIn(slowSearch, both) }, states{}},
		{"two slow searches 24 hours apart", func() {
			l.countIn(slowSearch, city)
			l.advance(day)
			l.countIn(slowSearch, city)
		}, states{}},
		{"two slow searches 23 hours apart", func() {
			l.countIn(slowSearch, city)
			l.advance(23 * time.Hour)
			l.countIn(slowSearch, city)
		}, states{"City": indexReady}},
		{"two slow searches by two keys", func() {
			l.countIn(slowSearch, both)
			l.countIn(slowSearch, both)
		}, states{"City": indexReady, "Amount": indexReady}},
	} {
		l.restart(l.Store) // the new advisor has not seen any search
		c.search()
		l.tend()
		apptest.Same(l.T, c.name, l.indexes(), c.want)
		l.removeIndexes()
	}
}

// removeIndexes drops all indexes.
func (l *listWithThreeFields) removeIndexes() {
	l.Helper()
	all, err := l.advisor.Reports(l.Context())
	l.Must(err)
	for _, x := range all {
		l.Must(l.advisor.Remove(l.Context(), x.ID))
	}
}

// A test that reads every value gets an index on SQLite, which then reads the index and not the Contacts. On PostgreSQL
// it would read the Contacts too.
func filtersOverIndexes(l *listWithThreeFields) {
	want := states{}
	apptest.View(l.T, l.Store, func(tx *db.Tx) error {
		if tx.SQL.NamesIndexes {
			want = states{"City": indexReady, "Amount": indexReady}
		}
		return nil
	})
	l.countSlowly(apptest.Criterion("Amount", "ends_with", "1"))
	l.countSlowly(apptest.Criterion("City", "not", "city1"))
	l.countSlowly(apptest.Criterion("Note", "contains", "n1"))
	apptest.Same(l.T, "after searches that read every value", l.indexes(), want)
}

// brokenBuilder is a Store that fails to build indexes.
type brokenBuilder struct {
	db.Engine
	err    error
	builds int
}

// BuildIndex implements db.Engine.
func (b *brokenBuilder) BuildIndex(context.Context, enlist.SearchIndexID, enlist.ListID, *enlist.SearchKey) (
	int64, error) {
	b.builds++
	return 0, b.err
}

func failedBuild(l *listWithThreeFields) {
	full := &brokenBuilder{Engine: l.Store, err: errors.New("the disk is full")}
	l.restart(full)
	amount := apptest.Criterion("Amount", "exactly", 3)
	l.countSlowly(amount)
	if x := l.index("Amount"); x.State != enlist.IndexFailed || x.Error != "the disk is full" {
		l.Errorf("index %+v, want it failed with the error of the builder", x)
	}
	number := &enlist.SearchKey{Field: l.schema().FieldNamed("Amount"), Type: enlist.KeyNumber, Searchable: true}
	_, err := l.Store.BuildIndex(l.Context(), l.index("Amount").ID, l.list, number) // as if the failed build had left an index
	l.Must(err)
	l.advance(23 * time.Hour)
	l.countSlowly(amount)
	apptest.Same(l.T, "after the failure", l.built(), noIndexes)
	apptest.Same(l.T, "builds within a day", full.builds, 1)
	l.advance(2 * time.Hour)
	l.countSlowly(amount)
	apptest.Same(l.T, "builds within two days", full.builds, 2)

	l.restart(&brokenBuilder{Engine: l.Store, err: enlist.ErrIndexBusy})
	if _, err := l.advisor.Create(l.Context(), l.list, "Amount", false); !errors.Is(err, enlist.ErrIndexBusy) {
		l.Errorf("Create: error %v, want ErrIndexBusy", err)
	}
	if err := l.advisor.Tend(l.Context()); !errors.Is(err, db.ErrAgain) {
		l.Errorf("Tend: error %v, want ErrAgain", err)
	}
	if x := l.index("Amount"); x.State != enlist.IndexWaiting {
		l.Errorf("while another process builds it, the index is %+v, want it waiting", x)
	}
	l.restart(l.Store)
	l.tend()
	apptest.Same(l.T, "after a successful build", l.indexes(), states{"Amount": indexReady})
}
