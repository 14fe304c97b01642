package search

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search/planner"
)

// This file decides for PostgreSQL whether a search without an index reads the Contacts in the requested order,
// or reads all of them and sorts the matches. PostgreSQL has no statistics about values in a document, so it
// expects many matches. It would always read in order, because it expects to fill the page soon. But if few
// Contacts match, it reads the whole List in that order. A scan of the table takes half of that time, because
// it reads the pages one after another and several processes share it.

const (
	// smallList is the number of Contacts up to which every scan is fast.
	smallList = 10_000
	// sortShare is the share of a List above which a scan in order costs more than a scan of the table.
	sortShare = 0.125
	// fewMatches is the share of Contacts up to which a search for all matches sorts them.
	fewMatches = 0.02
)

// sorts reports whether a search should sort its matches. It estimates the number of matches from a sample.
func sorts(t *db.Tx, s *enlist.Search, p *planner.Plan) (bool, error) {
	if t.SQL.NamesIndexes || s.Where == nil || s.Counted || p.Quick || t.Locking() != "" || !orderedByNumber(s) {
		return false, nil
	}
	var all planner.Predicate
	for i := range p.Predicates {
		if p.Predicates[i].Scans != nil { // PostgreSQL has statistics about the key
			return false, nil
		}
		all.Tests = append(all.Tests, p.Predicates[i].Tests...)
	}
	contacts, err := t.ContactCount(s.Schema.List.ID)
	if err != nil || contacts <= smallList {
		return false, err
	}
	sampled := statistics{tx: t, search: s}
	share, err := sampled.Sample(&all)
	if err != nil {
		return false, err
	}
	if s.Limit == 0 {
		return share < fewMatches, nil
	}
	return float64(s.Limit+s.Offset) > sortShare*share*float64(contacts), nil
}

// orderedByNumber reports whether the requested order is that of the IDs or of a time that every List has an
// index of.
func orderedByNumber(s *enlist.Search) bool {
	return s.Sort == nil || isID(s.Sort) || timeIndex(s.Sort) != ""
}
