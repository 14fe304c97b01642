package search

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// EachPath calls run once for every access path of a search.
func EachPath(tx *db.Tx, s *enlist.Search, run func(*Planned) error) error {
	plans, err := planner.All(newQuery(tx.SQL, s).planned(s), &statistics{tx: tx, search: s})
	for _, plan := range plans {
		of := *s // a path without its index changes the search
		if err := run(&Planned{tx, &of, plan}); err != nil {
			return err
		}
	}
	return err
}

// Text returns the statement of the search.
func (p *Planned) Text() string {
	s, err := p.statement()
	if err != nil {
		return err.Error()
	}
	return s.Text
}

// MetStatement returns the statement of Met.
func MetStatement(tx *db.Tx, schema *enlist.Schema, conditions []*enlist.Condition, ids []enlist.ContactID) (
	db.Statement, error) {
	wanted, err := db.ManyValues(tx, db.PlainIDs(ids))
	return metStatement(tx.SQL, schema, conditions, wanted), err
}
