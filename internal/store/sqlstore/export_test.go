package sqlstore

import "enlist/internal/audience"

// EachWay calls run for every plan of a search that could be chosen.
func (t *Tx) EachWay(s *audience.Search, run func() error) error {
	p := &planner{tx: t, search: s, query: newSearchQuery(t.sql, s)}
	p.parts = p.query.partsOf(s.Where)
	p.limit()
	for _, w := range p.ways() {
		p.parts = p.query.partsOf(s.Where)
		p.limit()
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
