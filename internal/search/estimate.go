package search

import (
	"fmt"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// This file counts and samples the Contacts that match a predicate, for the search planner. For a
// minute it caches every sample, and every count that is larger than maxUncachedCount.

// statistics implements planner.Statistics for one search.
type statistics struct {
	tx     *db.Tx
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
	q := newQuery(s.tx.SQL, s.search)
	end := "SELECT id FROM contact" + q.indexedBy(planner.ListIndex) + " WHERE list_id = ? ORDER BY id"
	span.First, err = s.tx.Number(end+" LIMIT 1", int64(q.list))
	if err != nil {
		return span, err
	}
	span.Last, err = s.tx.Number(end+" DESC LIMIT 1", int64(q.list))
	s.span = &span
	return span, err
}

// maxUncachedCount is the largest count that is not cached. For a count this small, counting again is as
// fast as reading the count from the cache.
const maxUncachedCount = 1000

// Count implements planner.Statistics.
func (s *statistics) Count(p *planner.Predicate, most int64) (n int64, exact bool, err error) {
	q := newQuery(s.tx.SQL, s.search)
	q.Add("SELECT count(*) FROM (")
	q.scanAll(p.Scans, " UNION ALL ")
	cache, key := s.tx.Estimates(), q.cacheKey()
	if n, exact = cache.Recall(key); exact || n > most {
		return n, exact, nil
	}
	q.Add(db.Limited+")", most+1)
	n, err = number(s.tx, q.statement())
	exact = n <= most
	if err == nil && n > maxUncachedCount {
		cache.Remember(key, n, exact)
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
	q := newQuery(s.tx.SQL, s.search)
	q.Add("SELECT count(*) FROM (SELECT ")
	q.predicate(p)
	cache, key := s.tx.Estimates(), q.cacheKey()
	matching, known := cache.Recall(key)
	if !known {
		span, err := s.Span()
		if err != nil {
			return 0, err
		}
		q.Add(" AS matches FROM contact" + q.indexedBy(planner.ListIndex) + " WHERE ")
		q.inList()
		q.Add(" AND id >= ? ORDER BY id" + db.Limited + ") AS sampled WHERE matches")
		for place := range int64(samplePlaces) {
			from := span.First + (span.Last-span.First)/samplePlaces*place
			n, err := number(s.tx, q.statement(from, int64(sampleSize)))
			if err != nil {
				return 0, err
			}
			matching += n
		}
		cache.Remember(key, matching, true)
	}
	return float64(matching) / (samplePlaces * sampleSize), nil
}

// cacheKey returns a key for the cache. It contains the text of the statement so far, the ID of the List
// and the arguments.
func (q *Query) cacheKey() string { return q.Text.String() + fmt.Sprint(q.list, q.Args) }

// Limits for the memory of the cache.
