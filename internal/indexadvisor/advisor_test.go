package indexadvisor_test

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"enlist/internal/audience"
	"enlist/internal/indexadvisor"
	"enlist/internal/store/teststores"

	"go.uber.org/goleak"
)

// These tests show the rules by which indexes are built and dropped, on a SQLite store and
// with a fixed clock. storetest/searchindex.go tests the same rules with complete searches on
// SQLite and PostgreSQL, and with crashes and failures.
//
// decisions.md: 56

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const day = 24 * time.Hour

// advised is a store with a List of 20 Contacts, and its Advisor.
type advised struct {
	*testing.T
	store   audience.Store
	advisor *indexadvisor.Advisor
	now     time.Time
	list    audience.ListID
}

// newAdvised returns a store with a List that is large enough for an index. The rules allow at
// most two indexes.
func newAdvised(t *testing.T) *advised {
	t.Helper()
	store, err := teststores.Open(t.Context(), teststores.SQLite.New(t), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	a := &advised{T: t, store: store, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	rules := indexadvisor.DefaultRules()
	rules.Contacts, rules.Most = 10, 2
	a.advisor = indexadvisor.New(store, func() time.Time { return a.now }, rules)
	list := audience.List{AccountID: 1, Name: "News"}
	a.update(func(tx audience.Tx) error { return tx.AddList(&list) })
	a.list = list.ID
	for i := range 20 {
		c := audience.Contact{ListID: list.ID, Key: strconv.Itoa(i), IsFirst: true}
		a.update(func(tx audience.Tx) error { _, err := tx.InsertContact(&c); return err })
	}
	return a
}

// must ends the test if there is an error.
func (a *advised) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

func (a *advised) update(fn func(audience.Tx) error) {
	a.Helper()
	a.must(a.store.Update(a.Context(), fn))
}

// view returns the List's Schema and all indexes.
func (a *advised) view() (schema *audience.Schema, all []audience.SearchIndex) {
	a.Helper()
	a.must(a.store.View(a.Context(), func(tx audience.Tx) (err error) {
		if schema, err = tx.Schema(a.list); err == nil {
			all, err = tx.SearchIndexes(0)
		}
		return err
	}))
	return schema, all
}

// search reports to the Advisor that a search tested the keys and took the given time.
func (a *advised) search(took time.Duration, keys ...string) {
	a.Helper()
	schema, _ := a.view()
	where := &audience.Condition{}
	for _, name := range keys {
		where.All = append(where.All, audience.Condition{Key: schema.KeyFor(name), Operator: audience.Exactly,
			Operands: []audience.Operand{{Int: 1}}})
	}
	a.advisor.SearchRan(&audience.Search{Schema: schema, Where: where}, took, a.now)
}

// schedule sets the clock one minute later and schedules builds.
func (a *advised) schedule() {
	a.Helper()
	a.now = a.now.Add(time.Minute)
	a.must(a.advisor.ScheduleBuilds(a.Context()))
}

// build runs a build job and a drop job for every index. A build job does nothing if the
// index is ready, failed or dropping. A drop job does nothing if the index is not dropping.
func (a *advised) build() {
	a.Helper()
	_, all := a.view()
	for _, x := range all {
		a.must(a.advisor.Build(a.Context(), audience.BuildIndex{Index: x.ID}))
		a.must(a.advisor.Drop(a.Context(), audience.DropIndex{Index: x.ID}))
	}
}

// indexed reports a slow search for each key, then schedules and builds the indexes of the keys.
func (a *advised) indexed(keys ...string) {
	a.Helper()
	for _, key := range keys {
		a.search(time.Second, key)
	}
	a.schedule()
	a.build()
}

// saved stores that the index of a key saved ms milliseconds today.
func (a *advised) saved(key string, ms int64) {
	a.Helper()
	_, all := a.view()
	for _, x := range all {
		if x.Key == key {
			a.update(func(tx audience.Tx) error {
				use := map[audience.SearchIndexID]audience.IndexUse{x.ID: {Uses: 1, SavedMS: ms}}
				return tx.RecordIndexUse(use, a.now.Unix())
			})
		}
	}
}

// states maps the key of each index to its state.
type states map[string]audience.IndexState

func (a *advised) want(want states) {
	a.Helper()
	got := states{}
	_, all := a.view()
	for _, x := range all {
		got[x.Key] = x.State
	}
	if !maps.Equal(got, want) {
		a.Errorf("the indexes are %v, want %v", got, want)
	}
}

func TestSlowSearchesScheduleTheMissingIndex(t *testing.T) {
	const slow = 200 * time.Millisecond
	active := states{"is_active": audience.IndexWaiting}
	for _, c := range []struct {
		name   string
		search func(a *advised)
		want   states
	}{
		{"one slow search", func(a *advised) { a.search(slow, "is_active") }, active},
		{"one fast search", func(a *advised) { a.search(slow/4, "is_active") }, states{}},
		{"fast searches that together take over 10 s on a day", func(a *advised) {
			for range 201 {
				a.search(slow/4, "is_active")
			}
		}, active},
		{"fast searches that take over 10 s only on two days together", func(a *advised) {
			for range 150 {
				a.search(slow/4, "is_active")
			}
			a.now = a.now.Add(day)
			for range 150 {
				a.search(slow/4, "is_active")
			}
		}, states{}},
		{"a search that tests a key three times counts once", func(a *advised) {
			for range 100 {
				a.search(slow/4, "is_active", "is_active", "is_active")
			}
		}, states{}},
		{"each key of a slow search", func(a *advised) { a.search(slow, "is_active", "is_unsubscribed") },
			states{"is_active": audience.IndexWaiting, "is_unsubscribed": audience.IndexWaiting}},
		{"a key for which every List has an index", func(a *advised) { a.search(slow, "creation_time") }, states{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAdvised(t)
			c.search(a)
			a.schedule()
			a.want(c.want)
		})
	}
}

// use returns the Report of the index of a key, after the uses of the Advisor are stored.
func (a *advised) use(key string) indexadvisor.Report {
	a.Helper()
	a.must(a.advisor.WriteUse(a.Context()))
	all, err := a.advisor.Reports(a.Context())
	a.must(err)
	i := slices.IndexFunc(all, func(x indexadvisor.Report) bool { return x.Key == key })
	if i < 0 {
		a.Fatalf("there is no index of %s", key)
	}
	return all[i]
}

func TestSearchIsOneUseOfAnIndex(t *testing.T) {
	a := newAdvised(t)
	a.indexed("is_active") // after a search of 1 s
	for range 20 {
		a.search(200*time.Millisecond, "is_active", "is_active", "is_active")
	}
	if x := a.use("is_active"); x.Uses != 20 || x.SavedMS != 20*800 {
		t.Errorf("20 searches that test a key three times: %d uses that saved %d ms, want 20 and 16000", x.Uses, x.SavedMS)
	}
}

func TestSavedTimeIsComparedWithTheMeanSearchWithoutTheIndex(t *testing.T) {
	a := newAdvised(t)
	for _, took := range []time.Duration{700, 500, 300} { // the last one before the index is the fastest
		a.search(took*time.Millisecond, "is_active")
	}
	a.schedule()
	a.build()
	a.search(100*time.Millisecond, "is_active")
	a.search(600*time.Millisecond, "is_active") // slower than the mean: it saved nothing
	if x := a.use("is_active"); x.ScanMS != 500 || x.SavedMS != 400 {
		t.Errorf("searches took a mean of %d ms without the index, which saved %d ms; want 500 and 400", x.ScanMS, x.SavedMS)
	}
}

func TestSmallListGetsNoIndex(t *testing.T) {
	a := newAdvised(t)
	rules := indexadvisor.DefaultRules()
	rules.Contacts = 20 // the List has 20 Contacts
	a.advisor = indexadvisor.New(a.store, func() time.Time { return a.now }, rules)
	a.search(time.Second, "is_active")
	a.schedule()
	a.want(states{})
}

func TestScheduledIndexIsBuiltOnce(t *testing.T) {
	a := newAdvised(t)
	a.indexed("is_active")
	a.want(states{"is_active": audience.IndexReady})
	a.search(time.Second, "is_active") // this search used the index, although it was slow
	a.schedule()
	a.want(states{"is_active": audience.IndexReady})
	built, err := a.store.BuiltIndexes(t.Context())
	if err != nil || len(built) != 1 {
		t.Errorf("the database has the indexes %v, error %v; want one index", built, err)
	}
}

func TestFullPlaceEvictsTheIndexThatSavedTheLeastTime(t *testing.T) {
	ready := states{"is_active": audience.IndexReady, "is_unsubscribed": audience.IndexReady}
	for _, c := range []struct {
		name  string
		age   time.Duration
		saved int64 // ms that the index of is_unsubscribed saved; the index of is_active saved 100,000 ms
		want  states
	}{
		{"an index that saved less than half of what the new one would save is dropped", 2 * day, 300, states{"is_active": audience.IndexReady,
			"is_unsubscribed": audience.IndexDropping, "double_opt_in": audience.IndexWaiting}},
		{"an index that saved more than half of what the new one would save stays", 2 * day, 1600, ready},
		{"an index that is younger than a day stays", time.Hour, 0, ready},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAdvised(t)
			a.indexed("is_active", "is_unsubscribed")
			a.now = a.now.Add(c.age)
			a.saved("is_active", 100_000)
			a.saved("is_unsubscribed", c.saved)
			a.search(time.Second, "double_opt_in")
			a.schedule()
			a.want(c.want)
		})
	}
}

