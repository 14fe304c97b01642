package sqlstore

import "enlist/internal/audience"

// Microseconds that SQLite takes, measured with 1,000,000 Contacts of 10 Fields
// among as many of other Lists, on one core that others were using too.
const (
	entryTime     = 0.025 // for an index entry that is scanned
	coveringTime  = 0.045 // to look for a text in it
	rowTime       = 0.53  // to read and test a row, in the order of IDs or of creation
	randomRowTime = 1.3   // in any other order
	sortTime      = 0.1   // to sort an entry
	setTime       = 0.12  // to put an ID into a set
	inSetTime     = 0.03  // to look for one there
	lookupTime    = 0.2   // to look for one in an index
	mergeTime     = 0.05  // to take an ID with others, in order
)

// cost is how many microseconds a way takes, by what is known of the predicates.
func (p *planner) cost(w path) float64 {
	scanned := float64(p.contacts)
	if w.by >= 0 && !w.covering {
		scanned = p.found(w.by)
	}
	matches := float64(p.contacts)
	others := 0
	for i := range p.predicates {
		matches *= p.fraction(i)
		if i != w.by {
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

// byTime reports whether an index has the order in which Contacts came, nearly.
func (p *planner) byTime(index string) bool {
	return p.search.Sort != nil && timeIndex(p.search.Sort) == index && index != ""
}

// residualCost is what it costs to test the predicates that are no bounds.
func (p *planner) residualCost(w path, scanned, matches, row float64, others int) float64 {
	switch {
	case others == 0:
		return 0
	case w.covering:
		return scanned * p.fraction(w.by) * row
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

// found is how many Contacts a part's scans probably find.
func (p *planner) found(i int) float64 { return p.fraction(i) * float64(p.contacts) }

// fraction is how many of the List's Contacts probably meet a part.
func (p *planner) fraction(i int) float64 {
	part := &p.predicates[i]
	all := max(float64(p.contacts), 1)
	switch {
	case part.known:
		return float64(part.count) / all
	case part.scans != nil:
		return min(1, max(0.25, 2*float64(part.count)/all))
	case part.tests[0].Key == nil:
		return 0.1
	}
	switch part.tests[0].Operator {
	case audience.Not, audience.GreaterThan, audience.LessThan:
		return 0.5
	case audience.Contains, audience.EndsWith:
		return 0.001
	}
	return 0.01
}

// span is the first and the last ID of a List.
type span struct{ first, last int64 }

// dense is how many of the table's rows between a List's first and last one have
// to be the List's for reading all of them to be faster than each by its ID.
const dense = 0.25

// inRowidOrder has a plan that reads most rows of a List read them so, if they lie
// close together.
func (p *planner) inRowidOrder(made *plan) (err error) {
	if p.span == nil {
		if p.span, err = p.tx.spanOf(p.query); err != nil {
			return err
		}
	}
	if p.contacts == 0 {
		if p.contacts, err = p.tx.ContactCount(p.search.Schema.List.ID); err != nil {
			return err
		}
	}
	if float64(p.contacts) > dense*float64(p.span.last-p.span.first+1) {
		made.span, made.index = p.span, primaryKey
	}
	return nil
}

func (t *Tx) spanOf(q *searchQuery) (_ *span, err error) {
	var s span
	end := "SELECT id FROM contact" + q.by(listIndex) + " WHERE list_id = ? ORDER BY id"
	if s.first, err = t.number(end+" LIMIT 1", int64(q.list)); err != nil {
		return nil, err
	}
	s.last, err = t.number(end+" DESC LIMIT 1", int64(q.list))
	return &s, err
}
