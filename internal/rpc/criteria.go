package rpc

import (
	"strings"

	"enlist/api"
	"enlist/internal/audience"
)

// Bounds of search criteria. decisions.md: 33
const (
	maxTriples = 100
	maxLevels  = 10
)

// criteria reads search_criteria: triples and groups in AND, with the bare
// strings "OR" and "AND" between them. nil when there is no triple.
// specification: Search criteria; decisions.md: 33
func (p *params) criteria(i int) *audience.Criteria {
	v := p.at(i)
	if v.omitted() {
		return nil
	}
	if v.kind != kArray {
		p.refuse(i, "an array of triples")
		return nil
	}
	var r criteriaReader
	found, err := r.group(v, 1)
	if err != nil && p.err == nil {
		err.position = i + 1
		p.err = err
	}
	return found
}

// criteriaReader counts what it reads.
type criteriaReader struct{ triples int }

// group reads an array of parts. AND binds tighter than OR; a connector with
// nothing on one of its sides is dropped.
func (r *criteriaReader) group(v *value, level int) (*audience.Criteria, *refusal) {
	if level > maxLevels {
		return nil, badCriteria("more than %d levels", maxLevels)
	}
	var alternatives, together []audience.Criteria
	for i := range v.items {
		item := &v.items[i]
		if or, ok := connector(item); ok {
			if or && len(together) > 0 {
				alternatives = append(alternatives, all(together))
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
	switch {
	case len(together) > 0 && len(alternatives) > 0:
		alternatives = append(alternatives, all(together))
	case len(together) > 0:
		c := all(together)
		return &c, nil
	case len(alternatives) == 0:
		return nil, nil
	}
	if len(alternatives) == 1 {
		return &alternatives[0], nil
	}
	return &audience.Criteria{Any: alternatives}, nil
}

func all(parts []audience.Criteria) audience.Criteria {
	if len(parts) == 1 {
		return parts[0]
	}
	return audience.Criteria{All: parts}
}

// connector reports whether an item is "OR" or "AND", and which.
func connector(v *value) (or, ok bool) {
	if v.kind != kString {
		return false, false
	}
	or = strings.EqualFold(v.text, "OR")
	return or, or || strings.EqualFold(v.text, "AND")
}

// part reads a triple or a group.
func (r *criteriaReader) part(v *value, level int) (*audience.Criteria, *refusal) {
	switch {
	case v.kind == kObject:
		return r.object(v)
	case v.kind == kArray && isTriple(v):
		if len(v.items) != 3 {
			return nil, badCriteria("a triple has three elements: key, operator, value")
		}
		return r.triple(&v.items[0], &v.items[1], &v.items[2])
	case v.kind == kArray:
		return r.group(v, level+1)
	}
	return nil, badCriteria("expected an array of triples, found %s in it", v.describe())
}

// isTriple tells a triple from a group: it begins with a key. A Field may be
// named OR; then its operator tells.
func isTriple(v *value) bool {
	if len(v.items) == 0 || v.items[0].kind != kString {
		return false
	}
	if _, ok := connector(&v.items[0]); !ok {
		return true
	}
	if len(v.items) != 3 || v.items[1].kind != kString {
		return false
	}
	_, ok := connector(&v.items[1])
	return !ok
}

// object reads a triple in the form {"field","modifier","value"}.
func (r *criteriaReader) object(v *value) (*audience.Criteria, *refusal) {
	var key, operator, operand *value
	for i := range v.items {
		switch item := &v.items[i]; item.name {
		case "field":
			key = item
		case "modifier":
			operator = item
		case "value":
			operand = item
		default:
			return nil, badCriteria("a triple has field, modifier and value, not %q", item.name)
		}
	}
	if key == nil || operator == nil || operand == nil {
		return nil, badCriteria("a triple has field, modifier and value")
	}
	return r.triple(key, operator, operand)
}

func (r *criteriaReader) triple(key, operator, operand *value) (*audience.Criteria, *refusal) {
	if r.triples++; r.triples > maxTriples {
		return nil, badCriteria("more than %d triples", maxTriples)
	}
	if key.kind != kString {
		return nil, badCriteria("a key is a string, not %s", key.describe())
	}
	if operator.kind != kString {
		return nil, badCriteria("an operator is a string, not %s", operator.describe())
	}
	if operand.kind == kObject {
		return nil, badCriteria("the value for %q is an object", key.text)
	}
	for i := range operand.items {
		if !operand.items[i].scalar() {
			return nil, badCriteria("the value for %q holds %s", key.text, operand.items[i].describe())
		}
	}
	return &audience.Criteria{Key: key.text, Operator: operator.text, Value: operand.input()}, nil
}

func badCriteria(format string, args ...any) *refusal {
	return refuse(api.CodeInvalidSearch, "search_criteria: "+format, args...)
}
