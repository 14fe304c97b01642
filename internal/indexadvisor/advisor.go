package indexadvisor

import (
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/audience"
)

// This file collects in memory what searches report, because a search must not wait for a
// write. ScheduleBuilds and WriteUse store it later.

// Rules say which searches get an index, and when it is dropped. decisions.md: 56
type Rules struct {
	Most       int           // indexes in a place (the database, or a partition on PostgreSQL); 0: no automatic builds
	Contacts   int64         // a List with no more Contacts gets no index
	Slow       time.Duration // a search that takes longer gets an index
	SlowADay   time.Duration // so do searches that together take longer on one day
	Unused     time.Duration // an index that no search used for so long is dropped
	Settled    time.Duration // a younger index is not evicted
	Again      time.Duration // a failed build is repeated after so long
	StuckAfter time.Duration // a build or drop that has not ended after so long gets another job

	// CoveringFilters is true where an index is read from end to end faster than the
	// Contacts are. Then it also helps tests that must look at every value, such as
	// contains.
	CoveringFilters bool
}

// DefaultRules returns the rules of decisions.md, 56.
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
	day     int64                                        // of missing, as audience.DayOf counts
	missing map[target]*missing                          // what searches lacked on that day
	used    map[audience.SearchIndexID]audience.IndexUse // not written down yet

	ready, built, failed atomic.Int64 // for metrics
}

var _ audience.SearchObserver = (*Advisor)(nil)

// New returns an Advisor for the indexes of a store. now is its clock.
func New(store audience.Store, now func() time.Time, rules Rules) *Advisor {
	return &Advisor{store: store, now: now, rules: rules}
}

// target is a key of a List: what a SearchIndex is for.
type target struct {
	list audience.ListID
	key  string // as SearchKey.IndexKey has it
}

// missing is the time that searches spent in one day for want of an index.
type missing struct {
	today    time.Duration
	last     time.Duration // of the latest search
	slow     bool          // a single search exceeded Rules.Slow
	reported time.Time     // when demanded last returned it
	since    bool          // a search lacked it after that
}

const (
	// shortestScan is less than any search takes that reads every Contact of a List
	// with more than 20,000 of them.
	shortestScan = 2 * time.Millisecond

	// maxMissing bounds the memory that missing takes.
	maxMissing = 10_000

	// reportAgain is how soon demanded returns the same target again: it may not have
	// been built because there was no room.
	reportAgain = time.Minute
)

// SearchRan implements audience.SearchObserver: it records for each key of a search
// either that its index was used or that it is missing.
func (a *Advisor) SearchRan(s *audience.Search, took time.Duration, at time.Time) {
	if took < shortestScan && len(s.Schema.SearchIndexes) == 0 {
		return
	}
	keys := indexKeys(s, a.rules.CoveringFilters)
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

// recordUse adds a search to the uses of an index. a.mu is locked.
func (a *Advisor) recordUse(x *audience.SearchIndex, took time.Duration) {
	if a.used == nil {
		a.used = make(map[audience.SearchIndexID]audience.IndexUse)
	}
	u := a.used[x.ID]
	u.Uses++
	u.SavedMS += max(0, x.ScanMS-took.Milliseconds())
	a.used[x.ID] = u
}

// recordMiss adds a search to the time that the lack of an index cost. a.mu is locked.
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
	m.last = took
	m.slow = m.slow || took > a.rules.Slow
	m.since = true
}

// demanded returns the targets that the rules give an index, by the time that
// searches took without them. It returns each once, and again after reportAgain if
// searches still lack it.
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

// takeUses returns the uses that are not written down yet, and forgets them.
func (a *Advisor) takeUses() map[audience.SearchIndexID]audience.IndexUse {
	a.mu.Lock()
	defer a.mu.Unlock()
	used := a.used
	a.used = nil
	return used
}
