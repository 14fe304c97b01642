package search

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// ChooseBy returns a Tx of the same transaction that chooses the plan of a search after it has called check.
func ChooseBy(tx *db.Tx, check func(*db.Tx, *enlist.Search) error) *db.Tx {
	checking := *tx
	checking.Kept = &kept{choose: func(t *db.Tx, s *enlist.Search, q *planner.Query) (*planner.Plan, error) {
		if err := check(t, s); err != nil {
			return nil, err
		}
		return choosePlan(t, s, q)
	}}
	return &checking
}

// EachPath calls run once for every access path of a search. While run runs, the transaction uses the
// plan of this path for the search.
func EachPath(t *db.Tx, s *enlist.Search, run func() error) error {
	defer func() { keptBy(t).plan = savedPlan{} }()
	plans, err := planner.All(newQuery(t.SQL, s).planned(s), &statistics{tx: t, search: s})
	for _, p := range plans {
		keptBy(t).plan = savedPlan{p, *s}
		if err := run(); err != nil {
			return err
		}
	}
	return err
}
