package planner

import "slices"

// This file lists the access paths of a search, and estimates the cost of each. The cost states how much the path
// reads. Its unit is the cost to read one index entry in sequence.

// inOrder reports whether the scan of a direct predicate returns the Contacts in the requested
// order. In an index, entries with the same value are in the order of the Contacts' IDs.
func (q *Query) inOrder(p *Predicate) bool {
	return p.Scans[0].Index == q.Order || q.ByID && p.ordered()
}

// page returns the path that finds the Contacts in the requested order. The Index of the path is ""
// if no index has that order.
func (p *planner) page() Path {
	page := Path{Index: p.Order, Driving: -1, Ordered: true}
	for i := range p.Predicates {
		pred := &p.Predicates[i]
		if pred.Direct() && p.inOrder(pred) && (page.Driving < 0 || p.matching(i) < p.matching(page.Driving)) {
			page.Index, page.Driving = pred.Scans[0].Index, i
		}
	}
	return page
}

// paths returns the access paths to compare. Each path finds all Contacts that match.
func (p *planner) paths() (paths []Path) {
	page := p.page()
	paged := page.Index != "" && !p.Counted
	if paged && p.others(page) == 0 {
		return []Path{page}
	}
	if least := p.smallest(-1); least >= 0 && (p.Counted || least != page.Driving) {
		paths = p.withResiduals(p.drivenBy(least))
	}
	for i := range p.Predicates {
		if index := p.Predicates[i].Covering; index != "" {
			paths = append(paths, Path{Index: index, Driving: i, Ordered: index == p.Order, Covering: true})
		}
	}
	if paged {
		paths = append(paths, p.withResiduals(page)...)
	}
	if all := (Path{Index: ListIndex, Driving: -1, Ordered: p.ByID && !p.Counted}); !slices.Contains(paths, all) {
		paths = append(paths, all)
	}
	return paths
}

// others returns the number of predicates that do not bound the scan of a path.
func (p *planner) others(path Path) int {
	if path.Driving >= 0 {
		return len(p.Predicates) - 1
	}
	return len(p.Predicates)
}

// smallest returns the position in Predicates of the predicate that matches the fewest Contacts. It ignores
// predicates without scans, and the predicate at the position without. It returns -1 if no other predicate is
// left.
func (p *planner) smallest(without int) int {
	least := -1
	for i := range p.Predicates {
		if p.Predicates[i].Scans != nil && i != without && (least < 0 || p.matching(i) < p.matching(least)) {
			least = i
		}
	}
	return least
}

// drivenBy returns the path that starts from the scans of predicate i.
func (p *planner) drivenBy(i int) Path {
	pred := &p.Predicates[i]
	if pred.Direct() {
		return Path{Index: pred.Scans[0].Index, Driving: i, Ordered: p.inOrder(pred)}
	}
	return Path{Driving: i, Ordered: p.mergesScans(i)}
}

// mergesScans reports whether the engine can fill a page by merging the scans of predicate i in the
// order of IDs. Predicate i must be the only predicate.
func (p *planner) mergesScans(i int) bool {
	pred := &p.Predicates[i]
	return !p.Counted && len(p.Predicates) == 1 && p.ByID && p.limited() && pred.ordered() && !pred.selective()
}

// withResiduals returns copies of a path: one for each way to test the other predicates.
func (p *planner) withResiduals(path Path) []Path {
	paths := []Path{path}
	lookups, scans := true, true
	for i := range p.Predicates {
		pred := &p.Predicates[i]
		scans = scans && pred.Scans != nil
		lookups = lookups && (i == path.Driving || pred.Direct() && pred.ordered())
	}
	set := p.smallest(path.Driving)
	if set < 0 {
		return paths
	}
	path.Residual, path.Set = InSet, set
	paths = append(paths, path)
	path.Set = 0
	if lookups {
		path.Residual = ByLookup
		paths = append(paths, path)
	}
	if scans && p.Counted {
		path.Residual = Intersect
		paths = append(paths, path)
	}
	return paths
}

// The costs of other steps. Exact values do not matter: a test planned 169 different searches with
// half and with twice these values, and few plans changed.
const (
	lookupCost    = 8  // look up an ID in an index, add one to a set, or sort one
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
	for _, path := range paths[1:] {
		if cost := p.cost(path); cost < lowest {
			best, lowest = path, cost
		}
	}
	return best
}

// cost returns the estimated cost of a path.
func (p *planner) cost(path Path) float64 {
	if path.Residual == Intersect {
		entries := 0.0
		for i := range p.Predicates {
			entries += 2 * p.matching(i) // each entry is read and merged
		}
		return entries
	}
	matches := float64(p.contacts)
	for i := range p.Predicates {
		matches *= p.share(i)
	}
	entries := p.scanned(path, matches)
	lookups, rows := p.residualCost(path, entries)
	if path.Residual == InSet {
		entries += p.matching(path.Set)
	}
	if !path.Ordered && !p.Counted { // the matches must be sorted, by a value in the row unless the order is that of IDs
		lookups += matches
		if !p.ByID && rows == 0 {
			rows = matches
		}
	}
	row := float64(randomRowCost)
	if path.Index == ListIndex || path.Index == p.Order && p.Chronological {
		row = rowCost
	}
	return entries + lookups*lookupCost + rows*row
}

// scanned estimates how many index entries a path reads. matches is the number of Contacts that
// match all predicates.
func (p *planner) scanned(path Path, matches float64) float64 {
	all := float64(p.contacts)
	if path.Driving >= 0 && !path.Covering {
		all = p.matching(path.Driving)
	}
	if page := float64(p.Offset + p.Limit); path.Ordered && p.Limit > 0 && page < matches {
		return min(all, caution*all*page/matches)
	}
	return all
}

// residualCost estimates how many look-ups and rows are needed to test the predicates that do not
// bound the scan. scanned is the number of index entries that the path reads.
func (p *planner) residualCost(path Path, scanned float64) (lookups, rows float64) {
	others := p.others(path)
	if path.Index == "" && !path.Ordered { // the scans find a set of IDs, and then the row of each ID is read
		lookups = scanned
		if others > 0 || !p.Counted {
			rows = scanned
		}
	}
	switch {
	case others == 0:
	case path.Covering:
		rows = scanned * p.share(path.Driving)
	case path.Residual == ByLookup:
		lookups += scanned * float64(others)
	case path.Residual == InSet:
		lookups += p.matching(path.Set)
		if others > 1 {
			rows += scanned * p.share(path.Set)
		}
	default:
		rows = scanned
	}
	return lookups, rows
}
