package indexadvisor

import (
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/audience"
)

// This file collects the reports of searches in memory, because a search must not wait for a
// write. ScheduleBuilds and WriteUse store them later.

// Rules say which searches get an index, and when it is dropped. A Place is the database or, on
// PostgreSQL, a partition. decisions.md: 56
type Rules struct {
	Most       int           // largest number of indexes in a Place; 0: no automatic builds
	Contacts   int64         // a List with this many Contacts or fewer gets no index
	Slow       time.Duration // an index is built after a search that takes longer
	SlowADay   time.Duration // an index is built after searches that together take longer on one day
	Unused     time.Duration // an index is dropped if no search used it for this time
	Settled    time.Duration // an index is not evicted before it has this age
	Again      time.Duration // a failed build is not repeated before this time has passed
	StuckAfter time.Duration // a build or drop gets another job if it has not ended after this time

	// CoveringFilters is true if reading a complete index is faster than reading all
	// Contacts. Then an index also helps tests that must read every value, such as contains.
	CoveringFilters bool
	// Parts is true if the store can build indexes for parts of texts. Searches with contains and
	// ends_with need them.
	Parts bool
}

// DefaultRules returns the rules that decisions.md, 56 defines.
func DefaultRules() Rules {
	const day = 24 * time.Hour
	return Rules{
		Most: 64, Contacts: 20_000, Slow: 100 * time.Millisecond, SlowADay: 10 * time.Second,
		Unused: 30 * day, Settled: day, Again: day, StuckAfter: 5 * time.Minute,
	}
}

// Advisor decides which indexes searches need. It is safe for concurrent use.
type Advisor struct {
	store audience.Store
	now   func() time.Time
	rules Rules

	mu      sync.Mutex
	day     int64                                        // day of missing, as audience.DayOf returns it
	missing map[target]*missing                          // the indexes that searches lacked on that day
	used    map[audience.SearchIndexID]audience.IndexUse // not stored in the database yet

	ready, built, failed atomic.Int64 // for metrics
}

var _ audience.SearchObserver = (*Advisor)(nil)

// New returns an Advisor for the indexes of a store. now is its clock.
func New(store audience.Store, now func() time.Time, rules Rules) *Advisor {
	return &Advisor{store: store, now: now, rules: rules}
}

// target is a key of a List. A SearchIndex belongs to one target.
type target struct {
	list audience.ListID
	key  string // as SearchKey.IndexKey returns it
}

// missing is the time that searches needed on one day because an index was missing.
type missing struct {
	today    time.Duration
	searches int64
	slow     bool      // a single search exceeded Rules.Slow
	reported time.Time // when demanded last returned this target
	since    bool      // a search lacked the index after the time reported
}

// mean returns the mean duration of the searches, in milliseconds. It is the SearchIndex.ScanMS of the
// new index. With the mean, the sum of the time that the index saves is right even if the durations
// differ.
func (m *missing) mean() int64 { return m.today.Milliseconds() / max(m.searches, 1) }

const (
	// shortestScan is less than the time of any search that reads all Contacts of a List
	// with more than 20,000 Contacts.
	shortestScan = 2 * time.Millisecond

	// maxMissing is the largest number of entries in Advisor.missing. It limits the memory.
	maxMissing = 10_000

	// reportAgain is the time after which demanded may return the same target again. The
	// index may not have been built, because its Place was full.
	reportAgain = time.Minute
)

// SearchRan implements audience.SearchObserver. For each key of a search it records that the
// search used the index of the key, or that this index is missing. It records this once for each
// key, even if the search tests the key several times.
func (a *Advisor) SearchRan(s *audience.Search, took time.Duration, at time.Time) {
	if took < shortestScan && len(s.Schema.SearchIndexes) == 0 {
		return
	}
	keys := indexKeys(s, &a.rules)
	if len(keys) == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if day := audience.DayOf(at.Unix()); day != a.day || a.missing == nil {
		a.day, a.missing = day, make(map[target]*missing)
	}
	for _, k := range keys {
		if x := s.Schema.IndexFor(k); x != nil {
			a.recordUse(x, took)
		} else if took >= shortestScan {
			a.recordMiss(target{s.Schema.List.ID, k.IndexKey()}, took)
		}
	}
}

// recordUse adds a search to the uses of an index. The caller has locked a.mu.
func (a *Advisor) recordUse(x *audience.SearchIndex, took time.Duration) {
	if a.used == nil {
		a.used = make(map[audience.SearchIndexID]audience.IndexUse)
	}
	u := a.used[x.ID]
	u.Uses++
	u.SavedMS += max(0, x.ScanMS-took.Milliseconds())
	a.used[x.ID] = u
}

// recordMiss adds the time of a search to the entry of a missing index. The caller has locked
// a.mu.
func (a *Advisor) recordMiss(of target, took time.Duration) {
	m := a.missing[of]
	if m == nil {
		if len(a.missing) >= maxMissing {
			return
		}
		m = new(missing)
		a.missing[of] = m
	}
	m.today += took
	m.searches++
	m.slow = m.slow || took > a.rules.Slow
	m.since = true
}

// demanded returns the targets for which the rules allow an index, because searches took long
// without it. It returns the same target again only after reportAgain, and only if a search
// lacked the index again.
func (a *Advisor) demanded(now time.Time) map[target]missing {
	a.mu.Lock()
	defer a.mu.Unlock()
	var found map[target]missing
	for of, m := range a.missing {
		if !m.since || !m.slow && m.today <= a.rules.SlowADay || now.Sub(m.reported) < reportAgain {
			continue
		}
		if found == nil {
			found = make(map[target]missing)
		}
		m.reported, m.since = now, false
		found[of] = *m
	}
	return found
}

// takeUses returns the uses that are not stored yet, and removes them from a.used.
func (a *Advisor) takeUses() map[audience.SearchIndexID]audience.IndexUse {
	a.mu.Lock()
	defer a.mu.Unlock()
	used := a.used
	a.used = nil
	return used
}
