package sqlstore

import "enlist/internal/audience"

// Microseconds that SQLite takes, measured with 1,000,000 Contacts of 10 Fields
// among as many of other Lists, on one core that others were using too.
const (
	entryTime  = 0.025 // for an index entry that is walked
	narrowTime = 0.045 // to look for a text in it
	rowTime    = 0.53  // to read and test a row, in the order of IDs or of creation
	farRowTime = 1.3   // in any other order
	sortTime   = 0.1   // to sort an entry
	setTime    = 0.12  // to put an ID into a set
	lookTime   = 0.03  // to look for one there
	probeTime  = 0.2   // to look for one in an index
	mergeTime  = 0.05  // to take an ID with others, in order
)

// cost is how many microseconds a way takes, by what is known of the parts.
func (p *planner) cost(w way) float64 {
	walked := float64(p.contacts)
	if w.by >= 0 && !w.narrow {
		walked = p.found(w.by)
	}
	matches := float64(p.contacts)
	others := 0
	for i := range p.parts {
		matches *= p.fraction(i)
		if i != w.by {
			others++
		}
	}
	if need := float64(p.search.Offset + p.search.Limit); w.ordered && p.search.Limit > 0 && need < matches {
		walked *= need / matches
	}
	row := farRowTime
	if w.index == listIndex || p.byTime(w.index) {
		row = rowTime
	}
	cost := walked * entryTime
	if w.narrow {
		cost = walked * narrowTime
	}
	if w.index == "" && !w.ordered {
		cost += walked * setTime
	}
	if !w.ordered && !p.search.Counted {
		cost += matches * sortTime
		if !p.byID() && others == 0 {
			cost += matches * row
		}
	}
	return cost + p.restCost(w, walked, matches, row, others)
}

// byTime reports whether an index has the order in which Contacts came, nearly.
func (p *planner) byTime(index string) bool {
	return p.search.Sort != nil && timeIndex(p.search.Sort) == index && index != ""
}

// restCost is what it costs to test the parts that are no bounds.
func (p *planner) restCost(w way, walked, matches, row float64, others int) float64 {
	switch {
	case others == 0:
		return 0
	case w.narrow:
		return walked * p.fraction(w.by) * row
	case w.rest == intersect:
		cost := 0.0
		for i := range p.parts {
			cost += p.found(i) * mergeTime
		}
		return cost
	case w.rest == byProbe:
		return walked * probeTime * float64(others)
	case w.rest == inSet:
		cost := p.found(w.set)*setTime + walked*lookTime
		if others > 1 {
			cost += walked * p.fraction(w.set) * row
		}
		return cost
	}
	return walked * row
}

// found is how many Contacts a part's arms probably find.
func (p *planner) found(i int) float64 { return p.fraction(i) * float64(p.contacts) }

// fraction is how many of the List's Contacts probably meet a part.
func (p *planner) fraction(i int) float64 {
	part := &p.parts[i]
	all := max(float64(p.contacts), 1)
	switch {
	case part.known:
		return float64(part.count) / all
	case part.arms != nil:
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

// asTheyLie has a plan that reads most rows of a List read them so, if they lie
// close together.
func (p *planner) asTheyLie(made *plan) (err error) {
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
