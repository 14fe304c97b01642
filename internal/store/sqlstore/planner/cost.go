package planner

// This file estimates the cost of an access path. The cost states how much the path reads. Its unit
// is the cost to read one index entry in sequence.

// The costs of other steps, in index entries. Exact values do not matter: a test planned 169
// different searches with half and with twice these values, and few plans changed.
const (
	probeCost     = 8  // look up an ID in an index, add one to a set, or sort one
	rowCost       = 20 // read and test a row, if rows are read in the order of IDs or nearly in this order
	randomRowCost = 40 // read and test a row, if rows are read in another order
)

// caution is a factor. The planner multiplies by it the estimated number of entries that a scan in
// the requested order reads to fill a page. The estimate assumes that the matches are distributed
// evenly over the index. Without an even distribution, such a scan can read all entries of the
// List. Other paths do not have this risk.
const caution = 2

// cheapest returns the path with the lowest cost, according to the estimates so far.
func (p *planner) cheapest() Path {
	paths := p.paths()
	best, lowest := paths[0], p.cost(paths[0])
	for _, w := range paths[1:] {
		if cost := p.cost(w); cost < lowest {
			best, lowest = w, cost
		}
	}
	return best
}

// cost returns the estimated cost of a path.
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
			entries += 2 * p.matching(i) // each entry is read and merged
		}
	}
	if w.Residual == InSet {
		entries += p.matching(w.Set)
	}
	if !w.Ordered && !p.Counted { // the matches must be sorted, by a value in the row unless the order is that of IDs
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

// scanned estimates how many index entries a path reads. matches is the number of Contacts that
// match all predicates.
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

// residualCost estimates how many look-ups and rows are needed to test the predicates that do not
// bound the scan.
func (p *planner) residualCost(w Path, scanned float64) (probes, rows float64) {
	others := p.others(w)
	switch {
	case w.Residual == Intersect:
		return 0, 0
	case w.Index == "" && !w.Ordered: // the scans find a set of IDs, and then the row of each ID is read
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
