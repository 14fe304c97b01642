package advisor

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"

	"github.com/prometheus/client_golang/prometheus"
)

// This file collects the reports of searches in memory, because a search must not wait for a write. AddWanted and WriteUse
// store them later.

const (
	// slow is the shortest time of a slow search. On SQLite, a search that reads every Contact takes this time in a
	// List of about 80,000 Contacts.
	slow = 20 * time.Millisecond

	// unused is the time after which an index is dropped if no search used it.
	unused = 30 * day

	// day is the time within which two searches must be slow. It is also how long a failed build is not repeated, and
	// how long an index must be unused before it is dropped to make room.
	day = 24 * time.Hour

	// maxSlow is the largest number of entries in Advisor.slow. It limits the memory.
	maxSlow = 10_000
)

// Rules limit which indexes are built. A Place is the database or, on PostgreSQL, a partition. decisions.md: 56
type Rules struct {
	PerPlace func() int // largest number of indexes in a Place; 0: no automatic builds
	PerList  int        // largest number of indexes of a List
	Contacts int64      // a List with this many Contacts or fewer gets no index
}

// DefaultRules returns the rules of decisions.md, 56 with the operator's setting.
func DefaultRules(perPlace func() int) Rules {
	return Rules{PerPlace: perPlace, PerList: 16, Contacts: 20_000}
}

// Advisor decides which indexes searches need. It is safe for concurrent use.
type Advisor struct {
	store db.Engine
	now   func() time.Time
	rules Rules

	mu     sync.Mutex
	slow   map[target]time.Time           // when a search was slow because the index is missing
	wanted []target                       // missing indexes of two slow searches, until AddWanted
	used   map[enlist.SearchIndexID]int64 // Unix time of the last search that used the index, until WriteUse

	ready, built, failed atomic.Int64 // for metrics
}

// New returns an Advisor for the indexes of a store. now is its clock.
func New(store db.Engine, now func() time.Time, rules Rules) *Advisor {
	return &Advisor{store: store, now: now, rules: rules, slow: make(map[target]time.Time),
		used: make(map[enlist.SearchIndexID]int64)}
}

// Periodic returns what each process repeats.
func (a *Advisor) Periodic() []db.Periodic {
	return []db.Periodic{
		{Name: "missing search indexes", Every: 10 * time.Second, Do: a.AddWanted},
		{Name: "search indexes", Every: 10 * time.Second, Do: a.Tend, IfChanged: true},
		{Name: "last uses of search indexes", Every: time.Minute, Do: a.WriteUse},
	}
}

// target is a key of a List. A SearchIndex belongs to one target.
type target struct {
	list enlist.ListID
	key  string // as SearchKey.IndexKey returns it
}

// SearchRan records, for each key of a search, that the search used the index of the key, or that the search was slow
// and this index is missing.
func (a *Advisor) SearchRan(tx *db.Tx, s *enlist.Search, took time.Duration) {
	if took < slow && len(s.Schema.SearchIndexes) == 0 {
		return
	}
	keys := indexKeys(s, tx.SQL.NamesIndexes, a.store.FindsParts())
	if len(keys) == 0 {
		return
	}
	now := a.now()
	var missing []target
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, k := range keys {
		of := target{s.Schema.List.ID, k.IndexKey()}
		if x := s.Schema.IndexFor(k); x != nil {
			a.used[x.ID] = now.Unix()
		} else if took >= slow && !slices.Contains(missing, of) {
			missing = append(missing, of)
		}
	}
	for _, of := range missing {
		a.recordMiss(of, now)
	}
}

// recordMiss records a slow search that lacked an index. The caller has locked a.mu.
func (a *Advisor) recordMiss(of target, at time.Time) {
	if first, found := a.slow[of]; found && at.Sub(first) < day {
		delete(a.slow, of)
		if !slices.Contains(a.wanted, of) { // a build can take hours, and Tend waits for it
			a.wanted = append(a.wanted, of)
		}
		return
	}
	if len(a.slow) >= maxSlow {
		clear(a.slow)
	}
	a.slow[of] = at
}

// takeWanted returns the targets that need an index, in the order of their searches, and forgets them. Two further slow
// searches are needed to return a target again.
func (a *Advisor) takeWanted() []target {
	a.mu.Lock()
	defer a.mu.Unlock()
	wanted := a.wanted
	a.wanted = nil
	return wanted
}

// takeUses returns the uses that are not stored yet, and forgets them.
func (a *Advisor) takeUses() map[enlist.SearchIndexID]int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	used := a.used
	a.used = make(map[enlist.SearchIndexID]int64)
	return used
}

// WriteUse stores when searches last used each index. Call it once a minute and when the process stops.
func (a *Advisor) WriteUse(ctx context.Context) error {
	used := a.takeUses()
	if len(used) == 0 {
		return nil
	}
	return a.store.Update(ctx, func(tx *db.Tx) error { return search.RecordIndexUse(tx, used) })
}

// Metrics returns the metrics of the indexes for Prometheus. They count the builds of this
// process. Tend counts the indexes that are ready.
func (a *Advisor) Metrics() []prometheus.Collector {
	builds := func(result string, count func() int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "enlist_search_index_builds_total", Help: "Search indexes that this process built or failed to build.",
			ConstLabels: prometheus.Labels{"result": result},
		}, func() float64 { return float64(count()) })
	}
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "enlist_search_indexes", Help: "Search indexes that are ready, counted at most a minute ago.",
		}, func() float64 { return float64(a.ready.Load()) }),
		builds("ready", a.built.Load),
		builds("failed", a.failed.Load),
	}
}
