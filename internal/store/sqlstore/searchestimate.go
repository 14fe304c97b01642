package sqlstore

import (
	"fmt"
	"sync"
	"time"
)

// How far the probes count: the first ones see whether anything finds few, and
// take 0.03 ms; the others decide between paths that take as much as 500 times
// longer, and take 0.5 ms.
const (
	selectiveCount = 1000
	secondCount    = 20_000
)

// probe is a query of how many Contacts a part's scans find.
type probe struct {
	part *predicate
	text string // but for its end
	args []any
	key  string // in counts
}

// probe has the predicates' scans counted, as far as that matters and is not remembered.
func (p *planner) probe(paths []path) (err error) {
	if p.contacts, err = p.tx.ContactCount(p.search.Schema.List.ID); err != nil {
		return err
	}
	var probes []probe
	for i := range p.predicates {
		if p.predicates[i].scans != nil {
			probes = append(probes, p.probeOf(&p.predicates[i]))
		}
	}
	few, err := p.count(probes, selectiveCount)
	if err != nil || few || len(paths) == 1 {
		return err
	}
	many := int64(secondCount)
	if p.search.Counted { // it takes at least ten times as long
		many = max(many, p.contacts/8)
	}
	if _, err = p.count(probes, many); err != nil {
		return err
	}
	if err = p.sample(); err != nil || p.cost(p.cheapest(paths)) < float64(p.contacts)*entryTime {
		return err
	}
	_, err = p.count(probes, p.contacts/2) // all paths are long: which one is no matter of luck
	return err
}

func (p *planner) probeOf(part *predicate) probe {
	q := newSearchQuery(p.tx.sql, p.search)
	q.add("SELECT count(*) FROM (")
	q.scanAll(part.scans, " UNION ALL ")
	pr := probe{part: part, text: q.statement(), args: q.args}
	pr.key = pr.text + fmt.Sprint(q.list, q.args)
	part.count, part.known = p.tx.session.cache.estimates.recall(pr.key)
	return pr
}

// count counts what is not known yet, up to a number, and reports whether one of
// the predicates finds no more than that.
func (p *planner) count(probes []probe, most int64) (few bool, err error) {
	for _, pr := range probes {
		part := pr.part
		if !part.known && part.count <= most {
			if part.count, err = p.tx.number(pr.text+limited+")", append(pr.args[:len(pr.args):len(pr.args)], most+1)...); err != nil {
				return false, err
			}
			part.known = part.count <= most
			if part.count > selectiveCount { // few are counted as fast as they are remembered
				p.tx.session.cache.estimates.remember(pr.key, part.count, part.known)
			}
		}
		few = few || part.known && part.count <= most
	}
	return few, nil
}

// Contacts of a sample: some in each of several places of the List, 0.4 ms together.
const (
	samplePlaces = 5
	sampleSize   = 100
)

// sample has those predicates tried on some Contacts that no index finds.
func (p *planner) sample() error {
	tried := 0
	for i := range p.predicates {
		if part := &p.predicates[i]; part.scans == nil && tried < maxTried {
			tried++
			if err := p.try(part); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *planner) try(part *predicate) (err error) {
	q := newSearchQuery(p.tx.sql, p.search)
	q.add("SELECT count(*) FROM (SELECT ")
	q.predicate(part)
	key := q.text.String() + fmt.Sprint(q.list, q.args)
	estimates := &p.tx.session.cache.estimates
	if part.count, part.known = estimates.recall(key); part.known {
		return nil
	}
	if p.span == nil {
		if p.span, err = p.tx.spanOf(p.query); err != nil {
			return err
		}
	}
	q.add(" AS meets FROM contact" + q.by(listIndex) + " WHERE ")
	q.inList()
	q.add(" AND id >= ? ORDER BY id" + limited + ") AS some WHERE meets")
	meet := int64(0)
	for place := range int64(samplePlaces) {
		from := p.span.first + (p.span.last-p.span.first)/samplePlaces*place
		n, err := p.tx.number(q.statement(), append(q.args[:len(q.args):len(q.args)], from, int64(sampleSize))...)
		if err != nil {
			return err
		}
		meet += n
	}
	// Where none was seen there may be none, and whoever walks the List in a far order
	// for a page of them walks all of it.
	part.count, part.known = max(1, p.contacts*meet/(samplePlaces*sampleSize)), true
	estimates.remember(key, part.count, true)
	return nil
}

// counts remembers for a minute what probes have counted, where it is much. Which
// way a search goes need not hang on the latest number, and many searches are
// sent again and again.
type estimates struct {
	mu  sync.Mutex
	all map[string]estimate
}

type estimate struct {
	count int64
	known bool
	until time.Time
}

// maxEstimates bounds them, and maxEstimateKey what each is known by.
const (
	maxEstimates   = 1000
	maxEstimateKey = 2000
)

func (c *estimates) recall(key string) (count int64, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.all[key]
	if !ok || time.Now().After(found.until) {
		return 0, false
	}
	return found.count, found.known
}

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
