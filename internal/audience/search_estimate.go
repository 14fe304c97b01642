package audience

import (
	"fmt"
	"sync"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// This file counts and samples the Contacts that match a predicate, for the search planner. For a
// minute it caches every sample, and every count that is larger than maxUncachedCount.

// statistics implements planner.Statistics for one search.
type statistics struct {
	tx     *Tx
	search *enlist.Search
	span   *planner.Span // nil: not read yet
}

// Contacts implements planner.Statistics.
func (s *statistics) Contacts() (int64, error) { return s.tx.ContactCount(s.search.Schema.List.ID) }

// Span implements planner.Statistics. It looks up two entries of an index.
func (s *statistics) Span() (span planner.Span, err error) {
	if s.span != nil {
		return *s.span, nil
	}
	q := newSearchQuery(s.tx.SQL, s.search)
	end := "SELECT id FROM contact" + q.indexedBy(planner.ListIndex) + " WHERE list_id = ? ORDER BY id"
	span.First, err = s.tx.number(end+" LIMIT 1", int64(q.list))
	if err != nil {
		return span, err
	}
	span.Last, err = s.tx.number(end+" DESC LIMIT 1", int64(q.list))
	s.span = &span
	return span, err
}

// maxUncachedCount is the largest count that is not cached. For a count this small, counting again is as
// fast as reading the count from the cache.
const maxUncachedCount = 1000

// Count implements planner.Statistics.
func (s *statistics) Count(p *planner.Predicate, most int64) (n int64, exact bool, err error) {
	q := newSearchQuery(s.tx.SQL, s.search)
	q.add("SELECT count(*) FROM (")
	q.scanAll(p.Scans, " UNION ALL ")
	cache, key := &s.tx.session.cache.estimates, q.cacheKey()
	if n, exact = cache.recall(key); exact || n > most {
		return n, exact, nil
	}
	q.add(limited+")", most+1)
	n, err = s.tx.number(q.statement(), q.args...)
	exact = n <= most
	if err == nil && n > maxUncachedCount {
		cache.remember(key, n, exact)
	}
	return n, exact, err
}

// A sample divides the IDs of the List into samplePlaces equal spans. It reads the first sampleSize
// Contacts of each span, 500 Contacts in total. This takes 0.4 ms.
const (
	samplePlaces = 5
	sampleSize   = 100
)

// Sample implements planner.Statistics.
func (s *statistics) Sample(p *planner.Predicate) (share float64, err error) {
	q := newSearchQuery(s.tx.SQL, s.search)
	q.add("SELECT count(*) FROM (SELECT ")
	q.predicate(p)
	cache, key := &s.tx.session.cache.estimates, q.cacheKey()
	matching, known := cache.recall(key)
	if !known {
		span, err := s.Span()
		if err != nil {
			return 0, err
		}
		q.add(" AS matches FROM contact" + q.indexedBy(planner.ListIndex) + " WHERE ")
		q.inList()
		q.add(" AND id >= ? ORDER BY id" + limited + ") AS sampled WHERE matches")
		for place := range int64(samplePlaces) {
			from := span.First + (span.Last-span.First)/samplePlaces*place
			args := append(q.args[:len(q.args):len(q.args)], from, int64(sampleSize))
			n, err := s.tx.number(q.statement(), args...)
			if err != nil {
				return 0, err
			}
			matching += n
		}
		cache.remember(key, matching, true)
	}
	return float64(matching) / (samplePlaces * sampleSize), nil
}

// cacheKey returns a key for the cache. It contains the text of the statement so far, the ID of the List
// and the arguments.
func (q *searchQuery) cacheKey() string { return q.text.String() + fmt.Sprint(q.list, q.args) }

// estimates caches estimates for a minute. A plan does not need the latest count, and clients often repeat
// a search. Several goroutines can use the cache at the same time.
type estimates struct {
	mu  sync.Mutex
	all map[string]estimate // the key is the result of cacheKey
}

type estimate struct {
	count int64
	known bool // count is exact; false: at least count Contacts match
	until time.Time
}

// Limits for the memory of the cache.
const (
	maxEstimates   = 1000 // entries; when the cache is full, the method remember first removes all entries
	maxEstimateKey = 2000 // bytes; an estimate with a longer key is not cached
)

// recall returns a cached estimate and whether it is exact. If the cache has no estimate with this key, it
// returns 0 and false.
func (c *estimates) recall(key string) (count int64, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.all[key]
	if !ok || time.Now().After(found.until) {
		return 0, false
	}
	return found.count, found.known
}

// remember adds an estimate to the cache. known is true if count is exact.
func (c *estimates) remember(key string, count int64, known bool) {
	if len(key) > maxEstimateKey {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= maxEstimates || c.all == nil {
		c.all = make(map[string]estimate)
	}
	c.all[key] = estimate{count, known, time.Now().Add(time.Minute)}
}
