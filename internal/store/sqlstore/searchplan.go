package sqlstore

import "enlist/internal/audience"

// SQLite has no per-List statistics, so its planner cannot tell a selective index from
// an unselective one. This file makes the plan: it lists the access paths of a search,
// has their predicates counted (searchestimate.go), takes the cheapest by measured
// costs (searchcost.go), and the statement names its index (INDEXED BY). PostgreSQL
// has statistics and plans for itself, except for addresses.
//
// Example, of 1,000,000 Contacts: State = NSW and Postcode = 2008, 100 by
// creation_time. Postcode finds 8,000 and State at least 20,000. A scan in the order
// of creation_time would read some 50,000 rows; the index of Postcode yields 8,000
// IDs, each tested by a look-up in the index of State. The second costs less.

// plan is how a search goes about it: which way it takes through the List, and
// how it tests there what the way itself does not see to.
type plan struct {
	path
	search     audience.Search
	predicates []predicate
	idsFirst   bool  // the page's IDs are found and sorted before its rows are read
	span       *span // the table is covering between these IDs
	quick      bool  // it looks at few Contacts
}

// way is an index that is covering, or what scans find, and how the predicates are tested
// that are no bounds of the walk.
type path struct {
	index    string // "": the part's scans
	by       int    // the part that bounds the walk, -1: none does
	ordered  bool   // it gives the Contacts in the order that is asked for
	covering bool   // all of the index is read for the part
	residual residual
	set      int // the part that is a set, with inSet
}

// how a part is tested.
type residual int

const (
	onRow     residual = iota // on the Contact's row, or on the index entry that is covering
	inSet                     // among the IDs that its scans found before
	byLookup                  // by a look into its own index for each Contact
	intersect                 // by counting the IDs that all predicates have found
)

// part is something that every Contact that is found meets.
type predicate struct {
	tests []*audience.Condition
	scans []indexScan // how indexes find all that meet it; none: they cannot
	as    residual
	count int64 // what the scans find
	known bool  // false: they find more
}

func (p *predicate) direct() bool { return len(p.scans) == 1 && p.scans[0].direct() }

func (p *predicate) selective() bool {
	for _, a := range p.scans {
		if !a.selective {
			return false
		}
	}
	return len(p.scans) > 0
}

func (p *predicate) ordered() bool {
	for _, a := range p.scans {
		if !a.ordered {
			return false
		}
	}
	return len(p.scans) > 0
}

// predicatesOf takes a condition apart. Tests of one index belong together: they are
// the bounds of one walk.
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

// joined adds to the part that walks the same index, if there is one.
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

// planner makes the plan of one search.
type planner struct {
	tx         *Tx
	search     *audience.Search
	query      *searchQuery // knows the List's indexes
	predicates []predicate
	contacts   int64 // of the List; 0: not asked for yet
	span       *span // likewise
}

// planOf returns the plan of a search, the same one when it is asked for again.
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
		made = p.leave()
	}
	if err != nil {
		return nil, err
	}
	made.search, t.plan = *s, made
	return made, nil
}

// answers reports whether a plan is one of a search.
func (p *plan) answers(s *audience.Search) bool {
	return p.search.Schema == s.Schema && p.search.Where == s.Where && p.search.Sort == s.Sort && p.search.Descending == s.Descending &&
		p.search.Limit == s.Limit && p.search.Offset == s.Offset && p.search.Counted == s.Counted
}

// leave makes a plan that leaves the choice of indexes to the engine.
func (p *planner) leave() *plan {
	made := &plan{path: path{by: -1}, predicates: p.predicates}
	bounds := 0 // predicates that an index sees to in the order that is asked for
	for i := range p.predicates {
		part := &p.predicates[i]
		switch {
		case part.selective():
			made.quick = true
			if !part.direct() {
				part.as = inSet
			}
		case part.tests[0].Key != nil && !part.direct() && part.scans != nil: // an In of days, which is no range
			part.as = inSet
		case part.direct() && (p.byID() && part.ordered() || part.scans[0].index == p.order()):
			bounds++
		}
	}
	made.ordered = p.order() != ""
	made.quick = made.quick || p.quickScan(made.ordered && bounds == len(p.predicates))
	deep := p.search.Offset > maxRowsPassed
	made.idsFirst = p.limited() && (!made.ordered || deep)
	return made
}

// maxRowsPassed is how many rows may be read for nothing on the way to a page.
const maxRowsPassed = 1000

// maxQuickOffset is how many index entries a quick search may pass over.
const maxQuickOffset = 10_000

// quickScan reports whether a search is quick that only walks an index in its
// order: however long its reply gets, it is not held up before it begins.
func (p *planner) quickScan(only bool) bool {
	return only && !p.search.Counted && p.search.Offset <= maxQuickOffset
}

func (p *planner) limited() bool { return p.search.Limit > 0 || p.search.Offset > 0 }

func (p *planner) byID() bool { return p.search.Sort == nil || isID(p.search.Sort) }

// order names the index that has the List in the order that is asked for.
func (p *planner) order() string {
	if p.byID() {
		return listIndex
	}
	return p.query.index(p.search.Sort, audience.GreaterThan)
}

