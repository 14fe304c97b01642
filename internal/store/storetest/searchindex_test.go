package storetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
	"enlist/internal/search/advisor"
)

// This file tests the index advisor on a real store. It tests when the advisor schedules, builds and drops
// the indexes that searches need, and when it repeats a failed build. indexroom.go tests limits, repairs
// and the commands of an operator.

// runSearchIndexes tests package advisor and the IndexBuilder of an engine. decisions.md: 56
func runSearchIndexes(t *testing.T, e Engine) {
	for _, c := range []struct {
		rule string
		test func(*testing.T, Engine)
	}{
		{"an index is built when searches need it and dropped after 30 days without a search", indexLife},
		{"no index is built for searches that an index would not make faster", searchesThatNoIndexHelps},
		{"an index is built after two slow searches within a day", slowSearches},
		{"searches for parts of texts get an index of their own", indexesOfParts},
		{"a failed build is repeated after a day", failedBuild},
		{"at a limit, the least recently used index is replaced if it was unused for a day", replacedIndex},
		{"no partition and no List gets more indexes than its limit", indexesOfManyLists},
		{"jobs and indexes that a crash left unfinished are repaired", reconciledIndexes},
		{"an index is dropped when its Field or its List is deleted", indexesOfDefinitions},
		{"a manual index stays until an operator removes it", manualIndexes},
		{"searches are correct while indexes are built and dropped", searchesDuringBuilds},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			c.test(t, e)
		})
	}
}

// states has the state of each search index. The map's key is the name of the index's key.
type states = map[string]enlist.IndexState

const indexReady, indexWaiting, indexDropping = enlist.IndexReady, enlist.IndexWaiting, enlist.IndexDropping

var noIndexes []enlist.SearchIndexID

// listWithThreeFields is a List with 12 Contacts. By the rules of its advisor, this is a large List. The
// clock moves only when the test moves it.
type listWithThreeFields struct {
	*accountFixture
	engine  Engine
	advisor *advisor.Advisor
	list    enlist.ListID

	mu   sync.Mutex
	step time.Duration // each call of tick moves the clock forward by this time
}

// newListWithThreeFields stores a List with the Fields City, Amount and Note. There are three Cities with
// four Contacts each. All values of Amount and Note differ.
func newListWithThreeFields(t *testing.T, e Engine) *listWithThreeFields {
	l := &listWithThreeFields{accountFixture: newAccountFixture(t, e.Open), engine: e}
	l.restart(l.store)
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

// restart creates a new service and a new advisor, as a restart of the process does.
func (l *listWithThreeFields) restart(store db.Engine) {
	l.service = app.New(store, l.tick)
	rules := advisor.DefaultRules()
	rules.Contacts = 10
	l.adviseOn(store, rules)
}

// advise replaces the advisor by a new advisor with other rules. The new advisor has not seen any search.
func (l *listWithThreeFields) advise(rules advisor.Rules) { l.adviseOn(l.store, rules) }

func (l *listWithThreeFields) adviseOn(store db.Engine, rules advisor.Rules) {
	l.advisor = advisor.New(store, l.tick, rules)
	l.service.SetSearchObserver(l.advisor)
}

// tick returns the time of the clock, and first moves the clock by step.
func (l *listWithThreeFields) tick() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(l.step)
	return l.now
}

// advance moves the clock forward.
func (l *listWithThreeFields) advance(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
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
	n, err := l.service.Contacts.CountContacts(l.Context(), l.caller, l.list, c)
	l.searchesTake(0)
	l.must(err)
	return n
}

// countSlowly counts matches in two slow searches. Then it lets the advisor schedule the index that would make
// the searches faster, if there is such an index.
func (l *listWithThreeFields) countSlowly(c *enlist.Criteria) (n int64) {
	l.Helper()
	l.countIn(slowSearch, c)
	n = l.countIn(slowSearch, c)
	l.must(l.advisor.ScheduleBuilds(l.Context()))
	return n
}

// indexes returns the states of all indexes.
func (l *listWithThreeFields) indexes() states {
	l.Helper()
	all, err := l.advisor.Reports(l.Context())
	l.must(err)
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
	l.must(err)
	i := slices.IndexFunc(all, func(x advisor.Report) bool { return x.KeyName == name })
	if i < 0 {
		l.Fatalf("the advisor has no index of %s", name)
	}
	return all[i]
}

