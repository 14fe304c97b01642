package planner

import "slices"

// This file chooses the plan. For SQLite it uses the rules of doc/architecture.md. For
// PostgreSQL it leaves most of the choice to PostgreSQL's planner.

// planner makes the plan of one search.
type planner struct {
	*Query
	db       statistics
	contacts int64 // number of Contacts in the List; 0: not read yet
}

// Choose returns the plan for an engine whose statements name the index to use (SQLite).
func Choose(q *Query, db statistics) (*Plan, error) {
	p := &planner{Query: q, db: db}
	for i := range q.Predicates {
		if selective := q.Predicates[i].selective(); selective || p.mergesScans(i) {
			return p.complete(p.drivenBy(i), selective)
		}
	}
	p.limitEstimated()
	if paths := p.paths(); len(paths) == 1 {
		return p.complete(paths[0], false)
	}
	if err := p.estimate(); err != nil {
		return nil, err
	}
	best := p.cheapest()
	return p.complete(best, best.Driving >= 0 && !best.Covering && q.Predicates[best.Driving].few())
}

// All returns a plan for each access path of a search. Tests run all plans and check that they
// find the same Contacts.
func All(q *Query, db statistics) (plans []*Plan, err error) {
	p := &planner{Query: q, db: db}
	p.limitEstimated()
	for _, path := range p.paths() {
		plan, err := p.complete(path, false)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// maxEstimated limits how many predicates the planner counts, and also how many it samples.
// Criteria can have a hundred tests, and planning must not take longer than the search.
const maxEstimated = 8

// limitEstimated keeps the scans of the first maxEstimated predicates that have scans. It removes
// the scans of the other predicates, so that the search tests these predicates on rows.
func (p *planner) limitEstimated() {
	indexed := 0
	for i := range p.Predicates {
		if p.Predicates[i].Scans == nil {
			continue
		}
		if indexed++; indexed > maxEstimated {
			p.Predicates[i].Scans = nil
		}
	}
}

// complete returns the plan of a path. selective is true if the path finds few Contacts.
func (p *planner) complete(path Path, selective bool) (*Plan, error) {
	plan := &Plan{Path: path, Predicates: slices.Clone(p.Predicates)}
	for i := range plan.Predicates {
		pred := &plan.Predicates[i]
		switch {
		case i == path.Driving && path.Index == "":
			pred.As = InSet
		case i != path.Driving && (path.Residual != InSet || path.Set == i):
			pred.As = path.Residual
		}
	}
	others := p.others(path)
	plan.Quick = selective || p.quickScan(path.Ordered && others == 0 && !path.Covering)
	plan.IDsFirst = p.limited() && !path.Ordered && !(path.Driving >= 0 && p.Predicates[path.Driving].selective())
	reads := others > 0 || !path.Ordered && !p.Counted
	if path.Index == ListIndex && path.Driving < 0 && reads {
		return plan, p.scanTable(plan)
	}
	return plan, nil
}

// maxQuickOffset is the largest number of index entries that a quick search skips.
const maxQuickOffset = 10_000

// quickScan reports whether a search is quick. boundsOnly is true if the search only scans an
// index in the requested order and tests nothing else. Such a search returns its first row at
// once, even if the reply is long.
func (q *Query) quickScan(boundsOnly bool) bool {
	return boundsOnly && !q.Counted && q.Offset <= maxQuickOffset
}

// denseShare is a limit for the share of the rows between a List's first and last ID that belong
// to the List. Above this limit, a scan of the table is faster than one look-up for each ID.
const denseShare = 0.25

// scanTable changes a plan that reads most rows of a List. If the List's share of the rows is above
// denseShare, the changed plan scans the table between the List's first and last ID.
func (p *planner) scanTable(plan *Plan) error {
	span, err := p.db.Span()
	if err != nil {
		return err
	}
	if err := p.countContacts(); err != nil {
		return err
	}
	if float64(p.contacts) > denseShare*float64(span.Last-span.First+1) {
		plan.Span, plan.Index = &span, PrimaryKey
	}
	return nil
}

// maxRowsPassed is the largest offset for which PostgreSQL reads complete rows and then skips them.
// For a larger offset, PostgreSQL first finds the IDs of the page.
const maxRowsPassed = 1000

// Delegate returns the plan for an engine that chooses its indexes itself (PostgreSQL). The plan
// states only three things: how to find addresses, IDs and days, whether to read the IDs of a
// page first, and whether one scan of an index finds the page.
func Delegate(q *Query) *Plan {
	plan := &Plan{Path: Path{Driving: -1, Ordered: q.Order != ""}, Predicates: q.Predicates}
	bounds := 0 // number of predicates that bound the scan of the index in the requested order
	for i := range plan.Predicates {
		pred := &plan.Predicates[i]
		switch {
		case pred.selective():
			plan.Quick, plan.Selective = true, true
			if !pred.Direct() {
				pred.As = InSet
			}
		case pred.Tests[0].Key != nil && !pred.Direct() &&
			pred.Scans != nil: // an In of days, which needs several ranges
			pred.As = InSet
		case pred.Direct() && q.inOrder(pred):
			bounds++
		}
	}
	plan.BoundsOnly = plan.Ordered && bounds == len(q.Predicates)
	plan.Quick = plan.Quick || q.quickScan(plan.BoundsOnly)
	plan.IDsFirst = q.limited() && (!plan.Ordered || q.Offset > maxRowsPassed)
	return plan
}