// choose makes the plan for an engine that is told its indexes.
func (p *planner) choose() (*plan, error) {
	for i := range p.predicates {
		if few := p.predicates[i].selective(); few || p.merges(i) {
			return p.planFor(p.along(i), few)
		}
	}
	p.limit()
	paths := p.paths()
	if len(paths) == 1 && !p.search.Counted {
		return p.planFor(paths[0], false)
	}
	if err := p.probe(paths); err != nil {
		return nil, err
	}
	best := p.cheapest(paths)
	few := best.by >= 0 && !best.covering && p.predicates[best.by].known && p.predicates[best.by].count <= selectiveCount
	return p.planFor(best, few)
}

// cheapest is the way that costs least, by what is known so far.
func (p *planner) cheapest(paths []path) path {
	best := paths[0]
	for _, w := range paths[1:] {
		if p.cost(w) < p.cost(best) {
			best = w
		}
	}
	return best
}

// maxTried is how many predicates are counted or tried on a sample: criteria of a hundred
// tests are not to take longer to think over than to carry out.
const maxTried = 8

// limit leaves the last of very many predicates to be tested on rows.
func (p *planner) limit() {
	armed := 0
	for i := range p.predicates {
		if p.predicates[i].scans == nil {
			continue
		}
		if armed++; armed > maxTried {
			p.predicates[i].scans = nil
		}
	}
}

// planFor completes the plan of a way. few says that little is found on it.
func (p *planner) planFor(w path, few bool) (*plan, error) {
	made := &plan{path: w, predicates: p.predicates}
	others := 0
	for i := range p.predicates {
		switch part := &p.predicates[i]; {
		case i == w.by && w.index == "":
			part.as = inSet
		case i == w.by:
		case w.residual == byLookup || w.residual == intersect || w.residual == inSet && w.set == i:
			part.as, others = w.residual, others+1
		default:
			others++
		}
	}
	made.quick = few || p.quickScan(w.ordered && others == 0 && !w.covering)
	made.idsFirst = p.limited() && !w.ordered && !(w.by >= 0 && p.predicates[w.by].selective())
	reads := others > 0 || !w.ordered && !p.search.Counted
	if w.index == listIndex && w.by < 0 && reads {
		return made, p.inRowidOrder(made)
	}
	return made, nil
}

// paths are all that are worth a thought.
func (p *planner) paths() (paths []path) {
	order := p.order()
	bound := -1
	for i := range p.predicates {
		if part := &p.predicates[i]; part.direct() && part.scans[0].index == order {
			bound = i
		}
	}
	inOrder := false // there are bounds, of an index that has the order
	for i := range p.predicates {
		if i == bound && !p.search.Counted || p.predicates[i].scans == nil {
			continue
		}
		w := p.along(i)
		inOrder = inOrder || w.ordered && w.index != ""
		paths = append(paths, p.withResiduals(w)...)
	}
	for i := range p.predicates {
		if index := p.covering(i); index != "" {
			paths = append(paths, path{index: index, by: i, ordered: index == order, covering: true})
		}
	}
	if p.search.Counted || order == "" || order != listIndex && len(p.predicates) > 0 {
		paths = append(paths, path{index: listIndex, by: -1})
	}
	switch {
	case p.search.Counted, order == "":
	case order != listIndex || bound >= 0 || !inOrder:
		paths = append(paths, p.withResiduals(path{index: order, by: bound, ordered: true})...)
	}
	return paths
}

// along is the way by what a part's scans find.
func (p *planner) along(i int) path {
	part := &p.predicates[i]
	w := path{by: i}
	if part.direct() {
		w.index = part.scans[0].index
		w.ordered = w.index == p.order() || p.byID() && part.ordered()
		return w
	}
	w.ordered = p.merges(i)
	return w
}

// merges reports whether scans that give IDs in order are all that a page is made of.
func (p *planner) merges(i int) bool {
	part := &p.predicates[i]
	return !p.search.Counted && len(p.predicates) == 1 && p.byID() && p.limited() && part.ordered() && !part.selective()
}

// narrow names the index whose entries are enough to test a part, all of them.
func (p *planner) covering(i int) string {
	part := &p.predicates[i]
	if len(part.tests) > 1 || part.tests[0].Key == nil || part.scans != nil || !inEntry(part.tests[0]) {
		return ""
	}
	k := part.tests[0].Key
	if x := p.query.schema.IndexFor(k); x != nil {
		return IndexName(x.ID)
	}
	return ""
}

// inEntry reports whether an index entry tells what a test asks that no bounds
// can be made of.
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

// withResiduals are the paths that one is with what the other predicates can be tested by.
func (p *planner) withResiduals(w path) []path {
	paths := []path{w}
	least, probes, found := -1, true, true
	for i := range p.predicates {
		part := &p.predicates[i]
		found = found && part.scans != nil
		if i == w.by {
			continue
		}
		probes = probes && part.direct() && part.ordered()
		if part.scans != nil {
			least = i
			set := w
			set.residual, set.set = inSet, i
			paths = append(paths, set)
		}
	}
	if least < 0 {
		return paths
	}
	if probes {
		w.residual = byLookup
		paths = append(paths, w)
	}
	if found && p.search.Counted {
		w.residual = intersect
		paths = append(paths, w)
	}
	return paths
}
