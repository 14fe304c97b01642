package sqlstore

import "enlist/internal/audience"

// SQLite would choose between indexes by what it knows of the data, which is next
// to nothing: of a List's size it can only know the average of all Lists. So the
// plan is made here, from what the criteria find in their own indexes, and the
// statement names its index (INDEXED BY). PostgreSQL knows better; its plans are
// its own, but for addresses.

// plan is how a search goes about it: which way it takes through the List, and
// how it tests there what the way itself does not see to.
type plan struct {
	way
	search   audience.Search
	parts    []part
	idsFirst bool  // the page's IDs are found and sorted before its rows are read
	span     *span // the table is walked between these IDs
	quick    bool  // it looks at few Contacts
}

// way is an index that is walked, or what arms find, and how the parts are tested
// that are no bounds of the walk.
type way struct {
	index   string // "": the part's arms
	by      int    // the part that bounds the walk, -1: none does
	ordered bool   // it gives the Contacts in the order that is asked for
	narrow  bool   // all of the index is read for the part
	rest    how
	set     int // the part that is a set, with inSet
}

// how a part is tested.
type how int

const (
	onRow     how = iota // on the Contact's row, or on the index entry that is walked
	inSet                // among the IDs that its arms found before
	byProbe              // by a look into its own index for each Contact
	intersect            // by counting the IDs that all parts have found
)

// part is something that every Contact that is found meets.
type part struct {
	tests []*audience.Condition
	arms  []arm // how indexes find all that meet it; none: they cannot
	as    how
	count int64 // what the arms find
	known bool  // false: they find more
}

func (p *part) direct() bool { return len(p.arms) == 1 && p.arms[0].direct() }

func (p *part) few() bool {
	for _, a := range p.arms {
		if !a.few {
			return false
		}
	}
	return len(p.arms) > 0
}

func (p *part) ordered() bool {
	for _, a := range p.arms {
		if !a.ordered {
			return false
		}
	}
	return len(p.arms) > 0
}

// partsOf takes a condition apart. Tests of one index belong together: they are
// the bounds of one walk.
func (q *searchQuery) partsOf(c *audience.Condition) (parts []part) {
	switch {
	case c == nil:
		return nil
	case c.All == nil:
		return []part{{tests: []*audience.Condition{c}, arms: q.armsOf(c)}}
	}
	for i := range c.All {
		for _, next := range q.partsOf(&c.All[i]) {
			if !joined(parts, next) {
				parts = append(parts, next)
			}
		}
	}
	return parts
}

// joined adds to the part that walks the same index, if there is one.
func joined(parts []part, next part) bool {
	if !next.direct() {
		return false
	}
	for i := range parts {
		if p := &parts[i]; p.direct() && p.arms[0].index == next.arms[0].index {
			p.tests = append(p.tests, next.tests...)
			a := &p.arms[0]
			a.tests = append(a.tests, next.arms[0].tests...)
			a.ordered, a.few = a.ordered || next.arms[0].ordered, a.few || next.arms[0].few
			return true
		}
	}
	return false
}

// planner makes the plan of one search.
type planner struct {
	tx       *Tx
	search   *audience.Search
	query    *searchQuery // knows the List's indexes
	parts    []part
	contacts int64 // of the List; 0: not asked for yet
	span     *span // likewise
}

// planOf returns the plan of a search, the same one when it is asked for again.
func (t *Tx) planOf(s *audience.Search) (*plan, error) {
	if t.plan != nil && t.plan.answers(s) {
		return t.plan, nil
	}
	q := newSearchQuery(t.sql, s)
	p := &planner{tx: t, search: s, query: q, parts: q.partsOf(s.Where)}
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
	made := &plan{way: way{by: -1}, parts: p.parts}
	bounds := 0 // parts that an index sees to in the order that is asked for
	for i := range p.parts {
		part := &p.parts[i]
		switch {
		case part.few():
			made.quick = true
			if !part.direct() {
				part.as = inSet
			}
		case part.tests[0].Key != nil && !part.direct() && part.arms != nil: // an In of days, which is no range
			part.as = inSet
		case part.direct() && (p.byID() && part.ordered() || part.arms[0].index == p.order()):
			bounds++
		}
	}
	made.ordered = p.order() != ""
	made.quick = made.quick || p.quickWalk(made.ordered && bounds == len(p.parts))
	deep := p.search.Offset > maxRowsPassed
	made.idsFirst = p.limited() && (!made.ordered || deep)
	return made
}

// maxRowsPassed is how many rows may be read for nothing on the way to a page.
const maxRowsPassed = 1000

// maxQuickOffset is how many index entries a quick search may pass over.
const maxQuickOffset = 10_000

