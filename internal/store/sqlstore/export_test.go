package sqlstore

import "enlist/internal/audience"

// EachPath calls run for every plan of a search that could be chosen.
func (t *Tx) EachPath(s *audience.Search, run func() error) error {
	p := &planner{tx: t, search: s, query: newSearchQuery(t.sql, s)}
	p.predicates = p.query.predicatesOf(s.Where)
	p.limitEstimated()
	for _, w := range p.paths() {
		p.predicates = p.query.predicatesOf(s.Where)
		p.limitEstimated()
		made, err := p.planFor(w, false)
		if err != nil {
			return err
		}
		made.search, t.plan = *s, made
		if err := run(); err != nil {
			return err
		}
	}
	t.plan = nil
	return nil
}
