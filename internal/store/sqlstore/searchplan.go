package sqlstore

import "enlist/internal/audience"

// This file is the query planner for searches. SQLite has no per-List statistics, so
// its own planner cannot tell a selective index from an unselective one. PostgreSQL
// has statistics: there the planner only fixes how addresses, IDs and days are found.
//
// Planning for SQLite has five steps:
//
//  1. predicatesOf splits the condition at its ANDs. Tests that bound one index
//     become one predicate.
//  2. scansOf (searchscan.go) finds for each predicate the index scans that return
//     exactly its Contacts. A selective one, such as an address, ends the planning.
//  3. paths lists the access paths: scan the index of one predicate, or scan the index
//     of the sort order. Each is combined with the ways to test the other predicates,
//     which are the residuals.
//  4. estimate (searchestimate.go) counts how many Contacts each predicate matches, up
//     to a limit, and samples the predicates that have no index.
//  5. cheapest takes the path of the least cost (searchcost.go). The statement names
//     its index (INDEXED BY), so that SQLite follows the plan.
//
// Example: a List has 1,000,000 Contacts. The search asks for State = NSW and
// Postcode = 2008, the first 100 by creation_time. The estimates are 8,000 Contacts
// for Postcode and over 20,000 for State. A scan in the order of creation_time would
// read some 50,000 rows until it has 100 matches. A scan of the index of Postcode
// yields 8,000 IDs, each of which is looked up in the index of State. This costs less.

// plan is an access path for one search, and how each predicate is tested on it.
type plan struct {
	path
	search     audience.Search
	predicates []predicate
	idsFirst   bool  // a subquery finds and sorts the page's IDs before rows are read
	span       *span // the table is scanned in rowid order between these IDs
	quick      bool  // it reads few Contacts
}

// path is an access path: the index that is scanned, and how the residual predicates
// are tested, which do not bound the scan.
type path struct {
	index    string // "": the scans of the driving predicate find IDs
	driving  int    // place of the predicate that bounds the scan; -1: none
	ordered  bool   // it yields the Contacts in the requested order
	covering bool   // a covering filter: the driving predicate is tested on all entries of the index
	residual residual
	set      int // with inSet: place of the predicate whose IDs are the set
}

// residual is how a predicate is tested that does not bound the scan.
type residual int

const (
	onRow     residual = iota // on the Contact's row, or on the entry of a covering index
	inSet                     // by its ID in the set that the predicate's scans found before
	byLookup                  // by a look-up in the predicate's own index for each Contact
	intersect                 // by the intersection of the IDs of all predicates; counts only
)

// predicate is one operand of the AND that forms a search's condition.
type predicate struct {
	tests []*audience.Condition
	scans []indexScan // together they find exactly the matching Contacts; none: no index can
	as    residual
	count int64 // estimate of the Contacts that match
	known bool  // false: more than count match
}

// direct reports whether the predicate bounds the scan of a single index.
func (p *predicate) direct() bool { return len(p.scans) == 1 && p.scans[0].direct() }

// selective reports whether all scans find hardly more Contacts than they have operands.
func (p *predicate) selective() bool {
	for _, a := range p.scans {
		if !a.selective {
			return false
		}
	}
	return len(p.scans) > 0
}

// ordered reports whether each scan yields its IDs in order.
func (p *predicate) ordered() bool {
	for _, a := range p.scans {
		if !a.ordered {
			return false
		}
	}
	return len(p.scans) > 0
}

// predicatesOf splits a condition at its ANDs. It joins the tests that bound the scan
// of one index.
func (q *searchQuery) predicatesOf(c *audience.Condition) (predicates []predicate) {
	switch {
	case c == nil:
		return nil
	case c.All == nil:
		return []predicate{{tests: []*audience.Condition{c}, scans: q.scansOf(c)}}
	}
	for i := range c.All {
		for _, next := range q.predicatesOf(&c.All[i]) {
			if !joined(predicates, next) {
				predicates = append(predicates, next)
			}
		}
	}
	return predicates
}

// joined adds next to the predicate that bounds the same index, if there is one.
func joined(predicates []predicate, next predicate) bool {
	if !next.direct() {
		return false
	}
	for i := range predicates {
		if p := &predicates[i]; p.direct() && p.scans[0].index == next.scans[0].index {
			p.tests = append(p.tests, next.tests...)
			a := &p.scans[0]
			a.tests = append(a.tests, next.scans[0].tests...)
			a.ordered, a.selective = a.ordered || next.scans[0].ordered, a.selective || next.scans[0].selective
			return true
		}
	}
	return false
}