// built returns the IDs of the indexes in the database, and checks that each index is complete.
func (l *listWithThreeFields) built() (ids []enlist.SearchIndexID) {
	l.Helper()
	built, err := l.store.BuiltIndexes(l.Context())
	l.must(err)
	for _, b := range built {
		if !b.Good {
			l.Errorf("index %d is not complete", b.ID)
		}
		ids = append(ids, b.ID)
	}
	return ids
}

func (l *listWithThreeFields) build(id enlist.SearchIndexID) {
	l.Helper()
	l.must(l.advisor.Build(l.Context(), search.BuildIndex{Index: id}))
}

func (l *listWithThreeFields) wantJobs(kind string, want int) {
	l.Helper()
	if n := l.engine.Jobs(l.T, l.store, kind); n != want {
		l.Errorf("%d jobs of kind %s wait, want %d", n, kind, want)
	}
}

func indexLife(t *testing.T, e Engine) {
	l := newListWithThreeFields(t, e)
	city := triple("City", "exactly", "city1")
	n := l.countSlowly(city)
	same(t, "scheduled", l.indexes(), states{"City": indexWaiting})
	l.wantJobs("build_index", 1)
	l.advance(time.Hour)
	l.countSlowly(city)
	l.wantJobs("build_index", 1) // there is no second job

	x := l.index("City")
	l.build(x.ID)
	same(t, "built", l.built(), []enlist.SearchIndexID{x.ID})
	view(t, l.store, func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, l.list)
		if err != nil {
			return err
		}
		if of := schema.SearchIndexes; len(of) != 1 || of[0].Key != x.Key {
			t.Errorf("the Schema has the indexes %+v, want one of City", schema.SearchIndexes)
		}
		return nil
	})
	if got := l.count(l.list, "City", "exactly", "city1"); got != n {
		t.Errorf("the search counted %d Contacts with the index, want %d as without it", got, n)
	}
	l.must(l.advisor.WriteUse(t.Context()))
	x = l.index("City")
	if x.State != indexReady || x.LastUsed != l.now.Unix() {
		t.Errorf("index %+v, want it ready and used now", x)
	}
	if x.Bytes <= 0 || x.Built == 0 {
		t.Errorf("index %+v, want its size and the time when it was built", x)
	}

	// The advisor drops the index after 30 days without a search that uses it.
	l.advance(29 * 24 * time.Hour)
	l.must(l.advisor.Reconcile(t.Context()))
	same(t, "after 29 days", l.indexes(), states{"City": indexReady})
	l.advance(2 * 24 * time.Hour)
	l.must(l.advisor.Reconcile(t.Context()))
	l.wantJobs("drop_index", 1)
	l.must(l.advisor.Drop(t.Context(), search.DropIndex{Index: x.ID}))
	same(t, "dropped", l.built(), noIndexes)
	same(t, "dropped", l.indexes(), states{})
	l.must(l.advisor.Drop(t.Context(), search.DropIndex{Index: x.ID})) // a second call has no effect
	l.build(x.ID)
	if got := l.count(l.list, "City", "exactly", "city1"); got != n {
		t.Errorf("the search counted %d Contacts after the drop, want %d as before", got, n)
	}
}

// Some keys have an index in every List, and some keys cannot have an index. Some criteria read every
// Contact with or without an index.
func searchesThatNoIndexHelps(t *testing.T, e Engine) {
	l := newListWithThreeFields(t, e)
	for _, c := range []*enlist.Criteria{
		triple("id", "greater_than", 5), triple("creation_time", "less_than", 5),
		triple("last_modified_time", "exactly", 5),
		triple("Email", "exactly", "c1@example.com"), triple("Mobile Phone", "in", []any{"+61400000000"}),
		triple("Note", "exactly", "n1"), triple("City", "contains", "y1"), triple("City", "not", "city1"),
		// This search reads every Contact, because Note cannot have an index.
		{Any: []enlist.Criteria{*triple("City", "exactly", "city1"), *triple("Note", "exactly", "n1")}},
		nil,
	} {
		l.advance(time.Hour)
		l.countSlowly(c)
	}
	same(t, "after searches that no index helps", l.indexes(), states{})
	l.advance(time.Hour)
	l.countSlowly(&enlist.Criteria{All: []enlist.Criteria{
		*triple("City", "starts_with", "city1"), *triple("Note", "exactly", "n1")}})
	same(t, "after a search with one indexable key of two", l.indexes(), states{"City": indexWaiting})
	rules := advisor.DefaultRules()
	rules.Contacts, rules.CoveringFilters = 10, true
	l.advise(rules)
	l.countSlowly(triple("Note", "contains", "n1"))
	l.countSlowly(triple("Amount", "ends_with", "1"))
	same(t, "with covering filters", l.indexes(), states{"City": indexWaiting, "Amount": indexWaiting})
	l.must(l.advisor.Remove(t.Context(), l.index("Amount").ID))

	l.searchesTake(slowSearch)
	for range 2 {
		sorted := enlist.Query{SortBy: "is_active", Limit: 2}
		l.must(l.service.Contacts.SearchContacts(t.Context(), l.caller, l.list, sorted, nil, discard{}))
	}
	l.searchesTake(0)
	l.must(l.advisor.ScheduleBuilds(t.Context()))
	l.build(l.index("is_active").ID)
	same(t, "after a sort", l.indexes(), states{"City": indexWaiting, "is_active": indexReady})

	small := l.addList()
	l.subscribe(small, "Email", "a@example.com")
	large := l.list
	l.list = small
	l.countSlowly(triple("is_active", "exactly", true))
	l.list = large
	if n := len(l.indexes()); n != 2 {
		t.Errorf("there are %d indexes, want 2: none for a small List", n)
	}
}

