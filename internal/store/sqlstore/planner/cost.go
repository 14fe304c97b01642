package planner

// This file is the cost of an access path: how much it reads. The unit is one index entry
// that is read in sequence.

// What other steps cost, in index entries. The figures are round on purpose: with half or
// twice as much, few plans of 169 shapes of searches changed.
const (
	probeCost     = 8  // look up an ID in an index, add one to a set, or sort one
	rowCost       = 20 // read and test a row, in the order of IDs or nearly
	randomRowCost = 40 // read and test a row, in another order
)

// caution is how much further than estimated a scan in the requested order may have to
// read to fill a page. The estimate assumes that matches are spread evenly over the
// order. Where they are not, such a scan may read the whole List; the others cannot.
const caution = 2

// cheapest returns the path that costs least by the estimates so far.
func (p *planner) cheapest() Path {
	paths := p.paths()
	best := paths[0]
	for _, w := range paths[1:] {
		if p.cost(w) < p.cost(best) {
			best = w
		}
	}
	return best
}

// cost estimates how much a path reads.
func (p *planner) cost(w Path) float64 {
	matches := float64(p.contacts)
	for i := range p.Predicates {
		matches *= p.share(i)
	}
	entries := p.scanned(w, matches)
	probes, rows := p.residualCost(w, entries)
	if w.Residual == Intersect {
		entries = 0
		for i := range p.Predicates {
			entries += 2 * p.matching(i) // each is read and merged
		}
	}
	if w.Residual == InSet {
		entries += p.matching(w.Set)
	}
	if !w.Ordered && !p.Counted { // the matches are sorted, by a value in the row
		probes += matches
		if !p.ByID && rows == 0 {
			rows = matches
		}
	}
	row := float64(randomRowCost)
	if w.Index == ListIndex || w.Index == p.Order && p.Chronological {
		row = rowCost
	}
	return entries + probes*probeCost + rows*row
}

// scanned estimates how many entries of the path's index are read. matches is how many
// Contacts match all predicates.
func (p *planner) scanned(w Path, matches float64) float64 {
	all := float64(p.contacts)
	if w.Driving >= 0 && !w.Covering {
		all = p.matching(w.Driving)
	}
	if page := float64(p.Offset + p.Limit); w.Ordered && p.Limit > 0 && page < matches {
		return min(all, caution*all*page/matches)
	}
	return all
}

// residualCost estimates the probes and the rows for the tests of the predicates that do
// not bound the scan.
func (p *planner) residualCost(w Path, scanned float64) (probes, rows float64) {
	others := p.others(w)
	switch {
	case w.Residual == Intersect:
		return 0, 0
	case w.Index == "" && !w.Ordered: // the IDs are a set, and the row of each is read
		probes = scanned
		if others > 0 || !p.Counted {
			rows = scanned
		}
	}
	switch {
	case others == 0:
	case w.Covering:
		rows = scanned * p.share(w.Driving)
	case w.Residual == ByLookup:
		probes += scanned * float64(others)
	case w.Residual == InSet:
		probes += p.matching(w.Set)
		if others > 1 {
			rows += scanned * p.share(w.Set)
		}
	default:
		rows = scanned
	}
	return probes, rows
}
