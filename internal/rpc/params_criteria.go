package rpc

import (
	"strings"

	"enlist/api"
	"enlist/internal/enlist"
)

// This file reads search_criteria: triples and groups of triples, joined by the strings "OR" and
// "AND". Package enlist checks the keys and values later, when the server has read the Fields of
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
	var r criteriaReader
	var found *enlist.Criteria
	var err *refusal
	switch {
	case v.IsScalar():
		p.refusePart(i, "an array of triples", v)
		return nil
	case v.Kind == enlist.InputObject || isTriple(v):
		found, err = r.part(v, 1)
	default:
		found, err = r.group(v, 1)
	}
	if err != nil && p.err == nil {
		err.position = i + 1
		p.err = err
	}
	return found
}

// criteriaReader counts the triples that it reads. It refuses more than MaxCriteriaTests triples.
type criteriaReader struct{ triples int }

// group reads an array of parts. AND has a higher precedence than OR. group ignores a connector
// that has no part before it or no part after it.
func (r *criteriaReader) group(v *enlist.Input, level int) (*enlist.Criteria, *refusal) {
	if level > enlist.MaxCriteriaLevels {
		return nil, badCriteria("more than %d levels", enlist.MaxCriteriaLevels)
	}
	var alternatives, together []enlist.Criteria
	for i := range v.Items {
		item := &v.Items[i]
		if or, ok := connector(item); ok {
			if or && len(together) > 0 {
				alternatives = append(alternatives, allOf(together))
				together = nil
			}
			continue
		}
		part, err := r.part(item, level)
		if err != nil {
			return nil, err
		}
		if part != nil {
			together = append(together, *part)
		}
	}
	if len(together) > 0 {
		alternatives = append(alternatives, allOf(together))
	}
	switch len(alternatives) {
	case 0:
		return nil, nil
	case 1:
		return &alternatives[0], nil
	}
	return &enlist.Criteria{Any: alternatives}, nil
}

// allOf joins parts by AND. It returns a single part unchanged.
func allOf(parts []enlist.Criteria) enlist.Criteria {
	if len(parts) == 1 {
		return parts[0]
	}
	return enlist.Criteria{All: parts}
}

// connector reports whether an item is a connector, in any letter case. The result or is true for
// "OR" and false for "AND".
func connector(v *enlist.Input) (or, ok bool) {
	if v.Kind != enlist.InputText {
		return false, false
	}
	or = strings.EqualFold(v.Text, "OR")
	return or, or || strings.EqualFold(v.Text, "AND")
}

// part reads a triple or a group.
func (r *criteriaReader) part(v *enlist.Input, level int) (*enlist.Criteria, *refusal) {
	switch {
	case v.Kind == enlist.InputObject:
		return r.object(v)
	case v.Kind == enlist.InputArray && isTriple(v):
		if len(v.Items) != 3 {
			return nil, badCriteria("a triple has three elements: key, operator, value")
		}
		return r.triple(&v.Items[0], &v.Items[1], &v.Items[2])
	case v.Kind == enlist.InputArray:
		return r.group(v, level+1)
	}
	return nil, badCriteria("expected an array of triples, found %s in it", describe(v))
}

// isTriple reports whether an array is a triple. Otherwise it is a group. The first item of a
// triple is a key, which is a string. A Field may have the name "OR" or "AND". If the first item is
// "OR" or "AND", the array is a triple only if it has three items and the second is an operator.
func isTriple(v *enlist.Input) bool {
	if len(v.Items) == 0 || v.Items[0].Kind != enlist.InputText {
		return false
	}
	if _, ok := connector(&v.Items[0]); !ok {
		return true
	}
	if len(v.Items) != 3 || v.Items[1].Kind != enlist.InputText {
		return false
	}
	_, ok := connector(&v.Items[1])
	return !ok
}

// object reads a triple that is an object with the members field, modifier and value.
func (r *criteriaReader) object(v *enlist.Input) (*enlist.Criteria, *refusal) {
	var key, operator, operand *enlist.Input
	for i := range v.Items {
		switch item := &v.Items[i]; item.Name {
		case "field":
			key = item
		case "modifier":
			operator = item
		case "value":
			operand = item
		default:
			return nil, badCriteria("a triple has field, modifier and value, not %q", item.Name)
		}
	}
	if key == nil || operator == nil || operand == nil {
		return nil, badCriteria("a triple has field, modifier and value")
	}
	return r.triple(key, operator, operand)
}

// triple reads a key, operator and operand, and checks their JSON types.
func (r *criteriaReader) triple(key, operator, operand *enlist.Input) (*enlist.Criteria, *refusal) {
	r.triples++
	switch {
	case r.triples > enlist.MaxCriteriaTests:
		return nil, badCriteria("more than %d triples", enlist.MaxCriteriaTests)
	case key.Kind != enlist.InputText:
		return nil, badCriteria("a key is a string, not %s", describe(key))
	case operator.Kind != enlist.InputText:
		return nil, badCriteria("an operator is a string, not %s", describe(operator))
	case operand.Kind == enlist.InputObject:
		return nil, badCriteria("the value for %q is an object", key.Text)
	}
	for i := range operand.Items {
		if item := &operand.Items[i]; !item.IsScalar() {
			return nil, badCriteria("the value for %q contains %s", key.Text, describe(item))
		}
	}
	return &enlist.Criteria{Key: key.Text, Operator: operator.Text, Value: *operand}, nil
}

// badCriteria returns the error for criteria that have the wrong shape.
func badCriteria(format string, args ...any) *refusal {
	return refuse(api.CodeInvalidSearch, "search_criteria: "+format, args...)
}