// planner plans one search.
type planner struct {
	tx         *Tx
	search     *audience.Search
	query      *searchQuery // for the List's indexes
	predicates []predicate
	contacts   int64 // of the List; 0: not read yet
	span       *span // of the List; nil: not read yet
}

// planOf returns the plan of a search. A transaction keeps its last plan: the service
// first asks whether a search is quick, and then runs it.
func (t *Tx) planOf(s *audience.Search) (*plan, error) {
	if t.plan != nil && t.plan.answers(s) {
		return t.plan, nil
	}
	q := newSearchQuery(t.sql, s)
	p := &planner{tx: t, search: s, query: q, predicates: q.predicatesOf(s.Where)}
	var made *plan
	var err error
	if t.sql.NamesIndexes {
		made, err = p.choose()
	} else {
		made = p.delegate()
	}
	if err != nil {
		return nil, err
	}
	made.search, t.plan = *s, made
	return made, nil
}

// answers reports whether the plan was made for an equal search.
func (p *plan) answers(s *audience.Search) bool {
	of := &p.search
	return of.Schema == s.Schema && of.Where == s.Where && of.Sort == s.Sort && of.Descending == s.Descending &&
		of.Limit == s.Limit && of.Offset == s.Offset && of.Counted == s.Counted
}

// delegate returns a plan that leaves the choice of indexes to PostgreSQL.
func (p *planner) delegate() *plan {
	made := &plan{path: path{driving: -1}, predicates: p.predicates}
	bounds := 0 // predicates that bound the scan of the index in the requested order
	for i := range p.predicates {
		pred := &p.predicates[i]
		switch {
		case pred.selective():
			made.quick = true
			if !pred.direct() {
				pred.as = inSet
			}
		case pred.tests[0].Key != nil && !pred.direct() && pred.scans != nil: // an In of days: several ranges
			pred.as = inSet
		case pred.direct() && (p.byID() && pred.ordered() || pred.scans[0].index == p.order()):
			bounds++
		}
	}
	made.ordered = p.order() != ""
	made.quick = made.quick || p.quickScan(made.ordered && bounds == len(p.predicates))
	deep := p.search.Offset > maxRowsPassed
	made.idsFirst = p.limited() && (!made.ordered || deep)
	return made
}

// maxRowsPassed is the largest offset at which whole rows are read and skipped.
const maxRowsPassed = 1000

// maxQuickOffset is how many index entries a quick search may skip.
const maxQuickOffset = 10_000

// quickScan reports whether a search is quick. boundsOnly says that it only scans an
// index in order, without residuals. Its first row then comes at once, however long
// the reply is.
func (p *planner) quickScan(boundsOnly bool) bool {
	return boundsOnly && !p.search.Counted && p.search.Offset <= maxQuickOffset
}

// limited reports whether the search asks for a page rather than for all matches.
func (p *planner) limited() bool { return p.search.Limit > 0 || p.search.Offset > 0 }

func (p *planner) byID() bool { return p.search.Sort == nil || isID(p.search.Sort) }

// order names the index that has the List's Contacts in the requested order.
func (p *planner) order() string {
	if p.byID() {
		return listIndex
	}
	return p.query.index(p.search.Sort, audience.GreaterThan)
}

// choose plans for an engine whose statements name their index (SQLite).
func (p *planner) choose() (*plan, error) {
	for i := range p.predicates {
		if selective := p.predicates[i].selective(); selective || p.mergesScans(i) {
			return p.planFor(p.drivenBy(i), selective)
		}
	}
	p.limitEstimated()
	paths := p.paths()
	if len(paths) == 1 && !p.search.Counted {
		return p.planFor(paths[0], false)
	}
	if err := p.estimate(paths); err != nil {
		return nil, err
	}
	best := p.cheapest(paths)
	if best.driving < 0 || best.covering {
		return p.planFor(best, false)
	}
	driving := &p.predicates[best.driving]
	return p.planFor(best, driving.known && driving.count <= selectiveCount)
}

// cheapest returns the path that costs least by the estimates so far.
func (p *planner) cheapest(paths []path) path {
	best := paths[0]
	for _, w := range paths[1:] {
		if p.cost(w) < p.cost(best) {
			best = w
		}
	}
	return best
}

// maxTried is how many predicates are counted, and how many are sampled. Criteria may
// have a hundred tests, and planning must not take longer than the search.
const maxTried = 8

// limitEstimated removes the scans of all indexed predicates after the first maxTried, so
// that these are tested on rows.
func (p *planner) limitEstimated() {
	indexed := 0
	for i := range p.predicates {
		if p.predicates[i].scans == nil {
			continue
		}
		if indexed++; indexed > maxTried {
			p.predicates[i].scans = nil
		}
	}
}

