package audience

import (
	"sync"
	"sync/atomic"
	"time"
)

// IndexRules say which searches get an index, and when it goes. decisions.md: 56
type IndexRules struct {
	Most       int           // in one place, the database or a partition of PostgreSQL; 0: none come by themselves
	Contacts   int64         // a List that has no more needs none
	Slow       time.Duration // a search that takes longer is given one
	SlowADay   time.Duration // and so are searches that take longer together on a day
	Unused     time.Duration // after so long without a search it goes
	Settled    time.Duration // before that it makes room for no other
	Again      time.Duration // after so long a failed one is tried again
	StuckAfter time.Duration // after so long a job that does not come to an end gets another

	// Walks: an index is read from end to end faster than the Contacts are, so it also
	// serves what can only be seen by looking at every value.
	Walks bool
}

// DefaultIndexRules are the rules, unless a Service is told others.
func DefaultIndexRules() IndexRules {
	const day = 24 * time.Hour
	return IndexRules{
		Most: 64, Contacts: 20_000, Slow: 100 * time.Millisecond, SlowADay: 10 * time.Second,
		Unused: 30 * day, Settled: day, Again: day, StuckAfter: 5 * time.Minute,
	}
}

// SetIndexRules changes the rules. Call it before anything else.
func (s *Service) SetIndexRules(r IndexRules) { s.needs.rules = r }

// indexNeeds remembers which indexes searches used, and which they lacked, until
// it is written down.
type indexNeeds struct {
	rules IndexRules

	mu   sync.Mutex
	day  int64
	lack map[indexed]*lack
	used map[SearchIndexID]IndexUse

	ready, built, failed atomic.Int64
}

// IndexCounts are numbers for who watches the service.
type IndexCounts struct {
	Ready  int64 // indexes, as TendIndexes saw them last
	Built  int64 // by this process
	Failed int64 // to be built by it
}

// IndexCounts returns what there is to count.
func (s *Service) IndexCounts() IndexCounts {
	n := &s.needs
	return IndexCounts{n.ready.Load(), n.built.Load(), n.failed.Load()}
}

// indexed is what a SearchIndex is for.
type indexed struct {
	list ListID
	key  string
}

// lack is what searches took on a day for want of an index.
type lack struct {
	today time.Duration
	last  time.Duration
	slow  bool      // one of them alone took too long
	heard time.Time // when it was last reported
	since bool      // it was lacking again since then
}

const (
	// leastScan is what no search takes less than that looks at every Contact of a
	// List with more than 20,000.
	leastScan = 2 * time.Millisecond

	// maxLacks bounds what is remembered of a day.
	maxLacks = 10_000

	// hearAgain is how soon a lack is reported again that was not remedied: there
	// may have been no room.
	hearAgain = time.Minute
)

// note remembers a search that took some time.
func (n *indexNeeds) note(s *Search, took time.Duration, now time.Time) {
	if took < leastScan && len(s.Schema.SearchIndexes) == 0 {
		return
	}
	keys := s.indexKeys(n.rules.Walks)
	if len(keys) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if day := DayOf(now.Unix()); day != n.day || n.lack == nil {
		n.day, n.lack = day, make(map[indexed]*lack)
	}
	for _, k := range keys {
		if x := s.Schema.IndexFor(k); x != nil {
			n.use(x, took)
		} else if took >= leastScan {
			n.miss(indexed{s.Schema.List.ID, k.IndexKey()}, took)
		}
	}
}

func (n *indexNeeds) use(x *SearchIndex, took time.Duration) {
	if n.used == nil {
		n.used = make(map[SearchIndexID]IndexUse)
	}
	u := n.used[x.ID]
	u.Uses++
	u.SavedMS += max(0, x.ScanMS-took.Milliseconds())
	n.used[x.ID] = u
}

func (n *indexNeeds) miss(of indexed, took time.Duration) {
	l := n.lack[of]
	if l == nil {
		if len(n.lack) >= maxLacks {
			return
		}
		l = new(lack)
		n.lack[of] = l
	}
	l.today += took
	l.last = took
	l.slow = l.slow || took > n.rules.Slow
	l.since = true
}

// wanted are the indexes that are to be made, by what searches took without them.
func (n *indexNeeds) wanted(now time.Time) map[indexed]lack {
	n.mu.Lock()
	defer n.mu.Unlock()
	var found map[indexed]lack
	for of, l := range n.lack {
		if !l.since || !l.slow && l.today <= n.rules.SlowADay || now.Sub(l.heard) < hearAgain {
			continue
		}
		if found == nil {
			found = make(map[indexed]lack)
		}
		l.heard, l.since = now, false
		found[of] = *l
	}
	return found
}

// take returns the uses that are to be written down.
func (n *indexNeeds) take() map[SearchIndexID]IndexUse {
	n.mu.Lock()
	defer n.mu.Unlock()
	used := n.used
	n.used = nil
	return used
}

// indexKeys are the keys of a search whose indexes, if there are any, spare it
// looking at every Contact.
func (s *Search) indexKeys(walks bool) (keys []*SearchKey) {
	if s.Where != nil {
		keys, _ = s.Where.narrowing(walks)
	}
	if s.Sort != nil && s.Sort.indexable() {
		keys = append(keys, s.Sort)
	}
	return keys
}

// narrowing returns the keys whose indexes help to find the Contacts that match c.
// It is ok when these, or the indexes that every List has, lead to them without
// all being looked at.
func (c *Condition) narrowing(walks bool) (keys []*SearchKey, ok bool) {
	switch {
	case c.Key != nil:
		return c.narrowingTest(walks)
	case c.Any != nil:
		for i := range c.Any {
			part, ok := c.Any[i].narrowing(false)
			if !ok {
				return nil, false // all are looked at for this part
			}
			keys = append(keys, part...)
		}
		return keys, true
	}
	for i := range c.All {
		part, can := c.All[i].narrowing(walks)
		keys, ok = append(keys, part...), ok || can
	}
	return keys, ok
}

func (c *Condition) narrowingTest(walks bool) (keys []*SearchKey, ok bool) {
	switch c.Operator {
	case Exactly, In:
		if c.Key.Type == KeyEmail || c.Key.Type == KeyMobile {
			return nil, true
		}
		ok = true
	case GreaterThan, LessThan, StartsWith:
		ok = true
	case Not, EndsWith, Contains:
		if !walks {
			return nil, false
		}
	}
	switch {
	case alwaysIndexed(c.Key):
		return nil, ok
	case !c.Key.indexable():
		return nil, false
	}
	return []*SearchKey{c.Key}, ok
}