func TestUnusedIndexIsDroppedAfter30Days(t *testing.T) {
	for _, c := range []struct {
		name string
		used time.Duration // time of the last use after the build; 0: never used
		want states
	}{
		{"never used", 0, states{}},
		{"used a week ago", 24 * day, states{"is_active": audience.IndexReady}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAdvised(t)
			a.indexed("is_active")
			began := a.now
			if c.used > 0 {
				a.now = began.Add(c.used)
				a.search(time.Millisecond, "is_active")
				a.must(a.advisor.WriteUse(t.Context()))
			}
			a.now = began.Add(31 * day)
			a.must(a.advisor.Reconcile(t.Context()))
			a.build()
			a.want(c.want)
		})
	}
}

func TestManualIndexIsNeitherEvictedNorDropped(t *testing.T) {
	a := newAdvised(t)
	for _, key := range []string{"is_active", "is_unsubscribed"} {
		if _, err := a.advisor.Create(context.Background(), a.list, key, false); err != nil {
			t.Fatal(err)
		}
	}
	manual := states{"is_active": audience.IndexReady, "is_unsubscribed": audience.IndexReady}
	a.now = a.now.Add(40 * day)
	a.must(a.advisor.Reconcile(t.Context()))
	a.want(manual)
	a.search(time.Hour, "double_opt_in") // two manual indexes exist, so there is no room for a third
	a.schedule()
	a.want(manual)
}

func TestIndexesOfADeletedListAreDropped(t *testing.T) {
	a := newAdvised(t)
	a.indexed("is_active")
	a.update(func(tx audience.Tx) error { return a.advisor.ListDeleted(tx, a.list, a.now.Unix()) })
	a.want(states{"is_active": audience.IndexDropping})
	a.build()
	a.want(states{})
}
