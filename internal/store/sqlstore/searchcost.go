package sqlstore

import "enlist/internal/audience"

// This file is the cost model of the search planner (searchplan.go): it turns the
// estimates of searchestimate.go into microseconds.

// Microseconds that SQLite takes, measured with 1,000,000 Contacts of 10 Fields
// among as many of other Lists, on one core with other load.
const (
	entryTime     = 0.025 // scan an index entry
	coveringTime  = 0.045 // scan an index entry and search its text
	rowTime       = 0.53  // read and test a row, in the order of IDs or of creation
	randomRowTime = 1.3   // read and test a row in a random order
	sortTime      = 0.1   // sort an entry
	setTime       = 0.12  // add an ID to a set
	inSetTime     = 0.03  // look up an ID in a set
	lookupTime    = 0.2   // look up an ID in an index
	mergeTime     = 0.05  // merge an ID from an ordered scan
)

// cost estimates how many microseconds a path takes.
func (p *planner) cost(w path) float64 {
	scanned := float64(p.contacts)
	if w.driving >= 0 && !w.covering {
		scanned = p.found(w.driving)
	}
	matches := float64(p.contacts)
	others := 0
	for i := range p.predicates {
		matches *= p.fraction(i)
		if i != w.driving {
			others++
		}
	}
	if need := float64(p.search.Offset + p.search.Limit); w.ordered && p.search.Limit > 0 && need < matches {
		scanned *= need / matches
	}
	row := randomRowTime
	if w.index == listIndex || p.byTime(w.index) {
		row = rowTime
	}
	cost := scanned * entryTime
	if w.covering {
		cost = scanned * coveringTime
	}
	if w.index == "" && !w.ordered {
		cost += scanned * setTime
	}
	if !w.ordered && !p.search.Counted {
		cost += matches * sortTime
		if !p.byID() && others == 0 {
			cost += matches * row
		}
	}
	return cost + p.residualCost(w, scanned, matches, row, others)
}

// byTime reports whether the search sorts by a system time and index has this order. It
// is nearly the order of IDs, so rows are not read in a random order.
func (p *planner) byTime(index string) bool {
	return p.search.Sort != nil && timeIndex(p.search.Sort) == index && index != ""
}

// residualCost estimates the microseconds for the tests of the residual predicates.
func (p *planner) residualCost(w path, scanned, matches, row float64, others int) float64 {
	switch {
	case others == 0:
		return 0
	case w.covering:
		return scanned * p.fraction(w.driving) * row
	case w.residual == intersect:
		cost := 0.0
		for i := range p.predicates {
			cost += p.found(i) * mergeTime
		}
		return cost
	case w.residual == byLookup:
		return scanned * lookupTime * float64(others)
	case w.residual == inSet:
		cost := p.found(w.set)*setTime + scanned*inSetTime
		if others > 1 {
			cost += scanned * p.fraction(w.set) * row
		}
		return cost
	}
	return scanned * row
}

// found estimates how many Contacts match predicate i.
func (p *planner) found(i int) float64 { return p.fraction(i) * float64(p.contacts) }

// fraction estimates the share of the List's Contacts that match predicate i. Without a
// count it assumes a share that is typical of the operator.
func (p *planner) fraction(i int) float64 {
	pred := &p.predicates[i]
	all := max(float64(p.contacts), 1)
	switch {
	case pred.known:
		return float64(pred.count) / all
	case pred.scans != nil:
		return min(1, max(0.25, 2*float64(pred.count)/all))
	case pred.tests[0].Key == nil:
		return 0.1
	}
	switch pred.tests[0].Operator {
	case audience.Not, audience.GreaterThan, audience.LessThan:
		return 0.5
	case audience.Contains, audience.EndsWith:
		return 0.001
	}
	return 0.01
}

// span is the first and the last ID of a List.
type span struct{ first, last int64 }

// dense is the share of the rows between a List's first and last ID that must belong to
// the List. With a larger share, a scan of the whole span is faster than one look-up per ID.
const dense = 0.25

// inRowidOrder changes a plan that reads most rows of a List. It then scans the table
// in rowid order between the List's first and last ID, if the List is dense there.
func (p *planner) inRowidOrder(made *plan) (err error) {
	if p.span == nil {
		p.span, err = p.tx.spanOf(p.query)
		if err != nil {
			return err
		}
	}
	if p.contacts == 0 {
		p.contacts, err = p.tx.ContactCount(p.search.Schema.List.ID)
		if err != nil {
			return err
		}
	}
	if float64(p.contacts) > dense*float64(p.span.last-p.span.first+1) {
		made.span, made.index = p.span, primaryKey
	}
	return nil
}

// spanOf reads the first and the last ID of a List, by one index look-up each.
func (t *Tx) spanOf(q *searchQuery) (_ *span, err error) {
	var s span
	end := "SELECT id FROM contact" + q.indexedBy(listIndex) + " WHERE list_id = ? ORDER BY id"
	s.first, err = t.number(end+" LIMIT 1", int64(q.list))
	if err != nil {
		return nil, err
	}
	s.last, err = t.number(end+" DESC LIMIT 1", int64(q.list))
	return &s, err
}