// quickWalk reports whether a search is quick that only walks an index in its
// order: however long its reply gets, it is not held up before it begins.
func (p *planner) quickWalk(only bool) bool {
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
	for i := range p.parts {
		if few := p.parts[i].few(); few || p.merges(i) {
			return p.planFor(p.along(i), few)
		}
	}
	p.limit()
	ways := p.ways()
	if len(ways) == 1 && !p.search.Counted {
		return p.planFor(ways[0], false)
	}
	if err := p.probe(ways); err != nil {
		return nil, err
	}
	best := p.cheapest(ways)
	few := best.by >= 0 && !best.narrow && p.parts[best.by].known && p.parts[best.by].count <= fewFound
	return p.planFor(best, few)
}

// cheapest is the way that costs least, by what is known so far.
func (p *planner) cheapest(ways []way) way {
	best := ways[0]
	for _, w := range ways[1:] {
		if p.cost(w) < p.cost(best) {
			best = w
		}
	}
	return best
}

// maxTried is how many parts are counted or tried on a sample: criteria of a hundred
// tests are not to take longer to think over than to carry out.
const maxTried = 8

// limit leaves the last of very many parts to be tested on rows.
func (p *planner) limit() {
	armed := 0
	for i := range p.parts {
		if p.parts[i].arms == nil {
			continue
		}
		if armed++; armed > maxTried {
			p.parts[i].arms = nil
		}
	}
}

// planFor completes the plan of a way. few says that little is found on it.
func (p *planner) planFor(w way, few bool) (*plan, error) {
	made := &plan{way: w, parts: p.parts}
	others := 0
	for i := range p.parts {
		switch part := &p.parts[i]; {
		case i == w.by && w.index == "":
			part.as = inSet
		case i == w.by:
		case w.rest == byProbe || w.rest == intersect || w.rest == inSet && w.set == i:
			part.as, others = w.rest, others+1
		default:
			others++
		}
	}
	made.quick = few || p.quickWalk(w.ordered && others == 0 && !w.narrow)
	made.idsFirst = p.limited() && !w.ordered && !(w.by >= 0 && p.parts[w.by].few())
	reads := others > 0 || !w.ordered && !p.search.Counted
	if w.index == listIndex && w.by < 0 && reads {
		return made, p.asTheyLie(made)
	}
	return made, nil
}

// ways are all that are worth a thought.
func (p *planner) ways() (ways []way) {
	order := p.order()
	bound := -1
	for i := range p.parts {
		if part := &p.parts[i]; part.direct() && part.arms[0].index == order {
			bound = i
		}
	}
	inOrder := false // there are bounds, of an index that has the order
	for i := range p.parts {
		if i == bound && !p.search.Counted || p.parts[i].arms == nil {
			continue
		}
		w := p.along(i)
		inOrder = inOrder || w.ordered && w.index != ""
		ways = append(ways, p.withRest(w)...)
	}
	for i := range p.parts {
		if index := p.narrow(i); index != "" {
			ways = append(ways, way{index: index, by: i, ordered: index == order, narrow: true})
		}
	}
	if p.search.Counted || order == "" || order != listIndex && len(p.parts) > 0 {
		ways = append(ways, way{index: listIndex, by: -1})
	}
	switch {
	case p.search.Counted, order == "":
	case order != listIndex || bound >= 0 || !inOrder:
		ways = append(ways, p.withRest(way{index: order, by: bound, ordered: true})...)
	}
	return ways
}

// along is the way by what a part's arms find.
func (p *planner) along(i int) way {
	part := &p.parts[i]
	w := way{by: i}
	if part.direct() {
		w.index = part.arms[0].index
		w.ordered = w.index == p.order() || p.byID() && part.ordered()
		return w
	}
	w.ordered = p.merges(i)
	return w
}

// merges reports whether arms that give IDs in order are all that a page is made of.
func (p *planner) merges(i int) bool {
	part := &p.parts[i]
	return !p.search.Counted && len(p.parts) == 1 && p.byID() && p.limited() && part.ordered() && !part.few()
}

// narrow names the index whose entries are enough to test a part, all of them.
func (p *planner) narrow(i int) string {
	part := &p.parts[i]
	if len(part.tests) > 1 || part.tests[0].Key == nil || part.arms != nil || !inEntry(part.tests[0]) {
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

// withRest are the ways that one is with what the other parts can be tested by.
func (p *planner) withRest(w way) []way {
	ways := []way{w}
	least, probes, found := -1, true, true
	for i := range p.parts {
		part := &p.parts[i]
		found = found && part.arms != nil
		if i == w.by {
			continue
		}
		probes = probes && part.direct() && part.ordered()
		if part.arms != nil {
			least = i
			set := w
			set.rest, set.set = inSet, i
			ways = append(ways, set)
		}
	}
	if least < 0 {
		return ways
	}
	if probes {
		w.rest = byProbe
		ways = append(ways, w)
	}
	if found && p.search.Counted {
		w.rest = intersect
		ways = append(ways, w)
	}
	return ways
}
