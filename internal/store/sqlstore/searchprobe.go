package sqlstore

import (
	"fmt"
	"sync"
	"time"
)

// How far the probes count: the first ones see whether anything finds few, and
// take 0.03 ms; the others decide between ways that take as much as 500 times
// longer, and take 0.5 ms.
const (
	fewFound  = 1000
	manyFound = 20_000
)

// probe is a query of how many Contacts a part's arms find.
type probe struct {
	part *part
	text string // but for its end
	args []any
	key  string // in counts
}

// probe has the parts' arms counted, as far as that matters and is not remembered.
func (p *planner) probe(ways []way) (err error) {
	if p.contacts, err = p.tx.ContactCount(p.search.Schema.List.ID); err != nil {
		return err
	}
	var probes []probe
	for i := range p.parts {
		if p.parts[i].arms != nil {
			probes = append(probes, p.probeOf(&p.parts[i]))
		}
	}
	few, err := p.count(probes, fewFound)
	if err != nil || few || len(ways) == 1 {
		return err
	}
	many := int64(manyFound)
	if p.search.Counted { // it takes at least ten times as long
		many = max(many, p.contacts/8)
	}
	if _, err = p.count(probes, many); err != nil {
		return err
	}
	if err = p.sample(); err != nil || p.cost(p.cheapest(ways)) < float64(p.contacts)*entryTime {
		return err
	}
	_, err = p.count(probes, p.contacts/2) // all ways are long: which one is no matter of luck
	return err
}

func (p *planner) probeOf(part *part) probe {
	q := newSearchQuery(p.tx.sql, p.search)
	q.add("SELECT count(*) FROM (")
	q.seekAll(part.arms, " UNION ALL ")
	pr := probe{part: part, text: q.statement(), args: q.args}
	pr.key = pr.text + fmt.Sprint(q.list, q.args)
	part.count, part.known = p.tx.session.cache.counts.recall(pr.key)
	return pr
}

// count counts what is not known yet, up to a number, and reports whether one of
// the parts finds no more than that.
func (p *planner) count(probes []probe, most int64) (few bool, err error) {
	for _, pr := range probes {
		part := pr.part
		if !part.known && part.count <= most {
			if part.count, err = p.tx.number(pr.text+limited+")", append(pr.args[:len(pr.args):len(pr.args)], most+1)...); err != nil {
				return false, err
			}
			part.known = part.count <= most
			if part.count > fewFound { // few are counted as fast as they are remembered
				p.tx.session.cache.counts.remember(pr.key, part.count, part.known)
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

// sample has those parts tried on some Contacts that no index finds.
func (p *planner) sample() error {
	tried := 0
	for i := range p.parts {
		if part := &p.parts[i]; part.arms == nil && tried < maxTried {
			tried++
			if err := p.try(part); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *planner) try(part *part) (err error) {
	q := newSearchQuery(p.tx.sql, p.search)
	q.add("SELECT count(*) FROM (SELECT ")
	q.meets(part)
	key := q.text.String() + fmt.Sprint(q.list, q.args)
	counts := &p.tx.session.cache.counts
	if part.count, part.known = counts.recall(key); part.known {
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
	counts.remember(key, part.count, true)
	return nil
}

// counts remembers for a minute what probes have counted, where it is much. Which
// way a search goes need not hang on the latest number, and many searches are
// sent again and again.
type counts struct {
	mu  sync.Mutex
	all map[string]counted
}

type counted struct {
	count int64
	known bool
	until time.Time
}

// maxCounts bounds them, and maxCountKey what each is known by.
const (
	maxCounts   = 1000
	maxCountKey = 2000
)

func (c *counts) recall(key string) (count int64, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.all[key]
	if !ok || time.Now().After(found.until) {
		return 0, false
	}
	return found.count, found.known
}

func (c *counts) remember(key string, count int64, known bool) {
	if len(key) > maxCountKey {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= maxCounts || c.all == nil {
		c.all = make(map[string]counted)
	}
	c.all[key] = counted{count, known, time.Now().Add(time.Minute)}
}
