package rpc

import (
	"enlist/api"
	"enlist/internal/enlist"
)

// This file reads search_criteria. Package enlist checks the keys and values later, when the server has read the Fields of
// the List.

// criteria reads search_criteria: an array of parts, or a single triple without an array around it.
// If two parts have no connector between them, it joins them by AND. It returns nil if the parameter
// has no triple.
// reference.md: Search, search.connectors
func (p *params) criteria(i int) *enlist.Criteria { return p.criteriaIn(i, p.at(i)) }

// criteriaIn reads criteria that are the value v inside a parameter.
func (p *params) criteriaIn(i int, v *enlist.Input) *enlist.Criteria {
	if v.IsBlank() {
		return nil
	}
	if v.IsScalar() {
		p.refusePart(i, "an array of triples", v)
		return nil
	}
	found, err := enlist.ReadCriteria(v)
	if err != nil && p.err == nil {
		wrong := refuse(api.CodeInvalidSearch, "search_criteria: %s", err)
		wrong.position = i + 1
		p.err = wrong
	}
	return found
}
