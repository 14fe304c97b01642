package sqlstore

import (
	"fmt"
	"sync"
	"time"
)

// This file estimates how many Contacts match each predicate of a search, for the
// planner (searchplan.go). It counts index entries up to a limit, and samples rows
// where no index finds the matches. Estimates above 1000 are cached for a minute.

// Limits up to which index entries are counted. The first count takes 0.03 ms and finds
// a selective predicate. The second takes 0.5 ms and decides between paths that may
// take 500 times longer.
const (
	selectiveCount = 1000
	secondCount    = 20_000
)

// counter is a query that counts the Contacts that the scans of a predicate find.
type counter struct {
	pred *predicate
	text string // without the limit and the closing parenthesis
	args []any
	key  string // in the cache of estimates
}

// estimate counts the predicates until the costs of the paths are known well enough. It
// raises the limit in steps, and stops as soon as a selective predicate is found or
// the cheapest path is cheaper than more counting.
func (p *planner) estimate(paths []path) (err error) {
	p.contacts, err = p.tx.ContactCount(p.search.Schema.List.ID)
	if err != nil {
		return err
	}
	var counters []counter
	for i := range p.predicates {
		if p.predicates[i].scans != nil {
			counters = append(counters, p.counterOf(&p.predicates[i]))
		}
	}
	selective, err := p.count(counters, selectiveCount)
	if err != nil || selective || len(paths) == 1 {
		return err
	}
	many := int64(secondCount)
	if p.search.Counted { // the search itself takes at least ten times as long
		many = max(many, p.contacts/8)
	}
	if _, err := p.count(counters, many); err != nil {
		return err
	}
	if err := p.sample(); err != nil || p.cost(p.cheapest(paths)) < float64(p.contacts)*entryTime {
		return err
	}
	_, err = p.count(counters, p.contacts/2) // all paths are slow, so a full count is worth its time
	return err
}

// counterOf returns the query that counts a predicate, and reads its cached estimate.
func (p *planner) counterOf(pred *predicate) counter {
	q := newSearchQuery(p.tx.sql, p.search)
	q.add("SELECT count(*) FROM (")
	q.scanAll(pred.scans, " UNION ALL ")
	c := counter{pred: pred, text: q.statement(), args: q.args}
	c.key = c.text + fmt.Sprint(q.list, q.args)
	pred.count, pred.known = p.tx.session.cache.estimates.recall(c.key)
	return c
}

// count counts each predicate that has no estimate yet, up to most. It reports whether
// at least one predicate matches no more than that.
func (p *planner) count(counters []counter, most int64) (selective bool, err error) {
	for _, c := range counters {
		pred := c.pred
		if !pred.known && pred.count <= most {
			args := append(c.args[:len(c.args):len(c.args)], most+1)
			pred.count, err = p.tx.number(c.text+limited+")", args...)
			if err != nil {
				return false, err
			}
			pred.known = pred.count <= most
			if pred.count > selectiveCount { // below this, a count is as fast as the cache
				p.tx.session.cache.estimates.remember(c.key, pred.count, pred.known)
			}
		}
		selective = selective || pred.known && pred.count <= most
	}
	return selective, nil
}

// A sample reads sampleSize Contacts at each of samplePlaces IDs that divide the List
// into equal spans: 500 Contacts in 0.4 ms.
const (
	samplePlaces = 5
	sampleSize   = 100
)

// sample estimates the predicates that have no index, at most maxTried of them.
func (p *planner) sample() error {
	tried := 0
	for i := range p.predicates {
		if pred := &p.predicates[i]; pred.scans == nil && tried < maxTried {
			tried++
			if err := p.sampleOne(pred); err != nil {
				return err
			}
		}
	}
	return nil
}

// sampleOne tests a predicate on a sample of the List's rows.
func (p *planner) sampleOne(pred *predicate) (err error) {
	q := newSearchQuery(p.tx.sql, p.search)
	q.add("SELECT count(*) FROM (SELECT ")
	q.predicate(pred)
	key := q.text.String() + fmt.Sprint(q.list, q.args)
	estimates := &p.tx.session.cache.estimates
	pred.count, pred.known = estimates.recall(key)
	if pred.known {
		return nil
	}
	if p.span == nil {
		p.span, err = p.tx.spanOf(p.query)
		if err != nil {
			return err
		}
	}
	q.add(" AS matches FROM contact" + q.indexedBy(listIndex) + " WHERE ")
	q.inList()
	q.add(" AND id >= ? ORDER BY id" + limited + ") AS sampled WHERE matches")
	matching := int64(0)
	for place := range int64(samplePlaces) {
		from := p.span.first + (p.span.last-p.span.first)/samplePlaces*place
		n, err := p.tx.number(q.statement(), append(q.args[:len(q.args):len(q.args)], from, int64(sampleSize))...)
		if err != nil {
			return err
		}
		matching += n
	}
	// A sample without a match may mean a List without a match. A scan of another index
	// could then read the whole List to fill a page, so estimate one match.
	pred.count, pred.known = max(1, p.contacts*matching/(samplePlaces*sampleSize)), true
	estimates.remember(key, pred.count, true)
	return nil
}

// estimates caches estimates for a minute. A plan does not need the latest count, and
// clients often repeat a search. It is safe for concurrent use.
type estimates struct {
	mu  sync.Mutex
	all map[string]estimate // by the text and the arguments of the query
}

type estimate struct {
	count int64
	known bool
	until time.Time
}

// Bounds of the memory that the cache takes.
const (
	maxEstimates   = 1000 // entries; when it is full, the cache is emptied
	maxEstimateKey = 2000 // bytes; an estimate with a longer key is not cached
)

// recall returns a cached estimate, or 0 and false.
func (c *estimates) recall(key string) (count int64, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.all[key]
	if !ok || time.Now().After(found.until) {
		return 0, false
	}
	return found.count, found.known
}

// remember caches an estimate.
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
