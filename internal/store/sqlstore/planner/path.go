package planner

import "slices"

// This file lists the access paths of a search.

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
func (p *planner) others(w Path) int {
	if w.Driving >= 0 {
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
func (p *planner) withResiduals(w Path) []Path {
	paths := []Path{w}
	lookups, scans := true, true
	for i := range p.Predicates {
		pred := &p.Predicates[i]
		scans = scans && pred.Scans != nil
		lookups = lookups && (i == w.Driving || pred.Direct() && pred.ordered())
	}
	set := p.smallest(w.Driving)
	if set < 0 {
		return paths
	}
	w.Residual, w.Set = InSet, set
	paths = append(paths, w)
	w.Set = 0
	if lookups {
		w.Residual = ByLookup
		paths = append(paths, w)
	}
	if scans && p.Counted {
		w.Residual = Intersect
		paths = append(paths, w)
	}
	return paths
}