// planFor completes the plan of a path. selective says that the path finds few Contacts.
func (p *planner) planFor(w path, selective bool) (*plan, error) {
	made := &plan{path: w, predicates: p.predicates}
	others := 0
	for i := range p.predicates {
		switch pred := &p.predicates[i]; {
		case i == w.driving && w.index == "":
			pred.as = inSet
		case i == w.driving:
		case w.residual == byLookup || w.residual == intersect || w.residual == inSet && w.set == i:
			pred.as, others = w.residual, others+1
		default:
			others++
		}
	}
	made.quick = selective || p.quickScan(w.ordered && others == 0 && !w.covering)
	made.idsFirst = p.limited() && !w.ordered && !(w.driving >= 0 && p.predicates[w.driving].selective())
	reads := others > 0 || !w.ordered && !p.search.Counted
	if w.index == listIndex && w.driving < 0 && reads {
		return made, p.inRowidOrder(made)
	}
	return made, nil
}

// paths returns the access paths to compare. At least one finds all Contacts that match.
func (p *planner) paths() (paths []path) {
	order := p.order()
	bound := -1
	for i := range p.predicates {
		if pred := &p.predicates[i]; pred.direct() && pred.scans[0].index == order {
			bound = i
		}
	}
	inOrder := false // a predicate bounds the scan of an index in the requested order
	for i := range p.predicates {
		if i == bound && !p.search.Counted || p.predicates[i].scans == nil {
			continue
		}
		w := p.drivenBy(i)
		inOrder = inOrder || w.ordered && w.index != ""
		paths = append(paths, p.withResiduals(w)...)
	}
	for i := range p.predicates {
		if index := p.covering(i); index != "" {
			paths = append(paths, path{index: index, driving: i, ordered: index == order, covering: true})
		}
	}
	if p.search.Counted || order == "" || order != listIndex && len(p.predicates) > 0 {
		paths = append(paths, path{index: listIndex, driving: -1})
	}
	switch {
	case p.search.Counted, order == "":
	case order != listIndex || bound >= 0 || !inOrder:
		paths = append(paths, p.withResiduals(path{index: order, driving: bound, ordered: true})...)
	}
	return paths
}

// drivenBy returns the path that starts from the scans of predicate i.
func (p *planner) drivenBy(i int) path {
	pred := &p.predicates[i]
	w := path{driving: i}
	if pred.direct() {
		w.index = pred.scans[0].index
		w.ordered = w.index == p.order() || p.byID() && pred.ordered()
		return w
	}
	w.ordered = p.mergesScans(i)
	return w
}

// mergesScans reports whether predicate i is the only one and its ordered scans can be
// merged into a page in the order of IDs.
func (p *planner) mergesScans(i int) bool {
	pred := &p.predicates[i]
	return !p.search.Counted && len(p.predicates) == 1 && p.byID() && p.limited() &&
		pred.ordered() && !pred.selective()
}

// covering names the index on whose entries predicate i can be tested, as a covering
// filter; "" when the row is needed or the predicate has scans.
func (p *planner) covering(i int) string {
	pred := &p.predicates[i]
	if len(pred.tests) > 1 || pred.tests[0].Key == nil || pred.scans != nil || !inEntry(pred.tests[0]) {
		return ""
	}
	k := pred.tests[0].Key
	if x := p.query.schema.IndexFor(k); x != nil {
		return IndexName(x.ID)
	}
	return ""
}

// inEntry reports whether an index entry holds all that a test needs. It is for tests
// that do not bound a scan. An entry has only the first 200 characters of a text.
func inEntry(c *audience.Condition) bool {
	switch c.Operator {
	case audience.Contains, audience.EndsWith, audience.StartsWith:
		return c.Key.Type != audience.KeyNumber && c.Operands[0].Text != ""
	case audience.Not:
		o := c.Operands[0]
		return !isAddress(c.Key) && !(c.Key.Type == audience.KeyNumber && o.Absent) && !isLong(o)
	}
	return false
}

// withResiduals returns a path with each way to test the other predicates.
func (p *planner) withResiduals(w path) []path {
	paths := []path{w}
	least, lookups, found := -1, true, true
	for i := range p.predicates {
		pred := &p.predicates[i]
		found = found && pred.scans != nil
		if i == w.driving {
			continue
		}
		lookups = lookups && pred.direct() && pred.ordered()
		if pred.scans != nil {
			least = i
			set := w
			set.residual, set.set = inSet, i
			paths = append(paths, set)
		}
	}
	if least < 0 {
		return paths
	}
	if lookups {
		w.residual = byLookup
		paths = append(paths, w)
	}
	if found && p.search.Counted {
		w.residual = intersect
		paths = append(paths, w)
	}
	return paths
}