// discard is a ContactWriter that ignores the Contacts.
type discard struct{}

func (discard) Begin([]enlist.Column, bool) error { return nil }
func (discard) Contact(*enlist.ByID) error        { return nil }

// The advisor schedules an index for each key that two slow searches within a day lacked.
func slowSearches(t *testing.T, e Engine) {
	l := newListWithThreeFields(t, e)
	city, amount := triple("City", "exactly", "city1"), triple("Amount", "greater_than", 3)
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
		}, states{"City": indexWaiting}},
		{"two slow searches by two keys", func() {
			l.countIn(slowSearch, both)
			l.countIn(slowSearch, both)
		}, states{"City": indexWaiting, "Amount": indexWaiting}},
	} {
		l.restart(l.store) // the new advisor has not seen any search
		c.search()
		l.must(l.advisor.ScheduleBuilds(t.Context()))
		same(t, c.name, l.indexes(), c.want)
		l.removeIndexes()
	}
}

// removeIndexes drops all indexes.
func (l *listWithThreeFields) removeIndexes() {
	l.Helper()
	all, err := l.advisor.Reports(l.Context())
	l.must(err)
	for _, x := range all {
		l.must(l.advisor.Remove(l.Context(), x.ID))
	}
}

// brokenBuilder is a Store that fails to build indexes.
type brokenBuilder struct {
	db.Engine
	err error
}

// BuildIndex implements db.Store.
func (b *brokenBuilder) BuildIndex(context.Context, enlist.SearchIndexID, enlist.ListID, *enlist.SearchKey) (
	int64, error) {
	return 0, b.err
}

func failedBuild(t *testing.T, e Engine) {
	l := newListWithThreeFields(t, e)
	l.restart(&brokenBuilder{l.store, errors.New("the disk is full")})
	amount := triple("Amount", "exactly", 3)
	l.countSlowly(amount)
	l.build(l.index("Amount").ID)
	if x := l.index("Amount"); x.State != enlist.IndexFailed || x.Error != "the disk is full" {
		t.Errorf("index %+v, want it failed with the error of the builder", x)
	}
	number := &enlist.SearchKey{Field: l.schema().FieldNamed("Amount"), Type: enlist.KeyNumber, Searchable: true}
	_, err := l.store.BuildIndex(t.Context(), l.index("Amount").ID, l.list, number) // as if the failed build had left an index
	if err != nil {
		t.Fatal(err)
	}
	l.advance(23 * time.Hour)
	l.countSlowly(amount)
	l.must(l.advisor.Reconcile(t.Context()))
	same(t, "after the failure", l.built(), noIndexes)
	l.wantJobs("build_index", 1)
	l.advance(2 * time.Hour)
	l.countSlowly(amount)
	l.wantJobs("build_index", 2)

	l.restart(&brokenBuilder{l.store, enlist.ErrIndexBusy})
	err = l.advisor.Build(t.Context(), search.BuildIndex{Index: l.index("Amount").ID})
	if !errors.Is(err, enlist.ErrIndexBusy) {
		t.Errorf("error %v, want ErrIndexBusy", err)
	}
	l.restart(l.store)
	l.build(l.index("Amount").ID)
	same(t, "after a successful build", l.indexes(), states{"Amount": indexReady})
}
